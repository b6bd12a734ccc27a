// How text is measured before it is sent, by the server's own rules.

/** Trimmed, line ends alike, and never more than two blank lines in a row. */
export function tidyText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .trim()
    .replace(/\n{4,}/g, "\n\n\n");
}

/** A line of text: trimmed. */
export function tidyLine(text: string): string {
  return text.trim();
}

/** A tag as it will be shown: no leading `#`, single spaces. */
export function tidyTag(text: string): string {
  return text.trim().replace(/^#/, "").normalize("NFC").replace(/\s+/g, " ").trim();
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
