// What the system's Firefox needs so that Playwright can drive it. Playwright drives its own build of Firefox with a
// protocol of its own, and others with WebDriver BiDi.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Locator,
  type Page,
  expect,
  test,
} from "@playwright/test";

export const firefoxOptions: LaunchOptions = {
  channel: "moz-firefox",
  executablePath: process.env["FIREFOX"] ?? "/usr/bin/firefox-esr",
  args: [],
  // Every window counts as the one in front, so that focus works in each. A key that scrolls does so at once, because a
  // person does not press a button that is still on its way.
  firefoxUserPrefs: { "focusmanager.testmode": true, "general.smoothScroll": false },
};

type Socket = { prototype: { send(message: unknown, ...more: unknown[]): void } };

/** How Playwright scrolls here to what it presses, in the source of a script as JSON. */
const CENTERED = /block: \\"center\\",(\\n *)inline: \\"center\\"/;

/**
 * Changes what Playwright sends to Firefox. It begins every context with a command for colours that Firefox does not
 * have yet, and fails without it; the command is replaced by one that changes nothing. Before each press it scrolls the
 * target to the middle of the window; after this it scrolls only to what is not in view, as in Chromium.
 */
export function letFirefoxOpen(): void {
  const playwright = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  const { ws } = createRequire(import.meta.url)(join(playwright, "lib/utilsBundle.js")) as { ws: Socket };
  // The configuration is read more than once in a process.
  if ("sendsToFirefox" in ws.prototype) return;
  const { send } = ws.prototype;
  Object.assign(ws.prototype, { sendsToFirefox: true });
  ws.prototype.send = function (message, ...more) {
    if (typeof message !== "string") return send.call(this, message, ...more);
    const sent = message.includes('"method":"emulation.setMediaFeaturesOverride"')
      ? JSON.stringify({ ...JSON.parse(message), method: "session.status", params: {} })
      : message.replace(CENTERED, 'block: \\"nearest\\",$1inline: \\"nearest\\"');
    send.call(this, sent, ...more);
  };
}

/** The browsers of a story. One that was skipped or failed leaves them open. */
const browsers: Browser[] = [];
let story = "";

/**
 * Opens a context for a person. In Firefox the context has a browser of its own, because only one window of a browser
 * has the focus. A phone has the size and the user agent of one there, but no touch screen.
 */
export async function opened(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  if (browser.browserType().name() !== "firefox") return browser.newContext(options);
  const { isMobile: _, hasTouch: __, deviceScaleFactor: ___, ...others } = options;
  // Playwright hides the scrollbars of Chromium. Here they are above the page, so that a phone is as wide as in Chromium.
  const own = await browser.browserType().launch({
    ...firefoxOptions,
    firefoxUserPrefs: { ...firefoxOptions.firefoxUserPrefs, "ui.useOverlayScrollbars": 1 },
  });
  if (story !== test.info().testId) {
    story = test.info().testId;
    const left = browsers.splice(0);
    await Promise.all(left.map((one) => one.close()));
  }
  browsers.push(own);
  const { baseURL = "" } = test.info().project.use;
  const context = await own.newContext({ baseURL, ...others });
  context.on("close", () => void own.close());
  return context;
}

/** Types where the focus is. Characters without a key on an American keyboard are inserted, in a way that React sees. */
export async function typesInFirefox(page: Page, words: string): Promise<void> {
  for (const run of words.split(/([^ -~\n]+)/))
    if (/[^ -~\n]/.test(run))
      await page.evaluate((text) => document.execCommand("insertText", false, text), run);
    else await page.keyboard.type(run);
}

/**
 * Makes `fill`, `pressSequentially` and `tap` work in Firefox, and skips the rest of a story when it asks for what
 * Playwright can do in Chromium alone. Playwright sets a value through the property that React watches, so React would
 * ignore the event, because it sees no change. A tap is a click, because there is no touch screen.
 */
export function letFirefoxPlay(page: Page): void {
  if (page.context().browser()?.browserType().name() !== "firefox") return;
  const skips = (what: string) => (): never => {
    test.skip(true, `in Firefox, Playwright has no ${what}`);
    throw new Error("skipped");
  };
  page.emulateMedia = skips("emulated media");
  page.context().newCDPSession = skips("DevTools protocol");
  const on = page.on.bind(page) as (event: string, listener: never) => Page;
  page.on = (event: string, listener: never) =>
    event === "websocket" ? skips("frames of sockets")() : on(event, listener);
  const prototype = Object.getPrototypeOf(page.locator("body")) as Locator;
  prototype.tap = function (this: Locator) {
    return this.click();
  };
  prototype.pressSequentially = async function (this: Locator, words) {
    await this.focus();
    await typesInFirefox(this.page(), words);
  };
  prototype.fill = async function (this: Locator, value) {
    await expect(this).toBeEditable();
    await this.evaluate((field: HTMLInputElement, text) => {
      field.focus();
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value") ?? {};
      set?.call(field, text);
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }, value);
  };
}
