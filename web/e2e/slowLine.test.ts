// A slow line: what is seen while the files of the app and the first replies are on their way.

import { type Page, expect, test } from "@playwright/test";

import { dismissFirstSteps } from "./homeScreen";
import { named, signUp } from "./people";
import { watchShifts } from "./shifts";
import { posted } from "./wire";

/** Returns a lock and what opens it. */
function lock(): { opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Returns where the first of these is seen, and how wide it is. */
const place = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((one) => {
      const { left, top, width } = one.getBoundingClientRect();
      return [left, top, width].map(Math.round);
    });
const background = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

const LIGHT = "rgb(250, 246, 240)";
const DARK = "rgb(26, 23, 20)";

for (const [width, colorScheme] of [
  [390, "light"],
  [820, "dark"],
  [1440, "light"],
] as const)
  test(`The header and still blocks are there before any script of the app, ${width} pixels wide, ${colorScheme}, and stay in their places`, async ({
    browser,
  }) => {
    const ana = await signUp(browser, named("Ana"), {
      viewport: { width, height: 900 },
      colorScheme,
      serviceWorkers: "block",
    });
    const { page } = ana;
    await posted(page, "The kettle is on.");
    await dismissFirstSteps(page);
    const files = lock();
    const replies = lock();
    await page.route(/\/assets\/.*\.js$/u, async (route) => {
      await files.opened;
      await route.continue();
    });
    await page.routeWebSocket(/\/ws$/u, (route) => {
      const server = route.connectToServer();
      server.onMessage((message) => void replies.opened.then(() => route.send(message)));
    });
    await page.goto("/", { waitUntil: "commit" });
    const first = page.locator(".first");
    await expect(first).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length))
      .toBe(1);
    const logo = await place(page, ".first svg");
    const block = await place(page, ".still i");
    expect(await background(page)).toBe(colorScheme === "light" ? LIGHT : DARK);
    const shifts = await watchShifts(page);

    // The app is here, and the server has not answered.
    files.open();
    await expect(page.getByRole("banner").getByRole("link", { name: "Mellow" })).toBeVisible();
    await expect(first).toHaveCount(0);
    await expect(page.locator(".still")).toBeVisible();
    expect(await place(page, "header svg")).toEqual(logo);
    expect(await place(page, ".still i")).toEqual(block);

    replies.open();
    await expect(ana.post("The kettle is on.")).toBeVisible();
    await expect(page.locator(".still")).toHaveCount(0);
    expect(await place(page, "header svg")).toEqual(logo);
    const [left, top, across] = await place(page, "article");
    expect([left, across]).toEqual([block[0], block[2]]);
    // In a wide window nothing but the tabs and the title is above the posts.
    if (width === 1440) expect(Math.abs((top ?? 0) - (block[1] ?? 0))).toBeLessThanOrEqual(1);
    expect(await shifts()).toBeLessThan(0.001);
    await ana.leaves();
  });

test("The first moment has the theme that was chosen, not that of the device", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), { colorScheme: "dark", serviceWorkers: "block" });
  const { page } = ana;
  await page.evaluate(() => localStorage.setItem("mellow.theme", "light"));
  const files = lock();
  await page.route(/\/assets\/.*\.js$/u, async (route) => {
    await files.opened;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.locator(".first")).toBeVisible();
  expect(await background(page)).toBe(LIGHT);
  files.open();
  await expect(page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await ana.leaves();
});

test("Posts that load have still blocks in their place", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), { viewport: { width: 1440, height: 900 } });
  const { page } = ana;
  await dismissFirstSteps(page);
  const replies = lock();
  await page.routeWebSocket(/\/ws$/u, (route) => {
    const server = route.connectToServer();
    let isReady = false;
    // The first frames say who this is. The posts come later.
    route.onMessage((message) => {
      if (Buffer.from(message as Buffer).includes("posts.feed")) isReady = true;
      server.send(message);
    });
    server.onMessage((message) => {
      if (!isReady) route.send(message);
      else void replies.opened.then(() => route.send(message));
    });
  });
  await page.goto("/");
  await expect(page.getByText("Loading posts")).toBeAttached();
  await expect(page.getByRole("main").locator(".still")).toBeVisible();
  const moves = await page
    .locator(".still i")
    .evaluateAll((all) => all.flatMap((one) => one.getAnimations({ subtree: true })).length);
  expect(moves).toBe(0);
  replies.open();
  await expect(page.getByText("Loading posts")).toHaveCount(0);
  await ana.leaves();
});
