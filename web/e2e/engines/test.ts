// Stories that run in Chromium, Firefox and WebKit. Ana uses the engine under test. Ben uses Chromium, unless a story
// asks for the other engine.

import { type Browser, firefox, test as playwright } from "@playwright/test";

import { firefoxOptions } from "./firefox";
import { Visitor } from "./person";
import { PlaywrightTab } from "./playwright";
import type { Engine, Tab } from "./tab";
import { Display, WebKitTab } from "./webdriver";

export { expect } from "@playwright/test";

/** The browsers of one worker. Each is started when a story needs it for the first time. */
class Browsers {
  private firefox: Promise<Browser> | null = null;
  private display: Promise<Display> | null = null;

  constructor(private readonly chromium: Browser) {}

  /** Opens a browser that has been nowhere. */
  async open(engine: Engine, site: string): Promise<Tab> {
    if (engine === "webkit") return WebKitTab.open(await (this.display ??= Display.start()), site);
    const browser =
      engine === "chromium" ? this.chromium : await (this.firefox ??= firefox.launch(firefoxOptions));
    const context = await browser.newContext({ baseURL: site });
    return new PlaywrightTab(engine, await context.newPage());
  }

  async close(): Promise<void> {
    await (await this.firefox)?.close();
    (await this.display)?.stop();
  }
}

type Stories = {
  /** Opens a browser, of the engine under test unless another is named, for a person. */
  visitor(name: string, engine?: Engine, site?: string): Promise<Visitor>;
  /** Signed-in people. */
  ana: Visitor;
  ben: Visitor;
};
type OfWorker = { engine: Engine; other: Engine; browsers: Browsers };

export const test = playwright.extend<Stories, OfWorker>({
  engine: ["chromium", { option: true, scope: "worker" }],
  other: ["chromium", { option: true, scope: "worker" }],
  browsers: [
    async ({ browser }, give) => {
      const browsers = new Browsers(browser);
      await give(browsers);
      await browsers.close();
    },
    { scope: "worker" },
  ],
  visitor: async ({ browsers, engine, baseURL }, give, story) => {
    const tabs: Tab[] = [];
    await give(async (name, of = engine, site = baseURL ?? "") => {
      const tab = await browsers.open(of, site);
      tabs.push(tab);
      return new Visitor(tab, name);
    });
    // Playwright reports only its own pages.
    if (story.status !== story.expectedStatus)
      for (const tab of tabs)
        await story.attach(`what ${tab.engine} showed`, {
          body: await tab.evaluate(() => document.body.innerText).catch(String),
          contentType: "text/plain",
        });
    await Promise.all(tabs.map((tab) => tab.closes()));
  },
  ana: async ({ visitor }, give) => give(await (await visitor("Ana")).signsUp()),
  ben: async ({ visitor }, give) => give(await (await visitor("Ben", "chromium")).signsUp()),
});
