// The list of the viewer's logins, and the button that ends all others.

import { useEffect, useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { InlineError } from "../../ui/InlineError";
import { now } from "../../ui/now";
import { Say } from "../../ui/Say";
import { relativeInside } from "../../ui/relative";
import type { Login } from "../../engine/types.gen";
import { Section, Waits } from "./Section";
import { logOutOthers, readLogins } from "./api";
import { logins as words, titles } from "./words";
import css from "./settings.module.css";
import { Note } from "../../ui/Note";

const DAY_MS = 24 * 60 * 60_000;

export function Logins() {
  const [logins, setLogins] = useState<Login[] | "loading" | "failed">("loading");
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{ message: string; failed: boolean } | null>(null);
  const button = useRef<HTMLButtonElement>(null);

  const load = async (): Promise<void> => {
    try {
      setLogins(await readLogins());
    } catch {
      // If the list is shown already, a failed read keeps it.
      setLogins((held) => (Array.isArray(held) ? held : "failed"));
    }
  };
  useEffect(() => void load(), []);

  const press = async (): Promise<void> => {
    setBusy(true);
    setResult(null);
    try {
      await logOutOthers();
      await load();
      setResult({ message: say(words.done), failed: false });
    } catch (error) {
      setResult({ message: refusalText(error, say(words.failed)), failed: true });
    }
    setBusy(false);
    catchFocus(() => button.current);
  };

  return (
    <Section title={titles.logins}>
      <p className={css.hint}>{say(words.lead)}</p>
      {logins === "loading" && <Waits>{say(common.loading)}</Waits>}
      {logins === "failed" && (
        <InlineError
          onRetry={() => {
            setLogins("loading");
            void load();
          }}
        />
      )}
      {Array.isArray(logins) && (
        <ul role="list" className={css.logins}>
          {logins.map((login) => (
            <li key={login.id} className={css.login}>
              <p className={css.device}>
                <span>
                  <Device name={login.device} />
                </span>
                {login.current && <span className={css.here}>{say(words.here)}</span>}
              </p>
              <p className={css.hint}>{story(login, now())}</p>
            </li>
          ))}
        </ul>
      )}
      <div className={css.item}>
        <Button ref={button} variant="quiet" busy={busy} onClick={() => void press()}>
          {say(words.press)}
        </Button>
        <Note text={result?.failed === true ? result.message : null} />
        <p role="status" className={css.hint}>
          {result?.failed === false && result.message}
        </p>
      </div>
    </Section>
  );
}

/**
 * Returns when a login began and when it was last used. The server notes the use once a day, so the text says
 * no more.
 */
function story({ created_at_ms, used_at_ms, current }: Login, now: number): string {
  const when = relativeInside(created_at_ms, now);
  if (current) return say(words.since, { when });
  if (now - used_at_ms < DAY_MS) return say(words.usedNow, { when });
  return say(words.used, { when, used: relativeInside(used_at_ms, now) });
}

/** A device as the server names it: `Firefox on Linux`, or nothing if it does not know. */
function Device({ name }: { name: string }) {
  const [browser, system] = name.split(" on ");
  if (system !== undefined)
    return <Say text={words.device} browser={<bdi>{browser}</bdi>} system={<bdi>{system}</bdi>} />;
  return <bdi>{name === "" ? say(words.unknown) : name}</bdi>;
}
