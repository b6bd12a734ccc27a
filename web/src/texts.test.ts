// The texts of Mellow: each is said, the list for translators has all of them, and each language says them well-formed.
//
// `UPDATE=1 npx vitest run src/texts.test.ts` writes the list, languages/en.json, again.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { OWN } from "./features/shared/language/names";
import { Sources, type Text } from "./testing/texts";

type Forms = Record<string, string>;
type Theme = { title: string; text: string };
type LanguageFile = {
  language: string;
  name: string;
  checked: { version: string; date: string }[];
  /** Only in the English file: what a translator must know about a text. */
  advice?: Record<string, string>;
  words: Record<string, string | Forms>;
  refusals: Record<string, string | Forms>;
  themes: Record<string, Theme>;
};

/** Literals that look like texts, but are selectors, names of the browser, keys, or ids. */
const NO_TEXTS = new Set([
  '[data-upload="…"] textarea',
  '[data-place="…"] button',
  "main h1",
  "main, nav, header",
  "form textarea",
  "main input[type=search]",
  "main article[data-post]",
  "nofollow ugc noopener noreferrer",
  "button, input",
  "main h1[tabindex], main",
  '1em "Figtree Variable"',
  "username webauthn",
  "Escape",
  "Tab",
  "End",
  "Files",
  "Segmenter",
  "Mellow",
  "Mastodon",
  "option …",
]);
/** Names of languages in themselves, and the forms of English dates. */
const NO_TEXT_FILES = ["src/features/shared/language/names.ts", "src/ui/relative.ts"];

const read = (tag: string): LanguageFile =>
  JSON.parse(readFileSync(`languages/${tag}.json`, "utf8")) as LanguageFile;

const texts = new Sources();
const all = texts.texts();

/** Returns the English words by key, sorted: a text, or the forms of a text with a number. */
function english(found: readonly Text[]): LanguageFile["words"] {
  const words: LanguageFile["words"] = {};
  for (const { key, form } of found.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
    words[key] = form === undefined ? key.replace(/^[a-z]+\|/u, "") : { one: form, other: key };
  return words;
}

/** Returns the sentences of refusals from the table of the protocol, which a test of the server keeps complete. */
function refusals(): Record<string, string> {
  const protocol = readFileSync("../docs/protocol.md", "utf8");
  const table = /\n### Sentences\n([\s\S]*?)\n##/u.exec(protocol)?.[1] ?? "";
  return Object.fromEntries(
    [...table.matchAll(/^\| `([a-z_]+)` \|[^|]*\| (?!`message`)(.+) \|$/gmu)].map(
      ([, why = "", text = ""]) => [why, text],
    ),
  );
}

/** Returns the built-in themes by their numbers. */
function themes(): Record<string, Theme> {
  const file = readFileSync("../src/features/theme/themes.txt", "utf8").replaceAll(/^\/\/.*\n/gmu, "");
  const blocks = file.split(/\n{2,}/u).map((block) => block.trim().split("\n"));
  return Object.fromEntries(
    blocks
      .filter((lines) => lines.length > 2)
      .map(([title = "", _tag, ...text], at) => [String(at + 1), { title, text: text.join(" ") }]),
  );
}

/** Returns the names between braces, sorted. */
const namesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => name))].sort();

test("each text is said", () => {
  const said = new Set(all.flatMap(({ key, form }) => [key.replace(/^[a-z]+\|/u, ""), form ?? ""]));
  const strays = texts
    .strays(said)
    .filter(
      ({ path, text }) =>
        !NO_TEXT_FILES.includes(path) && !NO_TEXTS.has(text) && !/^(?:…(?:px|rem) ?)+$/u.test(text),
    )
    .map(({ path, line, text }) => `${path}:${String(line)} ${text}`);
  expect(strays).toEqual([]);
});

