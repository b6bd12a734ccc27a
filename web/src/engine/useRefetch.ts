// Reads the data of a screen, and reads it again if a resume cannot replay what was missed.

import { useEffect, useEffectEvent, useRef } from "react";
import { useStore } from "./store";

/**
 * Runs `read` at first, after a resync, and whenever the data is `stale`. `read` returns whether it
 * succeeded. When the connection returns, `read` runs again if it failed. If it succeeded, `resumed` runs:
 * only transient events were missed.
 */
export function useRefetch(stale: boolean, read: () => Promise<boolean>, resumed?: () => void): void {
  const isLive = useStore((s) => s.connection.state === "live");
  const resyncs = useStore((s) => s.resyncs);
  /** The number of resyncs when `read` ran last; null before the first run. */
  const readAt = useRef<number | null>(null);
  const owes = useRef(false);
  const readNow = useEffectEvent(async () => {
    owes.current = false;
    if (!(await read())) owes.current = true;
  });
  const resumedNow = useEffectEvent(() => resumed?.());
  useEffect(() => {
    if (readAt.current !== resyncs) {
      readAt.current = resyncs;
      void readNow();
    } else if (isLive && owes.current) void readNow();
    else if (isLive) resumedNow();
  }, [isLive, resyncs]);
  useEffect(() => {
    if (stale) void readNow();
  }, [stale]);
}
