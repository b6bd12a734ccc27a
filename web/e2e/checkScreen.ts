// Checks a screen as it is now, on a phone and a desktop, in light and dark. With PICTURES=<folder> each check
// also saves screenshots at four widths.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

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
/** The windows of the screenshots: an old phone, a phone, a tablet, a laptop. */
const shot = [narrow, sizes.phone, { width: 820, height: 1180 }, { width: 1440, height: 900 }];

/**
 * Checks that axe finds nothing and that nothing is wider than the screen. Screenshots show `near` or the
 * whole page.
 */
export async function checkScreen(page: Page, screen: string, near?: Locator | "whole"): Promise<void> {
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
    }
  }
  // The narrowest width, as on a desktop at 400 % zoom or on a small old phone.
  await page.setViewportSize(narrow);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide, `${screen} scrolls sideways at ${narrow.width} pixels`).toBeLessThanOrEqual(0);
  if (folder) await takePictures(page, `${folder}/${screen}`, near);
  await page.setViewportSize(sizes.desktop);
}

/** Saves screenshots of a screen at four widths, in light and dark. */
export async function takePictures(page: Page, path: string, near?: Locator | "whole"): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const whole = near === "whole";
  for (const viewport of shot) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (whole) await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
      else await near?.evaluate((part) => part.scrollIntoView({ block: "center" }));
      await page.screenshot({
        path: `${path}-${String(viewport.width)}-${colorScheme}.png`,
        fullPage: whole,
      });
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
}
