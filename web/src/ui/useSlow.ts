// Tells when a request has taken long enough for a note.

import { useEffect, useState } from "react";

export const SLOW_MS = 700;

/** True once `busy` has lasted for 700 ms. */
export function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return slow && busy;
}
