// Reads data again that the server does not replay.

import { useEffect, useEffectEvent, useRef } from "react";
import { useStore } from "./store";

/** Runs `read` at first, and again whenever something may have been missed: each time the connection comes back. */
export function useRefetch(read: () => void): void {
  const since = useStore((s) => (s.connection.state === "live" ? s.connection.since : null));
  const resyncs = useStore((s) => s.resyncs);
  const isFirst = useRef(true);
  const readNow = useEffectEvent(read);
  useEffect(() => {
    if (since === null && !isFirst.current) return;
    isFirst.current = false;
    readNow();
  }, [since, resyncs]);
}
