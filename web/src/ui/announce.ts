// Announcements for screen readers. LiveRegions.tsx renders them in two permanent live regions. The same text
// twice is announced twice.

export type Said = { text: string; n: number };
type Hear = (said: Said) => void;

const hearers: { polite: Set<Hear>; urgent: Set<Hear> } = { polite: new Set(), urgent: new Set() };
let n = 0;

/** Says it when there is a pause; `urgent` says it at once and is for errors. */
export function announce(text: string, { urgent = false }: { urgent?: boolean } = {}): void {
  n += 1;
  for (const hear of hearers[urgent ? "urgent" : "polite"]) hear({ text, n });
}

export function onAnnounce(kind: "polite" | "urgent", hear: Hear): () => void {
  hearers[kind].add(hear);
  return () => hearers[kind].delete(hear);
}
