// Reading what nobody repeats: the server tells some things only to whoever is there at the time.

import { useEffect, useRef } from "react";
import { useStore } from "./store";

/** Runs `read` at first, and again whenever something may have been missed: each time the line comes back. */
export function useReread(read: () => void): void {
  const since = useStore((s) => (s.connection.state === "live" ? s.connection.since : null));
  const rereads = useStore((s) => s.rereads);
  const isFirst = useRef(true);
  useEffect(() => {
    if (since === null && !isFirst.current) return;
    isFirst.current = false;
    read();
  }, [since, rereads]);
}
