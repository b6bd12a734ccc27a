// Reads the data of a screen, and reads it again if a resume cannot replay what was missed.

import { useEffect, useEffectEvent, useRef } from "react";
import { useStore } from "./store";

/**
 * Runs `read` at first, after a resync, and whenever what is held is `stale`. `read` returns whether it succeeded. If not, it runs again when the connection comes back. If it did, `resumed` runs then: only events that are not replayed were missed.
 */
export function useRefetch(stale: boolean, read: () => Promise<boolean>, resumed?: () => void): void {
  const isLive = useStore((s) => s.connection.state === "live");
  const resyncs = useStore((s) => s.resyncs);
  /** The number of the resync after which `read` ran; null: not yet. */
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
