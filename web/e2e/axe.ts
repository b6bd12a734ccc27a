// Runs axe on a page. It runs in the page itself, because Mellow has no frames.

import { type Page, expect } from "@playwright/test";
import axe, { type RunOnly } from "axe-core";

/** Returns each violated rule, with its elements. */
export async function findings(page: Page, runOnly: RunOnly): Promise<string[]> {
  expect(page.frames()).toHaveLength(1);
  // The script has more than a megabyte, so each document loads it only once.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${axe.source}; undefined`);
  return page.evaluate(async (only) => {
    const { violations } = await (window as typeof window & { axe: typeof axe }).axe.run(document, {
      runOnly: only,
      resultTypes: ["violations"],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(", ")}`);
  }, runOnly);
}
