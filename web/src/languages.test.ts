import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  chooseLanguage,
  chosenBy,
  chosenLanguage,
  isLanguageHere,
  keepChoice,
  startLanguage,
} from "./languages";
import { languages } from "./features/shared/language/names";
import { languageNow, say } from "./say";

type File = { checked: unknown[]; words: Record<string, string> };
const FILES: Record<string, File> = {
  de: { checked: [], words: { Home: "Start" } },
  ar: { checked: [], words: { Home: "الرئيسية" } },
};
/** Answers each request for a file; a file that is held back waits for `come`. */
let heldBack: Record<string, () => void> = {};

beforeEach(() => {
  heldBack = {};
  vi.stubGlobal("fetch", (path: string) => {
    const tag = /\/languages\/(.*)\.json/u.exec(path)?.[1] ?? "";
    const file = FILES[tag];
    const response = file === undefined ? new Response("", { status: 404 }) : Response.json(file);
    if (!(`hold ${tag}` in heldBack)) return Promise.resolve(response);
    return new Promise((resolve) => {
      heldBack[tag] = () => resolve(response);
    });
  });
});

afterEach(async () => {
  keepChoice("account", null);
  keepChoice("device", null);
  await chooseLanguage("device", "en");
  keepChoice("device", null);
  vi.unstubAllGlobals();
});

const { documentElement: root } = document;

describe("the language of the page", () => {
  test("is offered with English and Mellow's own languages first", () => {
    expect(Object.keys(languages).slice(0, 3)).toEqual(["en", "de", "es"]);
  });

  test("is the one chosen on this device, from right to left if it is written so", async () => {
    expect(await chooseLanguage("device", "ar")).toBe(true);
    expect([languageNow(), root.lang, root.dir, say("Home")]).toEqual(["ar", "ar", "rtl", "الرئيسية"]);
    expect(await chooseLanguage("device", "en")).toBe(true);
    expect([root.lang, root.dir, say("Home")]).toEqual(["en", "ltr", "Home"]);
  });

  test("is the account's before the device's, and the device's again when that goes", async () => {
    await chooseLanguage("device", "de");
    await chooseLanguage("account", "ar");
    expect([languageNow(), chosenLanguage()]).toEqual(["ar", "ar"]);
    await chooseLanguage("account", null);
    expect([languageNow(), chosenLanguage(), chosenBy("account")]).toEqual(["de", "de", null]);
    await chooseLanguage("device", null);
    expect(languageNow()).toBe("en");
  });

  test("stays, and so does the choice, if its file is not there", async () => {
    await chooseLanguage("device", "de");
    await expect(chooseLanguage("device", "xx")).rejects.toThrow();
    expect([languageNow(), root.lang, chosenBy("device")]).toEqual(["de", "de", "de"]);
    expect(isLanguageHere()).toBe(false);
  });

  test("is that of the last choice, whatever file comes first", async () => {
    heldBack = { "hold de": () => undefined };
    const first = chooseLanguage("device", "de");
    expect(await chooseLanguage("device", "ar")).toBe(true);
    heldBack["de"]?.();
    expect(await first).toBe(false);
    expect([languageNow(), chosenBy("device")]).toEqual(["ar", "ar"]);
  });

  test("is English in a page that starts without its file, and says so", async () => {
    keepChoice("device", "xx");
    root.lang = "xx";
    root.dir = "rtl";
    await startLanguage();
    expect([languageNow(), root.lang, root.dir, isLanguageHere()]).toEqual(["en", "en", "ltr", false]);
  });
});

test("the first paint knows the same languages from right to left", () => {
  const listIn = (path: string) => /\^\((?:\?:)?(ar\|[a-z|]+)\)/u.exec(readFileSync(path, "utf8"))?.[1];
  expect(listIn("src/theme/early.js")).toMatch(/^ar\|/u);
  expect(listIn("src/theme/early.js")).toBe(listIn("src/languages.ts"));
});
