// Reads the data of a screen, and reads it again if a resume cannot replay what was missed.

import { useEffect, useEffectEvent, useRef } from "react";
import { useStore } from "./store";

/**
 * Runs `read` at first, after a resync, and whenever what is held is `stale`. `read` says whether that went well; if
 * not, it runs again when the connection comes back. Else `resumed` runs then: nothing was missed but what is not
 * replayed.
 */
export function useRefetch(stale: boolean, read: () => Promise<boolean>, resumed?: () => void): void {
  const isLive = useStore((s) => s.connection.state === "live");
  const resyncs = useStore((s) => s.resyncs);
  /** The resync after which it was read; null: it was not read yet. */
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
