// Chromium's own tools, which the other browsers do not have.

import { type CDPSession, type Page, test } from "@playwright/test";

export const isChromium = (page: Page): boolean =>
  page.context().browser()?.browserType().name() === "chromium";

/** Opens Chromium's tools for a page. In another browser the story ends here, and counts as skipped. */
export async function chromiumTools(page: Page): Promise<CDPSession> {
  test.skip(!isChromium(page), "only Chromium has these tools");
  return page.context().newCDPSession(page);
}
