const SWATCHES = ["red", "blue", "green", "yellow", "purple"] as const;

/** One of ten looks (five colours, dark on light or light on dark), always the same for one id. */
export function swatch(id: number): string {
  // Ids rise with time, so neighbours are mixed before the remainder is taken.
  const mixed = Math.imul((id % 4294967296) ^ Math.floor(id / 65536), 2654435761) >>> 0;
  const n = (mixed >>> 8) % 10;
  return `${SWATCHES[n % 5] ?? "blue"}${n < 5 ? "" : "-soft"}`;
}

/** At most two letters: of the first and the last word, as people see letters. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words;
  return picked
    .map((word) => firstLetter(word ?? ""))
    .join("")
    .toLocaleUpperCase();
}

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function firstLetter(word: string): string {
  for (const { segment } of letters.segment(word)) return segment;
  return "";
}
