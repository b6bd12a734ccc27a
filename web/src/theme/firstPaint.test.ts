// The page of the app shows its header and still blocks before any script of the app is here (index.html).

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { render } from "@testing-library/react";
import { createElement } from "react";
import { describe, expect, test } from "vitest";
import { StillBlocks } from "../ui/StillBlocks";

const page = readFileSync(resolve(import.meta.dirname, "../../index.html"), "utf8");
const tokens = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");
const style = /<style>([\s\S]*)<\/style>/u.exec(page)?.[1] ?? "";

type Token = { where: string; name: string; value: string };

/** Returns the tokens of a style sheet, each with the condition and the selector of its rule. */
function tokensOf(css: string): Token[] {
  const found: Token[] = [];
  const open: string[] = [];
  for (const [part] of css.replace(/\/\*[\s\S]*?\*\//gu, "").matchAll(/[^{};]+\{|[^{};]+;|\}/gu)) {
    const text = part.trim();
    if (text === "}") open.pop();
    else if (text.endsWith("{")) open.push(text.slice(0, -1).trim());
    else {
      const [, name, value = ""] = /^(--[\w-]+):([\s\S]+);$/u.exec(text) ?? [];
      const where = open.filter((rule) => !rule.startsWith("@layer")).join(" ");
      if (name !== undefined) found.push({ where, name, value: value.replace(/\s+/gu, " ").trim() });
    }
  }
  return found;
}

const serialize = (node: Node): string => new XMLSerializer().serializeToString(node);

describe("the page before the app", () => {
  test("has the values of the theme", () => {
    const theme = new Map(tokensOf(tokens).map(({ where, name, value }) => [`${where} ${name}`, value]));
    const radius = theme.get(":root --radius-card");
    const own = tokensOf(style).filter(({ name }) => [...theme.keys()].some((key) => key.endsWith(name)));
    expect(own.length).toBeGreaterThan(25);
    for (const { where, name, value } of own)
      expect([
        where,
        name,
        theme.get(`${where} ${name}`)?.replace("var(--radius-card)", radius ?? ""),
      ]).toEqual([where, name, value]);
    // The size of the page's font is what every rem is counted in.
    const size = /font-size: ([^;]+);/u.exec(style)?.[1] ?? "none";
    expect(theme.get(":root --type-body")).toContain(` ${size} /`);
    // A token of another width that the page lacks would move what is seen when the style sheet arrives.
    const names = new Set(own.map(({ name }) => name));
    const widths = (all: Token[]) =>
      all
        .filter(({ where, name }) => where.includes("min-width") && names.has(name))
        .map(({ where, name }) => `${where} ${name}`)
        .sort();
    expect(widths(own)).toEqual(widths(tokensOf(tokens)));
  });

  test("has one style, over which every style of the app wins, and no other files", () => {
    expect(page.match(/<style/gu)).toHaveLength(1);
    expect(page).not.toMatch(/ style=/u);
    expect(style.replace(/\/\*[\s\S]*?\*\//gu, "").trim()).toMatch(/^@layer first \{[\s\S]*\}$/u);
    expect(style).not.toMatch(/url\(|@import|@font-face|animation|transition/u);
  });

  test("has the blocks of a list that loads, and says nothing to screen readers", () => {
    const { container } = render(createElement(StillBlocks, null, "Loading posts"));
    expect(container.textContent).toBe("Loading posts");
    const blocks = container.querySelector(".still");
    expect(blocks?.getAttribute("aria-hidden")).toBe("true");
    const first = new DOMParser().parseFromString(page, "text/html").querySelector(".still");
    expect(blocks?.childNodes.length).toBeGreaterThan(0);
    expect([...(first?.childNodes ?? [])].map(serialize)).toEqual(
      [...(blocks?.childNodes ?? [])].map(serialize),
    );
    expect(page).toMatch(/<div class="first" aria-hidden="true">/u);
  });

  test("is small, because it is sent with every page", () => {
    expect(new Blob([page]).size).toBeLessThan(6 * 1_024);
  });
});
