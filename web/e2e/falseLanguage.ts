// Two false languages, made from the list of texts. No letter is one of the English alphabet, so a text that was not
// said is found by its letters, and each text is longer, so that there is no room for it by chance. What the browser
// says itself, such as dates, is in Ukrainian and in Arabic.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Forms = Record<string, string>;
type LanguageFile = {
  words: Record<string, string | Forms>;
  refusals: Record<string, string>;
  themes: Record<string, { title: string; text: string }>;
};

const english = JSON.parse(readFileSync("languages/en.json", "utf8")) as LanguageFile;
const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const MARKED = "åƀçđéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇĐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ";
const FORMS = ["zero", "one", "two", "few", "many", "other"];

/** Long words with marks, from left to right, and the same from right to left. */
export const LONG = "uk-XA";
export const MIRRORED = "ar-XB";

/** Returns a text in the false languages: other letters, and two fifths longer. What is between braces stays. */
export function falsely(text: string): string {
  const letters = text.replaceAll(/\{\w+\}|[a-z]/giu, (one) => {
    const at = one.length === 1 ? [...PLAIN].indexOf(one) : -1;
    return at < 0 ? one : ([...MARKED][at] ?? one);
  });
  const more = Math.ceil(text.replaceAll(/\{\w+\}/gu, "").length * 0.4);
  return letters + " ûñé".repeat(Math.ceil(more / 4)).slice(0, Math.max(more, 1));
}

/** Puts both files into the folder of languages of a host. */
export function writeFalseLanguages(data: string): void {
  mkdirSync(join(data, "languages"), { recursive: true });
  const map = <T, U>(all: Record<string, T>, how: (one: T) => U): Record<string, U> =>
    Object.fromEntries(Object.entries(all).map(([key, one]) => [key, how(one)]));
  for (const [language, name] of [
    [LONG, falsely("Long")],
    [MIRRORED, falsely("Mirrored")],
  ] as const) {
    const forms = (text: Forms): Forms =>
      Object.fromEntries(FORMS.map((form) => [form, falsely(text["other"] ?? "")]));
    const file = {
      language,
      name,
      checked: [],
      words: map(english.words, (text) => (typeof text === "string" ? falsely(text) : forms(text))),
      refusals: map(english.refusals, falsely),
      themes: map(english.themes, ({ title, text }) => ({ title: falsely(title), text: falsely(text) })),
    };
    writeFileSync(join(data, "languages", `${language}.json`), JSON.stringify(file));
  }
}
