// Mellow uses nothing that the oldest browsers lack (build/floor.ts), and each older browser lacks something that
// theme/early.js asks for. The facts are from MDN's compatibility data.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import bcd from "@mdn/browser-compat-data" with { type: "json" };
import type { CompatStatement, Identifier } from "@mdn/browser-compat-data";
import { describe, expect, test } from "vitest";
import { FLOOR, FLOOR_WORDS } from "../build/floor.ts";

const SRC = import.meta.dirname;

/** The floor by the names of the data. Browsers on phones have the numbers of their engines. */
const OLDEST = {
  ...FLOOR,
  chrome_android: FLOOR.chrome,
  firefox_android: FLOOR.firefox,
  safari_ios: FLOOR.safari,
} as const;
type Browser = keyof typeof OLDEST;
const BROWSERS = Object.keys(OLDEST) as Browser[];

/** What some of the oldest browsers lack, and why Mellow works without it. */
const OPTIONAL: Record<string, string> = {
  // Styles that only refine.
  "text-wrap: pretty": "lines break as usual",
  "text-size-adjust": "browsers that need it know it with their prefix",
  "line-clamp": "browsers know it with a prefix",
  "user-select": "Safari knows it with its prefix, which stands beside it",
  "field-sizing": "the height is set in another way",
  "field-sizing: content": "the height is set in another way",
  "overscroll-behavior": "the page behind may scroll too",
  "overscroll-behavior-x": "a swipe at the end of a row may go back",
  "content-visibility": "more is laid out",
  "content-visibility: auto": "more is laid out",
  "overflow-anchor": "Safari had no anchoring",
  "overflow-anchor: none": "Safari had no anchoring",
  "scrollbar-gutter": "the page is as wide without it, because it always has a bar",
  "scrollbar-gutter: stable": "the page is as wide without it, because it always has a bar",
  "scrollbar-width": "the bar is wider",
  "scrollbar-width: none": "the bar is seen",
  "scrollbar-width: thin": "the bar is wider",
  "text-align: match-parent": "Chromium has it with its prefix, which stands beside it",
  "word-break: auto-phrase": "Japanese breaks between any two characters, as it did",
  "forced-color-adjust": "only Windows has forced colours",
  "forced-color-adjust: none": "only Windows has forced colours",
  "accent-color": "checkboxes have the colour of the browser",
  resize: "boxes cannot be resized by hand",
  "resize: none": "boxes cannot be resized by hand",
  "resize: vertical": "boxes cannot be resized by hand",
  "cursor: zoom-in": "the pointer looks as usual",
  "cursor: pointer": "phones have no pointer",
  "cursor: default": "phones have no pointer",
  ":selection": "selected text has the colours of the browser",
  "round()": "inside @supports",
  // Scripts that ask first.
  CloseWatcher: "asked for with `in`",
  address: "a name of Mellow's own",
};

const versionOf = (compat: CompatStatement, browser: Browser): number => {
  const [first] = [compat.support[browser] ?? []]
    .flat()
    .filter(
      (one) => one.flags === undefined && one.prefix === undefined && one.alternative_name === undefined,
    );
  const added = first?.version_added;
  if (typeof added !== "string" || added === "preview") return Infinity;
  return parseFloat(added.replace("≤", ""));
};

const lackedBy = (compat: CompatStatement): Browser[] =>
  BROWSERS.filter((browser) => versionOf(compat, browser) > parseFloat(OLDEST[browser]));

function filesIn(folder: string, end: RegExp): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === "testing" ? [] : filesIn(path, end);
    return end.test(name) && !/\.test\.|\.d\.ts$|\.gen\./u.test(name) ? [path] : [];
  });
}

/** Returns the features below a node of the data, so many levels deep. */
function featuresOf(node: Identifier, deep: number): [string, CompatStatement][] {
  return Object.entries(node).flatMap(([name, child]) => {
    if (name === "__compat" || deep === 0) return [];
    const own: Identifier = child as Identifier;
    const inner = featuresOf(own, deep - 1);
    return own.__compat === undefined ? inner : [[name, own.__compat] as [string, CompatStatement], ...inner];
  });
}

