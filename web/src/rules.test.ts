// Rules about the source of the web app, each of which a reader would have to remember in many places.

import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.tsx?$/u.test(path) && !/\.test\.tsx?$/u.test(path) && !path.startsWith("testing/"))
  .map((path) => ({ path, text: readFileSync(`src/${path}`, "utf8") }));

/** Returns where a pattern is found outside the files that may have it. */
function found(pattern: RegExp, allowed: readonly string[]): string[] {
  return files.flatMap(({ path, text }) =>
    allowed.includes(path)
      ? []
      : [...text.matchAll(pattern)].map((match) => {
          const line = text.slice(0, match.index).split("\n").length;
          return `${path}:${String(line)} ${match[0].replaceAll(/\s+/gu, " ").trim()}`;
        }),
  );
}

describe("the source", () => {
  test("asks in one place whether a key composes a character", () => {
    expect(found(/\.isComposing\b|\.keyCode\b|\.which\b/gu, ["ui/composing.ts"])).toEqual([]);
  });

  test("puts text into fields in one place, so that the browser's own undo takes it back", () => {
    expect(found(/execCommand|setRangeText|\b(?!target)\w+\.value = /gu, ["ui/insertText.ts"])).toEqual([]);
  });

  test("writes dates and times in one place and one form", () => {
    expect(
      found(/\bmonth: "|\.toLocale(?:Date|Time)?String\(|DateTimeFormat\((?!\))|\.get(?:Month|Hours)\(/gu, [
        "ui/relative.ts",
        // The browser's own forms of other languages, which ui/relative.ts uses.
        "otherLanguage.ts",
        // Compares the names of time zones, and writes no time.
        "features/settings/QuietHours.tsx",
      ]),
    ).toEqual([]);
  });

  test("names a class in each selector of a part's styles, which are loaded beside all other parts", () => {
    const modules = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".module.css"),
    );
    expect(modules.length).toBeGreaterThan(30);
    const wide = modules.flatMap((path) => {
      const css = readFileSync(`src/${path}`, "utf8").replaceAll(/\/\*.*?\*\//gsu, "");
      return [...css.matchAll(/([^{};]+)\{/gu)]
        .map(([, selectors = ""]) => selectors.trim())
        .filter((selectors) => !/^(?:@|from$|to$|\d+%)/u.test(selectors))
        .flatMap((selectors) => selectors.split(/,\n/u))
        .filter((selector) => !/\.\w|:global\(/u.test(selector))
        .map((selector) => `${path}: ${selector.trim()}`);
    });
    expect(wide).toEqual([]);
  });

  test("draws every message of a failure with the component that announces it", () => {
    // Elsewhere the message is all that a region shows, so the region has the role.
    const ALERTS = ["ui/Note.tsx", "ui/InlineError.tsx", "app/Boundary.tsx"];
    expect(found(/role="alert"/gu, ALERTS)).toEqual([]);
    const drawn =
      /\{[^{}]*(?<![!"])\b(?:failed|failure|wrong|errors?|refused|refusals?|refusing|lost|hint|trouble)\b[^{}]*?(?:&&|\?)\s*\(?\s*<(?:p|span|strong|em|small)\b/giu;
    const NO_MESSAGES = [
      // What describes a field, a failure of last night's backup, and the picture that did not load.
      "ui/Field.tsx",
      "features/admin/Health.tsx",
      "features/pictures/Slide.tsx",
    ];
    expect(found(drawn, NO_MESSAGES)).toEqual([]);
    // The place of pictures that did not load says so, but many of them at once would talk over each other.
    const PLACES = ["features/pictures/Pictures.tsx"];
    expect(
      found(/<(?:p|span)\b[^>]*>\s*(?:Couldn't|Error |That didn't|[^<{]*[Tt]ry again\.)/gu, PLACES),
    ).toEqual([]);
  });
});
