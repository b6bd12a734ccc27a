/** Returns the build of this page, which the server writes into its head; null if there is none. */
export function buildOfPage(): string | null {
  return document.head.querySelector<HTMLMetaElement>('meta[name="mellow:build"]')?.content ?? null;
}