describe("the oldest browsers", () => {
  test("know every style that Mellow uses, or look right without it", () => {
    const { properties, selectors, types, "at-rules": rules } = bcd.css;
    if (properties === undefined || types === undefined) throw new Error("no data");
    const functions = featuresOf(types, 5);
    const lacking = new Map<string, string>();
    for (const file of filesIn(SRC, /\.css$/u)) {
      const css = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//gu, "");
      const use = (name: string, compat: CompatStatement | undefined): void => {
        const browsers = compat === undefined ? [] : lackedBy(compat);
        // What has a prefix is for one engine alone.
        if (browsers.length > 0 && OPTIONAL[name] === undefined && !name.includes("-webkit-"))
          lacking.set(name, `${browsers.join(", ")} (${file.slice(SRC.length)})`);
      };
      for (const [, name = "", value = ""] of css.matchAll(/(?:^|[;{\s])([a-z-]+)\s*:\s*([^;{}]+);/gu)) {
        use(name, properties[name]?.__compat);
        for (const [word] of value.replace(/\([^)]*\)/gu, "").matchAll(/[a-z][a-z-]*/gu))
          use(`${name}: ${word}`, properties[name]?.[word]?.__compat);
      }
      for (const [, name = ""] of css.matchAll(/([a-z-]+)\(/gu)) {
        // A name may be a function of several types. One that knows it is enough.
        const all = functions.flatMap(([known, compat]) => (known === name ? [compat] : []));
        if (all.length > 0 && all.every((compat) => lackedBy(compat).length > 0)) use(`${name}()`, all[0]);
      }
      for (const [, name = ""] of css.matchAll(/[^:]::?([a-z-]+)/gu))
        use(`:${name}`, selectors?.[name]?.__compat);
      for (const [, name = ""] of css.matchAll(/@([a-z-]+)/gu)) use(`@${name}`, rules?.[name]?.__compat);
    }
    expect(Object.fromEntries(lacking)).toEqual({});
  });

  test("know every interface that scripts use, or Mellow asks first", () => {
    // The newest support of a name in any interface counts, because the type of an object is not known here.
    const known = new Map<string, CompatStatement[]>();
    const add = (name: string, compat: CompatStatement): void => {
      known.set(name, [...(known.get(name) ?? []), compat]);
    };
    for (const [name, compat] of [...featuresOf(bcd.api, 2), ...featuresOf(bcd.javascript.builtins ?? {}, 4)])
      add(name.replace(/_(?:static|event)$/u, ""), compat);
    const files = filesIn(SRC, /\.(?:tsx?|js)$/u);
    const code = new Map(
      files.map((file) => [file, readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, "")]),
    );
    // Names that Mellow itself gives to something are no evidence.
    const own = new Set(
      [...code.values()].flatMap((text) =>
        [
          ...text.matchAll(/\b(?:const|let|var|function|class|type|import) (\w+)/gu),
          ...text.matchAll(/(?<![.\w"'])(\w+)\??(?=\s*[:,}=)(])/gu),
          ...text.matchAll(/["']([\w-]+)["']/gu),
        ].map(([, name = ""]) => name),
      ),
    );
    const lacking = new Map<string, string>();
    for (const [file, text] of code)
      for (const [, name = ""] of text.matchAll(
        /(?:(?<!\b(?:css|styles|style)|=")\.|\bnew |\btypeof )(\w+)/gu,
      )) {
        const all = known.get(name) ?? [];
        if (all.length === 0 || OPTIONAL[name] !== undefined) continue;
        if (own.has(name) && !new RegExp(`\\bnew ${name}\\b`, "u").test(text)) continue;
        const lacked = BROWSERS.filter((browser) =>
          all.every((compat) => versionOf(compat, browser) > parseFloat(OLDEST[browser])),
        );
        if (lacked.length > 0) lacking.set(name, `${lacked.join(", ")} (${file.slice(SRC.length)})`);
      }
    expect(Object.fromEntries(lacking)).toEqual({});
  });
});

describe("an older browser", () => {
  const early = readFileSync(join(SRC, "theme/early.js"), "utf8");
  const ofStrings = bcd.javascript.builtins?.["String"]?.["toWellFormed"]?.__compat;
  const ofColors = bcd.css.types?.["color"]?.["light-dark"]?.__compat;
  const ofLetters = bcd.javascript.builtins?.["Intl"]?.["Segmenter"]?.__compat;
  const asked = [ofStrings, ofColors, ofLetters].filter((compat) => compat !== undefined);

  test("lacks something that is asked for before any module runs", () => {
    for (const words of ["String.prototype.toWellFormed", "light-dark(", "Intl.Segmenter"])
      expect(early).toContain(words);
    expect(asked).toHaveLength(3);
    const newest = BROWSERS.map((browser) => [
      browser,
      Math.max(...asked.map((compat) => versionOf(compat, browser))),
    ]);
    const floor = BROWSERS.map((browser) => [browser, parseFloat(OLDEST[browser])]);
    expect(newest).toEqual(floor);
  });

  test("can read the script that says so", () => {
    const code = early.replace(/\/\/.*$/gmu, "");
    expect(code).not.toMatch(/=>|`|\b(?:const|let|class|of|async|await)\b|\?\.|\?\?|\.\.\.|catch \{|\*\*/u);
    // The formatter puts a comma after the last argument if a call has several lines.
    expect(code).not.toMatch(/,\s*\)/u);
  });

  test("is named in the README", () => {
    expect(readFileSync(resolve(SRC, "../../README.md"), "utf8").replace(/\s+/gu, " ")).toContain(
      FLOOR_WORDS,
    );
  });
});
