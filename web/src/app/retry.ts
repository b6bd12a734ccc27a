import { LOAD_RETRY_MS } from "../engine/session";

/** Loads a file that the page needs. It tries again every LOAD_RETRY_MS until it succeeds. */
export function fetchUntilLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  const go = (): Promise<T> =>
    load().catch(() => new Promise<T>((resolve) => setTimeout(() => resolve(go()), LOAD_RETRY_MS)));
  return go;
}
