// Disabled buttons can be read and seen in both themes.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const tokens = readFileSync("src/theme/tokens.css", "utf8");
const styles = readFileSync("src/ui/Button.module.css", "utf8");

/** Returns the colour of a token in the light and in the dark theme. */
function colors(token: string): [string, string] {
  const found = new RegExp(`${token}: light-dark\\((#\\w+), (#\\w+)\\)`, "u").exec(tokens);
  return [found?.[1] ?? "", found?.[2] ?? ""];
}

/** Returns the token that a rule uses for a property. */
function tokenOf(selector: string, property: string): string {
  const rule = styles.slice(styles.indexOf(`${selector} {`)).split("}")[0] ?? "";
  return new RegExp(`\\b${property}: var\\((--[\\w-]+)\\)`, "u").exec(rule)?.[1] ?? "";
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("in the %s theme, a disabled button", (_theme, at) => {
  const disabled = '.button[aria-disabled="true"]';
  const color = (token: string) => colors(token)[at];

  test("can be read, and is seen on cards and on the page", () => {
    const [ground, text] = [color(tokenOf(disabled, "background")), color(tokenOf(disabled, "color"))];
    expect(contrast(text, ground)).toBeGreaterThanOrEqual(3);
    for (const below of ["--surface", "--bg"])
      expect(contrast(ground, color(below))).toBeGreaterThanOrEqual(1.3);
  });

  test("that looks like text can be read, and is weaker than one that can be pressed", () => {
    const text = color(tokenOf(".plain:disabled", "color"));
    const able = color(tokenOf(".plain", "color"));
    for (const below of ["--surface", "--bg"]) {
      expect(contrast(text, color(below))).toBeGreaterThanOrEqual(3);
      expect(contrast(text, color(below))).toBeLessThan(0.7 * contrast(able, color(below)));
    }
  });
});
