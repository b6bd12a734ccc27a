const AGAIN_MS = 3_000;

/** Loads a file that the page needs. It tries again every three seconds until it succeeds. */
export function fetchUntilLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  const go = (): Promise<T> =>
    load().catch(() => new Promise<T>((resolve) => setTimeout(() => resolve(go()), AGAIN_MS)));
  return go;
}
