// Nothing moves that nobody moved: how far anything on a page went by itself.

import type { Page } from "@playwright/test";

/** From now on adds up how far anything on the page moves that nobody moved. */
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
