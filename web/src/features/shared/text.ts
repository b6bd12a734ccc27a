// Trims and counts text before it is sent, by the rules of the server.

import { graphemes } from "../../ui/graphemes";

/** Returns a text in NFC, without control characters, trimmed, with at most two blank lines in a row. */
export function tidyText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .normalize("NFC")
    .replace(/^\p{White_Space}+|[^\P{White_Space}\n]+(?=\n)|\p{White_Space}+$/gu, "")
    .replace(/\n{4,}/g, "\n\n\n");
}

/** Returns a line in NFC, without control characters, trimmed, with single spaces. */
export function tidyLine(text: string): string {
  return text
    .replace(/\p{White_Space}/gu, " ")
    .replace(/\p{Cc}/gu, "")
    .normalize("NFC")
    .replace(/ +/g, " ")
    .replace(/^ | $/g, "");
}

/** Returns whether a text has no visible character. */
export function isBlank(text: string): boolean {
  // The last four characters are invisible, and Unicode has no property for that.
  return !/[^\p{Z}\p{M}\p{Cc}\p{Cf}\p{DI}\u{2800}\u{1D159}\u{13441}\u{13442}]/u.test(text);
}

/** Returns a tag as it will be shown: a line without a leading `#`. */
export function tidyTag(text: string): string {
  return tidyLine(text).replace(/^[# ]+/, "");
}

/** Returns the number of code points, which every limit counts. */
export function countOf(text: string): number {
  return [...text].length;
}

/** Returns the case-folded form of a text, to compare whole texts, as the server does. */
export function folded(text: string): string {
  // Upper case comes first, so that ß and SS become equal.
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/**
 * Returns at most `max` code points, with an ellipsis at the end if the text is longer. The cut is between two
 * grapheme clusters, so that no letter loses its accent and no emoji becomes another one. If the first cluster
 * alone is longer, it is cut. The server has the same function.
 */
export function shorten(text: string, max: number): string {
  const points = [...text];
  if (points.length <= max) return text;
  let kept = "";
  let room = max - 1;
  for (const cluster of graphemes(text)) {
    room -= countOf(cluster);
    if (room < 0) break;
    kept += cluster;
  }
  if (kept === "") kept = points.slice(0, max - 1).join("");
  return `${kept.trimEnd()}…`;
}
