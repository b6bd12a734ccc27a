// A translator of the browser, such as those of Chromium, Safari and their extensions: it puts each text of the page into
// an element of its own, and goes on doing so while the page changes.

import type { BrowserContext, Page } from "@playwright/test";

/** Translates every page that this browser opens from now on. */
export async function translates(context: BrowserContext): Promise<void> {
  await context.addInitScript(begin);
}

/** Returns how many texts of this page are translated now. */
export const translated = (page: Page): Promise<number> => page.locator("font").count();

function begin(): void {
  const untouched = new Set(["SCRIPT", "STYLE", "TEXTAREA", "OPTION", "NOSCRIPT", "FONT", "TITLE"]);
  const translate = (): void => {
    const texts: Text[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const text = walker.currentNode as Text;
      if (!untouched.has(text.parentElement?.nodeName ?? "SCRIPT")) texts.push(text);
    }
    for (const text of texts) {
      const font = document.createElement("font");
      text.replaceWith(font);
      font.append(text);
    }
  };
  addEventListener("DOMContentLoaded", () => {
    translate();
    new MutationObserver(translate).observe(document.body, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
}
