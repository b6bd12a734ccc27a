const AGAIN_MS = 3_000;

/** Fetches a part that the page cannot be without until it is here; a poor line may take several tries. */
export function insist<T>(load: () => Promise<T>): () => Promise<T> {
  const go = (): Promise<T> => load().catch(() => new Promise<T>((resolve) => setTimeout(() => resolve(go()), AGAIN_MS)));
  return go;
}
