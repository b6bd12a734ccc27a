// The state of the server, and its backups.

import { useEffect, useState } from "react";
import { ask } from "../../engine/client";
import { locale, many, numberText, say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { RelativeTime } from "../../ui/RelativeTime";
import { useAct, useLive } from "./live";
import { health as words } from "./words";
import css from "./admin.module.css";
import { refusal } from "../../ui/card";

/** How often the figures are read again, because no event announces a change. */
const REFRESH_MS = 5_000;
/** The time for a backup, because it takes minutes for a large folder. */
const BACKUP_MS = 10 * 60_000;

export function Health() {
  const [round, setRound] = useState(0);
  const { value, failed, load } = useLive(() => ask("admin.health", {}), String(round));
  const { busy, act } = useAct();
  useEffect(() => {
    const timer = setInterval(() => setRound((before) => before + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (value === null) return failed ? <InlineError onRetry={load} /> : <p>{say(common.loading)}</p>;
  const newest = value.backups[0];
  const lastBackup = newest === undefined ? say(words.never) : <RelativeTime ms={newest.made_at_ms} />;
  const rows = [
    [words.sockets, numberText(value.sockets)],
    [words.queue, numberText(value.writer_queue)],
    [words.database, size(value.database_bytes)],
    [words.media, size(value.media_bytes)],
    [words.free, value.free_bytes === null ? say(words.unknown) : size(value.free_bytes)],
    [words.backup, null],
    [words.version, value.version],
  ] as const;
  return (
    <>
      <ul role="list" aria-label={say(words.list)} className={css.list}>
        {rows.map(([name, figure]) => (
          <li key={name} className={css.figure}>
            <span>{`${say(name)} `}</span>
            <b dir={name === words.version ? "ltr" : undefined}>{figure ?? lastBackup}</b>
          </li>
        ))}
        {value.fronts.map((front) => (
          <li key={front.name} className={css.figure}>
            <span>{`${say(words.socketsAt, { front: front.name })} `}</span>
            <b>{numberText(front.sockets)}</b>
          </li>
        ))}
      </ul>
      {value.backup_failure !== null && (
        <p className={refusal}>{say(words.failed, { why: value.backup_failure })}</p>
      )}
      {value.mail_failure !== null && (
        <p className={refusal}>{say(words.mailWaits, { why: value.mail_failure })}</p>
      )}
      <div>
        <Button
          variant="quiet"
          busy={busy}
          onClick={() =>
            void act(() => ask("admin.back_up", {}, { timeoutMs: BACKUP_MS }), say(words.backedUp))
          }
        >
          {say(words.backUp)}
        </Button>
      </div>
      <h2>{say(words.backups)}</h2>
      {newest === undefined ? (
        <p className={css.quiet}>{say(words.noBackups)}</p>
      ) : (
        <ul role="list" aria-label={say(words.backups)} className={css.list}>
          {value.backups.map((backup) => (
            <li key={backup.name} className={css.figure}>
              <span className={css.address} dir="auto">{`${backup.name} `}</span>
              <RelativeTime ms={backup.made_at_ms} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const UNITS = ["{size} KiB", "{size} MiB", "{size} GiB", "{size} TiB"] as const;

/** Returns a size as text, such as `3.4 MiB`. */
export function size(bytes: number): string {
  const step = Math.min(UNITS.length, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const unit = UNITS[step - 1];
  if (unit === undefined) return many(bytes, "{n} bytes", "{n} bytes");
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false };
  return say(unit, { size: new Intl.NumberFormat(locale(), digits).format(bytes / 1_024 ** step) });
}
