/** The build of this page, as the server wrote it into its head; null: the head has none. */
export function buildOfPage(): string | null {
  return document.head.querySelector<HTMLMetaElement>('meta[name="mellow:build"]')?.content ?? null;
}
