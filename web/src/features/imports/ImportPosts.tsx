// The page for bringing posts from elsewhere: a person chooses an archive, sees what is in it, and imports it.
//
// Promise: nothing is imported before the person says so (D-W4). Only the file is sent by this tab. The rest goes on
// without it, and each page of the person shows it.

import { FileArchive } from "lucide-react";
import {
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useSession } from "../../engine/session";
import type { Id } from "../../engine/state";
import type { Import } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { Note } from "../../ui/Note";
import { announce } from "../../ui/announce";
import { card, quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { catchFocus } from "../../ui/focus";
import { Loading } from "../shared/Loading";
import { importMaxMb } from "../shared/importsOfPage";
import { SendingNote } from "../shared/sending";
import { Bar } from "./Bar";
import { PastImports } from "./PastImports";
import { Preview } from "./Preview";
import { cancelImport } from "./api";
import { archiveOf } from "./archive";
import { useAct } from "./useAct";
import { useImports } from "./useImports";
import { foundText, progressText, words } from "./words";
import css from "./imports.module.css";

export function ImportPosts() {
  const { me } = useSession();
  return me === null ? null : <Own key={me.id} userId={me.id} />;
}

type Step = "choose" | "reading" | "preview" | "importing";

function Own({ userId }: { userId: Id }) {
  const [archive] = useState(() => archiveOf(userId));
  const { percent, error } = useSyncExternalStore(archive.watch, archive.get);
  const { current, past, status, load } = useImports();
  const root = useRef<HTMLDivElement>(null);
  const step = percent === null ? stepOf(current) : "reading";
  const preview = step === "preview" ? (current?.preview ?? null) : null;

  // What had the focus is gone with the step before.
  const shown = status === "ready" ? step : null;
  const before = useRef<Step | null>(null);
  const tell = useEffectEvent(() => {
    // The bars of the other steps take the focus, and have their names.
    if (preview !== null) announce(foundText(preview.posts, preview.pictures));
  });
  useEffect(() => {
    const was = before.current;
    before.current = shown;
    if (was === null || shown === null || was === shown) return;
    catchFocus(() => firstIn(root.current));
    // The step before may have been longer, and its end was in sight.
    root.current?.scrollIntoView({ block: "nearest" });
    tell();
  }, [shown]);

  // Whoever leaves the page or begins another file has read why the last one was refused.
  useLayoutEffect(() => (shown === "choose" ? () => archive.forgetError() : undefined), [archive, shown]);

  // An import that is undone leaves the list with its button.
  const count = useRef(0);
  useEffect(() => {
    if (past.length < count.current) catchFocus(() => firstIn(root.current));
    count.current = past.length;
  }, [past.length]);

  if (status === "failed") return <InlineError onRetry={load} />;
  if (status === "loading") return <Loading>{say(common.loading)}</Loading>;
  return (
    <div ref={root} className={css.page}>
      {step === "choose" && <Choose error={error} onFile={(file) => void archive.send(file)} />}
      {step === "reading" && (
        <Reading
          percent={percent ?? current?.progress ?? 0}
          isSending={percent !== null || current?.phase === "uploading"}
          isHere={percent !== null}
          onCancel={async () => {
            if (current !== null) await cancelImport(current.id);
            archive.stop();
          }}
        />
      )}
      {preview !== null && current !== null && <Preview key={current.id} id={current.id} preview={preview} />}
      {step === "importing" && current !== null && <Running current={current} />}
      {past.length > 0 && <PastImports list={past} />}
    </div>
  );
}

/** Returns what takes the focus in a step. */
const firstIn = (root: HTMLElement | null) => root?.querySelector<HTMLElement>("[data-first]");

function stepOf(current: Import | null): Step {
  if (current === null) return "choose";
  return current.phase === "uploading" ? "reading" : current.phase;
}

function Choose({ error, onFile }: { error: string | null; onFile(file: File): void }) {
  const id = useId();
  const errorId = useId();
  const hintId = useId();
  return (
    <div className={card}>
      <input
        id={id}
        type="file"
        accept=".zip,application/zip"
        className={cx("visually-hidden", css.file)}
        aria-invalid={error !== null || undefined}
        aria-describedby={error === null ? hintId : [errorId, hintId].join(" ")}
        data-first=""
        onChange={({ target }) => {
          const file = target.files?.[0];
          // Allows choosing the same file again.
          target.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
      <label htmlFor={id} className={css.place}>
        <FileArchive size={22} strokeWidth={1.75} aria-hidden="true" />
        <span>{say(words.file)}</span>
      </label>
      <Note id={errorId} text={error} />
      <p id={hintId} className={quiet}>
        {say(words.hint)}
      </p>
      <p className={quiet}>{say(words.where, { n: importMaxMb() })}</p>
      <p className={quiet}>{say(words.comes)}</p>
      <p className={quiet}>{say(words.stays)}</p>
    </div>
  );
}

/** Sending the file and reading it are the two halves of one bar. `isHere`: this tab sends the file. */
function Reading({
  percent,
  isSending,
  isHere,
  onCancel,
}: {
  percent: number;
  isSending: boolean;
  isHere: boolean;
  onCancel(): Promise<void>;
}) {
  const { busy, wrong, act } = useAct();
  return (
    <div className={card}>
      <Bar name={say(words.reading)} percent={Math.floor(percent / 2) + (isSending ? 0 : 50)} />
      <p className={quiet}>
        {isHere ? say(words.keepOpen) : isSending ? say(words.elsewhere) : say(words.goesOn)}
      </p>
      <Note text={wrong} />
      <SendingNote busy={busy} still />
      <div className={css.row}>
        <Button variant="quiet" busy={busy} onClick={({ currentTarget }) => act(onCancel, currentTarget)}>
          {say(common.cancel)}
        </Button>
      </div>
    </div>
  );
}

function Running({ current: { id, done, total, paused } }: { current: Import }) {
  const { busy, wrong, act } = useAct();
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  const text = progressText(done, total);
  // Said now and then, because it changes every second.
  const quarter = Math.floor(percent / 25);
  const tell = useEffectEvent(() => announce(text));
  useEffect(() => {
    if (quarter > 0) tell();
  }, [quarter]);
  return (
    <div className={card}>
      <Bar name={say(words.importing)} percent={percent} />
      <p>{text}</p>
      <p className={quiet}>{say(paused ? words.paused : words.goesOn)}</p>
      <Note text={wrong} />
      <SendingNote busy={busy} still />
      <div className={css.row}>
        <Button
          variant="quiet"
          busy={busy}
          onClick={({ currentTarget }) => act(() => cancelImport(id), currentTarget)}
        >
          {say(words.cancelImport)}
        </Button>
      </div>
    </div>
  );
}
