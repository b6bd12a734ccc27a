// The list of the viewer's logins, and the button that ends all others.
//
// Promise: a login from a browser that the account does not know stands in the list at once, and so does its end.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { InlineError } from "../../ui/InlineError";
import { now } from "../../ui/now";
import { relativeInside } from "../../ui/relative";
import type { Login } from "../../engine/types.gen";
import { Device } from "../shared/device";
import { Section, Waits } from "./Section";
import { logOutOthers, readLogins } from "./api";
import { logins as words, titles } from "./words";
import css from "./settings.module.css";
import { Note } from "../../ui/Note";

const DAY_MS = 24 * 60 * 60_000;

export function Logins() {
  const version = useStore((s) => `${String(s.changedAt)}/${String(s.resyncs)}`);
  const [logins, setLogins] = useState<Login[] | "loading" | "failed">("loading");
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{ message: string; failed: boolean } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const newest = useRef(0);

  const load = async (): Promise<void> => {
    newest.current += 1;
    const mine = newest.current;
    try {
      const list = await readLogins();
      if (mine === newest.current) setLogins(list);
    } catch {
      // If the list is shown already, a failed read keeps it.
      if (mine === newest.current) setLogins((held) => (Array.isArray(held) ? held : "failed"));
    }
  };
  const loadNow = useEffectEvent(load);
  useEffect(() => {
    void loadNow();
  }, [version]);

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
