// Checks a screen as it is now, on a phone and a desktop, in light and dark. With PICTURES=<folder> each check
// also saves a screenshot.

import { mkdirSync } from "node:fs";

import { type Locator, type Page, expect } from "@playwright/test";
import type { RunOnly } from "axe-core";

import { findings } from "./axe";

const folder = process.env["PICTURES"];
const TALL = 3_000;
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 860 } };
/** The rules that axe checks in each colour scheme. The other rules do not depend on colours. */
const CHECKED = {
  light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] },
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
} satisfies Record<string, RunOnly>;
const narrow = { width: 320, height: 640 };

/**
 * Checks that axe finds nothing and that nothing is wider than the screen. Screenshots show `near` or the
 * whole page.
 */
export async function checkScreen(page: Page, screen: string, near?: Locator | "whole"): Promise<void> {
  const shoot = async (name: string) => {
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    const whole = near === "whole";
    if (whole) await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    else await near?.evaluate((part) => part.scrollIntoView({ block: "center" }));
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: whole });
  };
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide, `${screen} ${size} scrolls sideways`).toBeLessThanOrEqual(0);
      // The window is high, so that no control is partly under a bar.
      await page.setViewportSize({ ...viewport, height: TALL });
      expect(await findings(page, CHECKED[colorScheme]), `${screen} ${size} ${colorScheme}`).toEqual([]);
      await page.setViewportSize(viewport);
      await shoot(`${screen}-${size}-${colorScheme}`);
    }
  }
  // The narrowest width, as on a desktop at 400 % zoom or on a small old phone.
  await page.setViewportSize(narrow);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide, `${screen} scrolls sideways at ${narrow.width} pixels`).toBeLessThanOrEqual(0);
  await shoot(`${screen}-narrow-light`);
  await page.setViewportSize(sizes.desktop);
}
