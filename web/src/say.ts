// Says Mellow's own texts in the language of the page. The English text in the code is the key of its translation; a
// text that has none is shown in English. So English needs no file.
//
// A text is said while it is drawn or when something happens, never when a module loads: the language may change later.
// Values are put into texts, never into HTML. What people write is not said.

import { useSyncExternalStore } from "react";
import type { Refusal } from "./engine/types.gen";

/** The names between braces: `"name" | "group"` for `{name} joined {group}`. */
export type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
/** The values for these names; nothing if there are no names. */
type Values<N extends string> = [N] extends [never] ? [] : [values: Readonly<Record<N, string | number>>];
/** A text that is known when the app is compiled, so that its names are known too. */
export type Known<T extends string> = T & (string extends T ? never : T);

/** How another language than English speaks (otherLanguage.ts). What it does not know is undefined. */
export type Speech = {
  /** The tag of the language. */
  tag: string;
  /** The tag with the reader's region. */
  locale: string;
  text(key: string): string | undefined;
  /** A text with a number, in the form for this number. */
  form(key: string, n: number): string | undefined;
  refusal(refusal: Refusal): string | undefined;
  number(n: number): string;
  /** The age of something, inside a sentence: `3 hours ago`. */
  ago(n: number, unit: "minute" | "hour" | "day", isShort: boolean): string;
  weekday(ms: number): string;
  date(ms: number): string;
  /** A date with the time. */
  moment(ms: number): string;
};

let speech: Speech | null = null;
const watchers = new Set<() => void>();

/** Shows the page in a language from now on; null: in English. A text that it does not know stays English. */
export function setSpeech(next: Speech | null): void {
  speech = next;
  for (const watch of watchers) watch();
}

/** Returns how the page speaks; null in English. */
export const speechNow = (): Speech | null => speech;

/** Returns the language of the page as a tag, such as `en` or `pt-BR`. */
export const languageNow = (): string => speech?.tag ?? "en";

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
  return filled(speech?.text(`${context}|${text}`) ?? text, values);
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
  return filled(speech?.form(more, n) ?? (n === 1 ? one : more), { n, ...values });
}

/** Says why the server refused something: by the name of its sentence, else by its code, else in English. */
export function sayRefusal(refusal: Refusal): string {
  const text = speech?.refusal(refusal);
  if (text === undefined) return refusal.message;
  const said = filled(text, refusal.values);
  // The sentence of a code may have a value that this one does not have.
  return said.includes("{") ? refusal.message : said;
}

/** Returns the translation of a text, with its names between braces. */
export const translated = (text: string): string => speech?.text(text) ?? text;

/** Returns the language with the reader's region, which decides digits, dates and order. English has none. */
export const locale = (): string => speech?.locale ?? "en";

/** Returns whether the page is written from right to left. */
export const isRtl = (): boolean => document.documentElement.dir === "rtl";

/** Returns a number as text. English numbers have no separators. */
export const numberText = (n: number): string => speech?.number(n) ?? String(n);

function filled(text: string, values: Readonly<Record<string, string | number>> | undefined): string {
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/gu, (whole, name: string) => {
    const value = values[name];
    if (typeof value === "number") return numberText(value);
    // A name may be written in the other direction than the text around it, so it is kept apart by two signs.
    return isRtl() && value !== undefined ? `\u2068${value}\u2069` : (value ?? whole);
  });
}
