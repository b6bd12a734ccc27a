// An error that is handled by doing nothing is a decision. It needs a comment that says why nothing is lost.

import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

/** A handler that drops the error: a `catch` block without a statement or with a bare value, or `() => undefined`. */
const SILENT = [
  /\bcatch(?: \(\w+\))? \{\s*(?:\/\/[^\n]*\n\s*)*(?:return(?: (?:null|false|true|\[\]|\{\}|""|[a-z]+))?;\s*)?\}/gu,
  /\.catch\(\(\) => (?:undefined|null|\{\})\)/gu,
  /\.then\([^;]*?\(\) => (?:undefined|null|\[\]|\{\}),?\s*\)/gu,
];
const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/u.test(path) && !/\.test\.tsx?$/u.test(path) && !path.startsWith("testing"),
);

/** Returns whether the statement around these lines, or the line above it, has a comment. */
function isExplained(lines: readonly string[], first: number, last: number): boolean {
  if (lines.slice(first, last + 1).some((line) => line.includes("// "))) return true;
  const above = lines[first - 1]?.trim() ?? "";
  return above.startsWith("//") || above.endsWith("*/");
}

test("an error is dropped only with a comment that says why", () => {
  const unexplained = files.flatMap((path) => {
    const text = readFileSync(`src/${path}`, "utf8");
    const lines = text.split("\n");
    return SILENT.flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap((match) => {
        const lineOf = (at: number): number => text.slice(0, at).split("\n").length - 1;
        const [first, last] = [lineOf(match.index), lineOf(match.index + match[0].length)];
        return isExplained(lines, first, last)
          ? []
          : [`${path}:${String(first + 1)} ${lines[first]?.trim()}`];
      }),
    );
  });
  expect(unexplained).toEqual([]);
});

/** A request that failed, shown with one sentence for all reasons. The clipboard gives no reason. */
const ONE_FOR_ALL = /\bcatch \{\s*(?:\/\/[^\n]*\n\s*)*toast\((?:[^;]*?)error: true \}\);/gu;

test("a message of failure has the server's own sentence, where it has one that helps", () => {
  const hidden = files.flatMap((path) => {
    const text = readFileSync(`src/${path}`, "utf8");
    return [...text.matchAll(ONE_FOR_ALL)]
      .filter(
        (match) => !text.slice(0, match.index).trimEnd().split("\n").slice(-3).join().includes("clipboard"),
      )
      .map((match) => `${path}: ${match[0]}`);
  });
  expect(hidden).toEqual([]);
});
