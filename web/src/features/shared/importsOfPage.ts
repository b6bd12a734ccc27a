// Whether this Mellow takes imports. The page contains it, because the host may turn them off.

const element = (): HTMLMetaElement | null =>
  document.head.querySelector<HTMLMetaElement>('meta[name="mellow:imports"]');

export const hasImports = (): boolean => element() !== null;

/** Returns the largest size of a file, in MiB; 0 if this Mellow takes no imports. */
export const importMaxMb = (): number => Number(element()?.content ?? 0);
