let segmenter: Intl.Segmenter | undefined;

/** Returns the grapheme clusters of a text: what people see as one letter or one emoji. */
export function graphemes(text: string): string[] {
  // An older browser cannot find them, so code points take their place.
  if (!("Segmenter" in Intl)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
