const AGAIN_MS = 3_000;

/** Loads a part that the page cannot do without, as often as it takes on a slow connection. */
export function fetchUntilLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  const go = (): Promise<T> =>
    load().catch(() => new Promise<T>((resolve) => setTimeout(() => resolve(go()), AGAIN_MS)));
  return go;
}
