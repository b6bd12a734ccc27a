import { graphemes } from "./graphemes";

const SWATCHES = ["red", "blue", "green", "yellow", "purple"] as const;

/** Returns one of ten swatches (five colours, strong or soft), always the same for an id. */
export function swatch(id: number): string {
  // Ids rise with time, so they are mixed before the remainder is taken.
  const mixed = Math.imul((id % 4294967296) ^ Math.floor(id / 65536), 2654435761) >>> 0;
  const n = (mixed >>> 8) % 10;
  return `${SWATCHES[n % 5] ?? "blue"}${n < 5 ? "" : "-soft"}`;
}

/** Returns at most two graphemes: the first of the first word and of the last word. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words;
  return picked
    .map((word) => graphemes(word ?? "")[0] ?? "")
    .join("")
    .toUpperCase();
}
