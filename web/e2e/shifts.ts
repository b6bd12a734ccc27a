// Measures layout shifts: how far elements move without an action of the user.

import type { Page } from "@playwright/test";

/** Starts adding up layout shifts. Returns a function that reads the sum. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const held = window as Window & { shifted?: number };
    held.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        held.shifted = (held.shifted ?? 0) + (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: "layout-shift", buffered: false });
  });
  return async () => {
    await page.waitForTimeout(100);
    return page.evaluate(() => (window as Window & { shifted?: number }).shifted ?? -1);
  };
}
