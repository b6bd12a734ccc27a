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

  test("writes days in one place, which knows when the year is needed", () => {
    expect(found(/\bmonth: "|toLocaleDateString/gu, ["ui/relative.ts"])).toEqual([]);
  });
});
