// The state of the connection. A short interruption shows nothing, and a longer one shows a text. Only being
// offline, and its end, is announced to screen readers.

import { useEffect, useRef, useState } from "react";
import { say } from "../say";
import { connection as words } from "../text";
import { announce } from "./announce";
import { Button } from "./Button";
import css from "./ConnectionDot.module.css";

export const QUIET_MS = 3_000;
export const OFFLINE_MS = 15_000;

export type ConnectionState = "live" | "reconnecting" | "offline" | "idle";
type Shown = "live" | "reconnecting" | "offline";

export type ConnectionDotProps = {
  state: ConnectionState;
  /** When the state stopped being live, in milliseconds since 1970. */
  since: number;
  onTryNow: () => void;
};

export function ConnectionDot({ state, since, onTryNow }: ConnectionDotProps) {
  const shown = useShown(state, since);
  const before = useRef(shown);
  useEffect(() => {
    if (shown === "offline" && before.current !== "offline") announce(say(words.gone));
    if (shown === "live" && before.current === "offline") announce(say(words.back));
    before.current = shown;
  }, [shown]);
  return (
    <div className={css.box} data-state={shown}>
      {/* Not a live region: the page's live regions announce the start and the end of a long break. */}
      <span role="status" aria-label={say(words.name)} aria-live="off" className={css.status}>
        <span aria-hidden="true" className={css.dot} />
        <span className={css.words}>{say(words[shown])}</span>
      </span>
      {shown === "offline" && (
        <Button variant="quiet" small onClick={onTryNow}>
          {say(words.tryNow)}
        </Button>
      )}
    </div>
  );
}

function useShown(state: ConnectionState, since: number): Shown {
  const [now, setNow] = useState(() => Date.now());
  const away = state === "reconnecting";
  const gone = away ? Math.max(0, now - since) : 0;
  const next = !away ? null : gone < QUIET_MS ? QUIET_MS : gone < OFFLINE_MS ? OFFLINE_MS : null;
  useEffect(() => {
    if (away) setNow(Date.now());
  }, [away, since]);
  useEffect(() => {
    if (next === null) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(20, since + next - Date.now()));
    return () => clearTimeout(timer);
  }, [next, since, now]);
  if (state === "offline") return "offline";
  if (!away || gone < QUIET_MS) return "live";
  return gone < OFFLINE_MS ? "reconnecting" : "offline";
}