test("one text has either a number or none", () => {
  const withNumber = new Set(all.filter(({ form }) => form !== undefined).map(({ key }) => key));
  expect(all.filter(({ key, form }) => form === undefined && withNumber.has(key))).toEqual([]);
});

test("the list for translators has every text and no other", () => {
  const held = read("en");
  const now: LanguageFile = {
    language: "en",
    name: "English",
    checked: held.checked,
    advice: held.advice ?? {},
    words: english(all),
    refusals: refusals(),
    themes: themes(),
  };
  if (process.env["UPDATE"] === "1") writeFileSync("languages/en.json", `${JSON.stringify(now, null, 2)}\n`);
  expect(Object.keys(now.words).length).toBeGreaterThan(600);
  expect(Object.keys(now.refusals).length).toBeGreaterThan(60);
  expect(Object.keys(now.themes).length).toBe(60);
  expect(read("en")).toEqual(now);
  const known = { ...now.words, ...now.refusals };
  expect(Object.keys(now.advice ?? {}).filter((key) => !(key in known))).toEqual([]);
});

describe.each(Object.keys(OWN).filter((tag) => tag !== "en"))("the language %s", (tag) => {
  const source = read("en");
  const forms = (rule: Intl.PluralRules): string[] =>
    [...new Set(["other", ...Array.from({ length: 1_001 }, (_, n) => rule.select(n))])].sort();
  const needed = forms(new Intl.PluralRules(tag));

  test("has its own name, and says only texts that Mellow has", () => {
    const file = read(tag);
    expect([file.language, file.name]).toEqual([tag, OWN[tag as keyof typeof OWN]]);
    for (const part of ["words", "refusals", "themes"] as const)
      expect(Object.keys(file[part]).filter((key) => !(key in source[part]))).toEqual([]);
  });

  test("has the values and the plural forms of each text, and no markup", () => {
    const file = read(tag);
    const wrong: string[] = [];
    for (const part of ["words", "refusals"] as const)
      for (const [key, text] of Object.entries(file[part])) {
        const from = source[part][key];
        if (from === undefined) continue;
        const names = namesIn(typeof from === "string" ? from : (from["other"] ?? ""));
        // The forms of a text may leave the number out: "one vote".
        const free = typeof text === "string" ? [] : ["n", "max", "min"];
        const said = typeof text === "string" ? { other: text } : text;
        if (typeof from !== "string" && typeof text === "string") wrong.push(`${key}: needs forms`);
        if (typeof text !== "string" && Object.keys(text).sort().join() !== needed.join())
          wrong.push(`${key}: forms ${Object.keys(text).join()}, not ${needed.join()}`);
        for (const one of Object.values(said)) {
          const own = namesIn(one);
          if (
            own.some((name) => !names.includes(name)) ||
            names.some((name) => !own.includes(name) && !free.includes(name))
          )
            wrong.push(`${key}: values ${own.join()} in: ${one}`);
          if (/[<>]|\{[^}]*$|\{\W|^\s|\s$/u.test(one) || one === "")
            wrong.push(`${key}: not well-formed: ${one}`);
          if (one.length > 1_000) wrong.push(`${key}: longer than 1,000 characters`);
        }
      }
    expect(wrong).toEqual([]);
  });

  test("is complete to 98 of 100 texts", () => {
    const file = read(tag);
    const missing = (["words", "refusals", "themes"] as const).flatMap((part) =>
      Object.keys(source[part]).filter((key) => !(key in file[part])),
    );
    const total = Object.keys({ ...source.words, ...source.refusals, ...source.themes }).length;
    if (missing.length > 0) process.stdout.write(`${tag} lacks: ${missing.join(" | ")}\n`);
    expect(missing.length).toBeLessThan(total * 0.02);
  });
});

test("every file in the folder is a language that can be chosen", () => {
  const tags = readdirSync("languages")
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.replace(/\.json$/u, ""));
  expect(tags.sort()).toEqual(Object.keys(OWN).sort());
});
