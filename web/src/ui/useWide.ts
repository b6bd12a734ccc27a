import { useSyncExternalStore } from "react";

/** The width from which on a page has an aside (theme/tokens.css). */
const WIDE = "(min-width: 1080px)";

function watch(changed: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

export const useWide = (): boolean => useSyncExternalStore(watch, () => matchMedia(WIDE).matches);
