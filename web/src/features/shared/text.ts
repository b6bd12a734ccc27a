// How text is measured before it is sent, by the server's own rules.

/** A block: NFC, without control characters, line ends alike and trimmed, at most two blank lines in a row. */
export function tidyText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .normalize("NFC")
    .replace(/^\p{White_Space}+|[^\P{White_Space}\n]+(?=\n)|\p{White_Space}+$/gu, "")
    .replace(/\n{4,}/g, "\n\n\n");
}

/** A line: NFC, without control characters, single spaces, trimmed. */
export function tidyLine(text: string): string {
  return text
    .replace(/\p{White_Space}/gu, " ")
    .replace(/\p{Cc}/gu, "")
    .normalize("NFC")
    .replace(/ +/g, " ")
    .replace(/^ | $/g, "");
}

/** Whether no character of it can be seen. */
export function isBlank(text: string): boolean {
  // The last four have an empty shape, and Unicode has no property for that.
  return !/[^\p{Z}\p{M}\p{Cc}\p{Cf}\p{DI}\u{2800}\u{1D159}\u{13441}\u{13442}]/u.test(text);
}

/** A tag as it will be shown: a line without leading `#`. */
export function tidyTag(text: string): string {
  return tidyLine(text).replace(/^[# ]+/, "");
}

/** Code points, which is what every limit counts. */
export function countOf(text: string): number {
  return [...text].length;
}

/** `1 comment`, `3 comments`. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** At most `max` code points, ending in an ellipsis when something was left out. */
export function shorten(text: string, max: number): string {
  const points = [...text];
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}
