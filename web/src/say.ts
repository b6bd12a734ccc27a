// Says Mellow's own texts in the language of the page. The English text in the code is the key of its translation; a
// text that has none is shown in English. So English needs no file, and costs nothing.
//
// A text is said while it is drawn or when something happens, never when a module loads: the language may change later.
// Values are put into texts, never into HTML. What people write is not said.

import { useSyncExternalStore } from "react";

/** The forms of a text with a number, by the plural rules of its language. `other` is always there. */
type Forms = { readonly [form in Intl.LDMLPluralRule]?: string };
/** The texts of a language by the English text, or by `context|English text`. */
export type Words = Readonly<Record<string, string | Forms>>;

/** The names between braces: `"name" | "group"` for `{name} joined {group}`. */
export type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
/** The values for these names; nothing if there are no names. */
type Values<N extends string> = [N] extends [never] ? [] : [values: Readonly<Record<N, string | number>>];
/** A text that is known when the app is compiled, so that its names are known too. */
export type Known<T extends string> = T & (string extends T ? never : T);

let language = "en";
let words: Words = {};
let plurals = new Intl.PluralRules(language);
const watchers = new Set<() => void>();

/** Shows the page in this language from now on. An unknown text stays English. */
export function setLanguage(tag: string, said: Words): void {
  language = tag;
  words = said;
  plurals = new Intl.PluralRules(tag);
  for (const watch of watchers) watch();
}

/** Returns the language of the page as a tag, such as `en` or `pt-BR`. */
export const languageNow = (): string => language;

/** Draws a component anew when the language changes. The whole page has it, and so has each part that is memoised. */
export const useLanguage = (): string => useSyncExternalStore(watchLanguage, languageNow);

function watchLanguage(watch: () => void): () => void {
  watchers.add(watch);
  return () => watchers.delete(watch);
}

/** Says a text with its values: `say("Voters for {option}", { option })`. */
export function say<const T extends string>(text: Known<T>, ...[values]: Values<Names<T>>): string {
  return filled(translated(text), values);
}

/** Says a text that has different meanings in English: `sayAs("publish", "Share Post")`. */
export function sayAs<const T extends string>(
  context: string,
  text: Known<T>,
  ...[values]: Values<Names<T>>
): string {
  const found = words[`${context}|${text}`];
  return filled(typeof found === "string" ? found : text, values);
}

/**
 * Says a text with a number in it, `{n}`: `many(votes, "{n} vote", "{n} votes")`. English has two forms. The second one
 * is the key of the translation, which has the forms of its language.
 */
export function many<const One extends string, const More extends string>(
  n: number,
  one: Known<One>,
  more: Known<More>,
  ...[values]: Values<Exclude<Names<One> | Names<More>, "n">>
): string {
  const forms = words[more];
  const text =
    typeof forms === "object" ? (forms[plurals.select(n)] ?? forms.other ?? more) : n === 1 ? one : more;
  return filled(text, { n, ...values });
}

/** Returns the translation of a text, with its names between braces. */
export function translated(text: string): string {
  const found = words[text];
  return typeof found === "string" ? found : text;
}

/** Returns a number as text. English numbers have no separators. */
export const numberText = (n: number): string =>
  language === "en" ? String(n) : new Intl.NumberFormat(language).format(n);

function filled(text: string, values: Readonly<Record<string, string | number>> | undefined): string {
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/gu, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numberText(value) : (value ?? whole);
  });
}
