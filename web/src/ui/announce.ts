// Announcements for screen readers. LiveRegions.tsx renders them in two permanent live regions. The same text
// twice is announced twice.

export type Announcement = { text: string; n: number };
type Listener = (announcement: Announcement) => void;

const listeners: { polite: Set<Listener>; urgent: Set<Listener> } = { polite: new Set(), urgent: new Set() };
let n = 0;

/** Announces a text in the next pause. With `urgent`, for errors, it is announced at once. */
export function announce(text: string, { urgent = false }: { urgent?: boolean } = {}): void {
  n += 1;
  for (const listener of listeners[urgent ? "urgent" : "polite"]) listener({ text, n });
}

export function onAnnounce(kind: "polite" | "urgent", listener: Listener): () => void {
  listeners[kind].add(listener);
  return () => listeners[kind].delete(listener);
}
