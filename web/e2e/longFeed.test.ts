// A feed longer than the window. It does not move while it loads, and its reader finds the position again.

import { type Browser, type Page, expect, test } from "@playwright/test";

import { drawn } from "./drawn";
import { box, dismissFirstSteps, foldsTheme, top } from "./homeScreen";
import { named, phoneSized, signUp } from "./people";
import { watchShifts } from "./shifts";
import { type Shown, posted } from "./wire";

const harbour = async (browser: Browser): Promise<Shown> => ({
  bytes: await drawn(browser, "harbour"),
  alt: "A harbour.",
});

/** Publishes posts of one to five lines. If a picture is given, every fourth post has it. */
async function writes(page: Page, count: number, picture?: Shown): Promise<void> {
  for (let n = 1; n <= count; n += 1)
    await posted(
      page,
      `${"A line that goes on. ".repeat(n % 5)}The ${n}th.`,
      picture !== undefined && n % 4 === 1 ? [picture] : [],
    );
}

for (const [screen, viewport] of Object.entries({
  phone: { width: 390, height: 844 },
  laptop: { width: 1280, height: 860 },
}))
  test(`A page of posts that loads without a cache does not move after its first paint, on a ${screen}`, async ({
    browser,
  }) => {
    const ana = await signUp(browser, named("Ana"), { viewport });
    const { page } = ana;
    await writes(page, 12, await harbour(browser));
    await page.addInitScript(() => {
      const held = window as Window & { shifted?: number };
      held.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          held.shifted = (held.shifted ?? 0) + (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto("/");
    await expect(page.getByRole("article")).toHaveCount(12);
    await expect(page.locator("[data-picture=here]").first()).toBeVisible();
    expect(await page.evaluate(() => (window as Window & { shifted?: number }).shifted)).toBeLessThanOrEqual(
      0.02,
    );
    await ana.leaves();
  });

test("Ben reads far down on a phone, and finds the same post in the same place after a reload and after Back", async ({
  browser,
}) => {
  const ben = await signUp(browser, named("Ben"), phoneSized);
  const { page } = ben;
  await writes(page, 16, await harbour(browser));
  await dismissFirstSteps(page);
  await page.goto("/");
  await expect(page.getByRole("article")).toHaveCount(16);
  await foldsTheme(page);
  const third = ben.post("The 3th.");
  await third.evaluate((node) => node.scrollIntoView({ block: "center", behavior: "instant" }));
  await expect(third).toBeInViewport();
  const before = await top(third);
  const isInPlace = () =>
    expect.poll(async () => Math.abs((await top(third)) - before)).toBeLessThanOrEqual(2);
  await page.reload();
  await isInPlace();
  await third.getByRole("link", { name: "View full post" }).click();
  await expect(page).toHaveURL(/\/post\//u);
  await page.goBack();
  await isInPlace();
  await ben.leaves();
});

test("Comment boxes of posts far below appear when they are scrolled or tabbed to, and unsent text moves nothing", async ({
  browser,
}) => {
  const ben = await signUp(browser, named("Ben"), phoneSized);
  const { page } = ben;
  await writes(page, 16);
  await dismissFirstSteps(page);
  const [oldest, third] = [ben.post("The 1th."), ben.post("The 3th.")];
  await page.goto("/");
  await page.mouse.move(195, 500);
  await expect(async () => {
    await page.mouse.wheel(0, 2_000);
    await expect(box(oldest)).toBeInViewport({ timeout: 500 });
  }).toPass();
  await box(third).fill("Half a thought");
  await expect(third).toBeInViewport();
  const before = await top(oldest);
  await third.getByRole("link", { name: "View full post" }).click();
  await expect(page).toHaveURL(/\/post\//u);
  const shifts = await watchShifts(page);
  await page.goBack();
  await expect(box(third)).toHaveValue("Half a thought");
  await expect.poll(async () => Math.abs((await top(oldest)) - before)).toBeLessThanOrEqual(2);
  expect(await shifts()).toBeLessThanOrEqual(0.02);
  await page.goto("/");
  await oldest.getByRole("link", { name: "View full post" }).focus();
  await expect(box(oldest)).toBeAttached();
  await page.keyboard.press("Tab");
  await expect(box(oldest)).toBeFocused();
  await ben.leaves();
});
