/** The build of this page, as the server wrote it into its head; null: it came without. */
export function buildOfPage(): string | null {
  return document.head.querySelector<HTMLMetaElement>('meta[name="mellow:build"]')?.content ?? null;
}
