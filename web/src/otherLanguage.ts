// What other languages than English need: their files, plural forms, numbers and dates. Only their readers load it.

import type { Refusal } from "./engine/types.gen";
import type { Speech } from "./say";

/** The forms of a text with a number, by the plural rules of its language. `other` is always there. */
type Forms = { readonly [form in Intl.LDMLPluralRule]?: string };
/** The texts of a language by the English text, or by `context|English text`. */
export type Words = Readonly<Record<string, string | Forms>>;

/** A file of `/languages/`. `checked` says who has read it, and is empty if no native speaker has. */
export type LanguageFile = {
  checked: readonly unknown[];
  words: Words;
  /** The sentences of refusals by their `why`. */
  refusals?: Words;
  /** The built-in themes by their numbers. */
  themes?: Readonly<Record<string, { title: string; text: string }>>;
};

/** The cache of the last file, for starts without a network. The service worker knows its name too. */
const KEPT = "mellow-language";

/** Fetches the file of a language. Fails if there is none. `keep` keeps it for starts without a network. */
export async function fetchLanguage(tag: string): Promise<{ file: LanguageFile; keep(): Promise<void> }> {
  const response = await fetch(`/languages/${tag}.json`);
  if (!response.ok) throw new Error(`the language ${tag} could not be fetched`);
  const copy = response.clone();
  return { file: (await response.json()) as LanguageFile, keep: () => keep(copy) };
}

async function keep(response: Response): Promise<void> {
  try {
    const cache = await caches.open(KEPT);
    await cache.put(response.url, response);
    for (const { url } of await cache.keys()) if (url !== response.url) await cache.delete(url);
  } catch {
    // The browser keeps nothing, so without a network the page is in English.
  }
}

/** Returns the tag with the region that the browser names, such as `ar-EG` for `ar`. */
function localeOf(tag: string): string {
  // Some browsers name what is no tag, such as `de-DE@euro`.
  const isOwn = (one: string): boolean => one.startsWith(`${tag}-`) && /^[\w-]+$/u.test(one);
  return navigator.languages.find(isOwn) ?? tag;
}

/** Returns how a language speaks. */
export function speechOf(
  tag: string,
  { words, refusals = {} }: Pick<LanguageFile, "words" | "refusals">,
): Speech {
  const locale = localeOf(tag);
  const plurals = new Intl.PluralRules(tag);
  const day = { day: "numeric", month: "short", year: "numeric" } as const;
  // To make a format takes longer than to use it a thousand times.
  const numbers = new Intl.NumberFormat(locale);
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const shortAgo = new Intl.RelativeTimeFormat(locale, { style: "narrow" });
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: "long" });
  const dates = new Intl.DateTimeFormat(locale, day);
  const moments = new Intl.DateTimeFormat(locale, { ...day, hour: "numeric", minute: "2-digit" });
  const textOf = (found: string | Forms | undefined): string | undefined =>
    typeof found === "string" ? found : undefined;
  const formOf = (found: string | Forms | undefined, n: number): string | undefined =>
    typeof found === "object" ? (found[plurals.select(n)] ?? found.other) : undefined;
  return {
    tag,
    locale,
    text: (key) => textOf(words[key]),
    form: (key, n) => formOf(words[key], n),
    refusal: ({ why, code, values }: Refusal) => {
      const found = refusals[why] ?? refusals[code];
      return textOf(found) ?? formOf(found, Number(values["n"] ?? values["max"] ?? values["min"]));
    },
    number: (n) => numbers.format(n),
    ago: (n, unit, isShort) => (isShort ? shortAgo : ago).format(-n, unit),
    weekday: (ms) => weekdays.format(ms),
    date: (ms) => dates.format(ms),
    moment: (ms) => moments.format(ms),
  };
}
