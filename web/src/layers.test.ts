// The layers of the web app, read from the import lines: app -> features -> engine, features -> ui.
//
// No feature imports another: code that two need is in features/shared/<subject>. No files import each other
// in a circle. Type imports do not count, because the build removes them. Tests and src/testing may import
// anything.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^;"']*?["'](\.{1,2}\/[^"']+)["']/gu;
const TYPE = /(?:^|\n)\s*(?:import|export) type\b[^;]*;/gu;
const FETCH = /\bimport\(\s*["'](\.{1,2}\/[^"']+)["']\s*\)/gu;

const isTest = (path: string): boolean => /\.test\.tsx?$/u.test(path) || path.startsWith("testing/");

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.tsx?$/u.test(path) && !isTest(path));

/** Returns the path of an imported file, without its extension. */
const named = (path: string, from: string): string => normalize(join(dirname(path), from));

function imports(path: string, pattern: RegExp, ignored?: RegExp): string[] {
  const text = readFileSync(`src/${path}`, "utf8");
  return [...(ignored === undefined ? text : text.replaceAll(ignored, "")).matchAll(pattern)].map((match) =>
    named(path, match[1] ?? ""),
  );
}

/** Returns the layer of a file, such as `features/polls`, `features/shared` or `ui`. */
function layerOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "features" ? `features/${second}` : path.includes("/") ? first : "root";
}

/**
 * Returns whether a layer may import another. `text` has the texts of the shell, `say` says texts,
 * `languages` chooses the language, `storage` stores texts, `theme` has the style sheets.
 */
function mayImport(layer: string, other: string, path: string): boolean {
  if (
    layer === other ||
    ["text", "say", "languages", "otherLanguage", "storage"].includes(path) ||
    other === "theme"
  )
    return true;
  if (layer === "root") return true;
  if (layer === "app") return other === "engine" || other === "ui" || other.startsWith("features/");
  if (layer === "features/shared") return other === "engine" || other === "ui";
  if (layer.startsWith("features/"))
    return other === "engine" || other === "ui" || other === "features/shared";
  return false;
}

describe("the layers", () => {
  test("a file imports only what is below it", () => {
    const forbidden = files.flatMap((path) =>
      [...imports(path, IMPORT), ...imports(path, FETCH)]
        .filter((other) => !mayImport(layerOf(path), layerOf(other), other))
        .map((other) => `${path} imports ${other}`),
    );
    expect(forbidden).toEqual([]);
  });

  test("nothing but tests imports the test fixtures", () => {
    const users = files.filter((path) =>
      [...imports(path, IMPORT), ...imports(path, FETCH)].some((other) => other.startsWith("testing/")),
    );
    expect(users).toEqual([]);
  });

  test("no files import each other in a circle", () => {
    const byName = new Map(files.map((path) => [path.replace(/\.tsx?$/u, ""), path]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(" -> "));
      if (done.has(path) || above.includes(path)) return;
      for (const other of imports(path, IMPORT, TYPE)) {
        const target = byName.get(other);
        if (target !== undefined) visit(target, [...above, path]);
      }
      done.add(path);
    };
    for (const path of files) visit(path, []);
    expect(circles).toEqual([]);
  });
});
