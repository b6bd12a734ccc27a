import { speechOf, type Words } from "../otherLanguage";
import { setSpeech } from "../say";

/** Shows the page in a language with these words and refusals. */
export function setLanguage(tag: string, words: Words, refusals: Words = {}): void {
  setSpeech(tag === "en" ? null : speechOf(tag, { words, refusals }));
}
