// Waits for a time of the server's clock. Timers do not run while a device sleeps, so the clock is checked at
// least every half minute and as soon as the page becomes visible.

import { useLayoutEffect, useRef } from "react";
import { now } from "./now";

const LOOK_MS = 30_000;

/** Calls `run` at the given time, or at once if it is past. Returns a function that cancels this. */
export function onceDue(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    removeEventListener("pageshow", look);
  };
  const look = (): void => {
    clearTimeout(timer);
    const left = ms - now();
    if (left > 0) {
      timer = setTimeout(look, Math.min(left, LOOK_MS));
      return;
    }
    stop();
    run();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pageshow", look);
  look();
  return stop;
}

/**
 * The same while a component is mounted; null does nothing. If the time is past, `run` is called before the
 * paint.
 */
export function useDue(ms: number | null, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useLayoutEffect(() => (ms === null ? undefined : onceDue(ms, () => latest.current())), [ms]);
}
