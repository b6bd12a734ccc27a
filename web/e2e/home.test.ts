// Home: its two tabs and the theme of the day.

import { type Locator, type Page, expect, test } from "@playwright/test";

import { chromiumTools } from "./chromium";
import { InterceptedConnection } from "./connection";
import { CENTER, dismissFirstSteps, polls, setsTheme, tab, themeCard, vibes } from "./homeScreen";
import { named, openGuest, phone, signUp } from "./people";
import { posted } from "./wire";

const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

async function isAt(page: Page, name: "Your Space" | "Community Center"): Promise<void> {
  await expect(title(page, name)).toBeVisible();
  await expect(tab(page, name)).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("tab", { selected: false })).toHaveCount(1);
  await expect(page.getByRole("tabpanel", { name, exact: true })).toHaveCount(1);
}

/** Swipes by this many pixels sideways and down, from an element of the page. */
async function swipe(page: Page, from: Locator, by: { x: number; y?: number }): Promise<void> {
  const box = await from.boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  if (box === null) throw new Error("nothing to begin on");
  const finger = await chromiumTools(page);
  const [x, y] = [(width - by.x) / 2, box.y + box.height / 2];
  await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  for (let step = 1; step <= 10; step += 1)
    await finger.send("Input.dispatchTouchEvent", {
      type: "touchMove",
      touchPoints: [{ x: x + (by.x * step) / 10, y: y + ((by.y ?? 0) * step) / 10 }],
    });
  await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await finger.detach();
}

test("Home has two tabs, reached by press, key, address and Back, and a tag is kept between them", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await ana.publishes("The kettle is on.", { tag: "Slow Mornings" });
  await ana.publishes("Nothing to do with kettles.");
  await ana.goesHome();
  await isAt(page, "Your Space");
  await tab(page, "Community Center").click();
  await expect(page).toHaveURL(CENTER);
  await isAt(page, "Community Center");
  await expect(page.getByRole("region", { name: "Daily Huddle" })).toContainText("Coming soon");
  await page.goBack();
  await isAt(page, "Your Space");
  await page.goForward();
  await isAt(page, "Community Center");
  await page.reload();
  await isAt(page, "Community Center");

  // The tab list is one stop for the Tab key. The arrow keys move within it and wrap.
  await tab(page, "Community Center").focus();
  for (const [key, name] of [
    ["ArrowRight", "Your Space"],
    ["ArrowRight", "Community Center"],
    ["ArrowLeft", "Your Space"],
    ["End", "Community Center"],
    ["Home", "Your Space"],
  ] as const) {
    await page.keyboard.press(key);
    await isAt(page, name);
    await expect(tab(page, name)).toBeFocused();
  }
  await expect(page).toHaveURL("/?tab=your-space");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("main").getByRole("link", { name: "Create Post" })).toBeFocused();

  // The tag stays in the address while the other tab is open.
  await ana.post("The kettle is on.").getByRole("link", { name: "#Slow Mornings" }).click();
  const filter = page.getByRole("region", { name: "Tag filter" });
  await expect(filter).toContainText("#Slow Mornings");
  await expect(ana.post("Nothing to do with kettles.")).toHaveCount(0);
  await tab(page, "Community Center").click();
  await isAt(page, "Community Center");
  await expect(filter).toHaveCount(0);
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ tag: "Slow Mornings", tab: "community-center" });
  await tab(page, "Your Space").click();
  await expect(filter).toContainText("#Slow Mornings");
  await expect(ana.post("The kettle is on.")).toBeVisible();
  await expect(ana.post("Nothing to do with kettles.")).toHaveCount(0);
  await filter.getByRole("button", { name: "Clear filter" }).click();
  await expect(ana.post("Nothing to do with kettles.")).toBeVisible();
  await isAt(page, "Your Space");
  await ana.leaves();
});

test("A swipe changes the tab, and a short or steep one does not", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), phone);
  const { page } = ana;
  await ana.goesHome();
  await expect(vibes(page).getByText("Nobody has shared a mood today.")).toBeVisible();
  const places = () => page.evaluate(() => history.length);
  const before = await places();
  const panel = page.getByRole("tabpanel");
  const start = panel.getByRole("heading", { level: 1 });
  await swipe(page, start, { x: -190 });
  await swipe(page, start, { x: -230, y: 160 });
  await swipe(page, start, { x: 260 });
  await isAt(page, "Your Space");
  expect(await places()).toBe(before);

  await swipe(page, start, { x: -260 });
  await isAt(page, "Community Center");
  await expect(page).toHaveURL(CENTER);
  await expect(polls(page).getByText("No open polls. Ask something small.")).toBeVisible();
  await swipe(page, start, { x: 190 });
  await swipe(page, start, { x: 230, y: 160 });
  await swipe(page, start, { x: -260 });
  await isAt(page, "Community Center");
  expect(await places()).toBe(before + 1);
  // A swipe works anywhere on the panel.
  await swipe(page, page.getByRole("region", { name: "Daily Huddle" }), { x: 260, y: 40 });
  await isAt(page, "Your Space");
  await page.goBack();
  await isAt(page, "Community Center");
  await ana.leaves();
});

test("Guests and users see today's theme, which opens once and changes only while nobody reads it", async ({
  browser,
}) => {
  setsTheme({
    title: "First light",
    description: "What did the morning look like where you are?",
    tag: "First Light",
  });
  const guest = await openGuest(browser, "Guest");
  await guest.page.goto("/");
  const seen = themeCard(guest.page);
  await expect(seen.getByRole("heading", { name: "First light", exact: true })).toBeVisible();
  await expect(seen).toContainText("What did the morning look like where you are?");
  await expect(seen.getByText("#First Light", { exact: true })).toBeVisible();
  await expect(seen.getByRole("button")).toHaveCount(0);
  await expect(seen.getByRole("link")).toHaveCount(1);
  await seen.getByRole("link", { name: "Join to Participate" }).click();
  await expect(title(guest.page, "Sign Up")).toBeVisible();
  expect(guest.sockets).toEqual([]);

  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await ana.publishes("Fog, and one lamp in it.", { tag: "first light" });
  await ana.publishes("Nothing to do with light.");
  await ana.goesHome();
  const card = themeCard(page);
  const toggle = card.getByRole("button", { name: "Today's Theme", exact: true });
  const heading = card.getByRole("heading");
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await expect(heading).toHaveText("First light");
  await expect(card).toContainText("What did the morning look like where you are?");
  await card.getByRole("button", { name: "#First Light", exact: true }).click();
  await expect(page.getByRole("region", { name: "Tag filter" })).toContainText("#First Light");
  await expect(ana.post("Fog, and one lamp in it.")).toBeVisible();
  await expect(ana.post("Nothing to do with light.")).toHaveCount(0);
  await card.getByRole("link", { name: "Share Your Take" }).click();
  await expect(page).toHaveURL("/create-post?tag=First%20Light");
  await expect(page.getByRole("textbox", { name: "Tag" })).toHaveValue("First Light");
  await ana.goesHome();

  // The card was open on the first visit. Later visits keep its last state.
  await page.reload();
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await expect(heading).toHaveCount(0);
  await toggle.click();
  await page.reload();
  await expect(heading).toHaveText("First light");

  // The host sets another theme, with a character that is special in addresses. The card that she reads does
  // not change.
  const connection = await InterceptedConnection.of(page);
  const changed = new Promise<void>((resolve) => {
    connection.in = (_, reply) => void (reply["ev"] === "theme.changed" && resolve());
  });
  await expect(page.getByRole("status", { name: "Connection" })).toHaveText("Live");
  await expect(heading).toHaveText("First light");
  // The first reply is shown at once.
  await expect.poll(() => connection.replied).toContain("theme.get");
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  setsTheme({ title: "Tea and toast", description: "What is on your table?", tag: "Tea & toast" });
  await changed;
  await expect(heading).toHaveText("First light");
  // The page may not have read the forwarded event yet, so her return is repeated.
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await expect(heading).toHaveText("Tea and toast", { timeout: 500 });
  }).toPass();
  await expect(card).toContainText("What is on your table?");
  for (const _ of ["once", "and once more"]) {
    await card.getByRole("button", { name: "#Tea & toast", exact: true }).click();
    await expect(page.getByRole("heading", { name: "No posts with #Tea & toast yet." })).toBeVisible();
    expect([...new URL(page.url()).searchParams].filter(([name]) => name !== "tab")).toEqual([
      ["tag", "Tea & toast"],
    ]);
  }
  await card.getByRole("link", { name: "Share Your Take" }).click();
  await expect(page.getByRole("textbox", { name: "Tag" })).toHaveValue("Tea & toast");
  await guest.page.goto("/");
  await expect(seen.getByRole("heading")).toHaveText("Tea and toast");
  await ana.leaves();
  await guest.leaves();
});

/** Returns the names of these parts in the order of the Tab key, each once, and whether each is below the one before. */
const tabOrder = (page: Page) =>
  page.getByRole("main").evaluate((main) => {
    const parts: [string, string][] = [
      ["steps", "section:has([aria-label='First steps'])"],
      ["theme", '[aria-label="Today\'s Theme"]'],
      ["vibes", "[aria-label='Vibe Check'], section:has([aria-label='Moods today'])"],
      ["post", "article"],
    ];
    const found: { name: string; top: number }[] = [];
    for (const one of main.querySelectorAll<HTMLElement>("a[href], button, input, textarea")) {
      const name = parts.find(([, part]) => one.closest(part) !== null)?.[0];
      const isNew = name !== undefined && !found.some((other) => other.name === name);
      if (isNew && one.checkVisibility({ visibilityProperty: true }))
        found.push({ name, top: one.getBoundingClientRect().top });
    }
    return {
      names: found.map(({ name }) => name),
      goesDown: found.every(({ top }, at) => at === 0 || top >= (found[at - 1]?.top ?? 0)),
    };
  });

test("The first post is at most twelve presses of the Tab key away on a desktop, and four with the skip links", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), { viewport: { width: 1440, height: 900 } });
  const { page } = ben;
  await ben.follows(ana.name);
  await posted(ana.page, "The bread is cut.");
  await posted(ana.page, "The kettle is on.");
  await page.goto("/");
  const first = ben.post("The kettle is on.");
  await expect(first).toBeVisible();
  await expect(vibes(page)).toBeVisible();
  await expect(page.getByRole("list", { name: "First steps" })).toBeVisible();
  expect((await tabOrder(page)).names).toEqual(["steps", "post", "theme", "vibes"]);

  // A person who follows somebody for the first time has the first steps above the posts, and may skip them.
  const isInFirst = () => first.evaluate((one) => one.contains(document.activeElement));
  const skip = page.getByRole("link", { name: "Skip to content" });
  await page.keyboard.press("Tab");
  await expect(skip).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to posts" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Skip to posts" })).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Enter");
  await expect(page.getByRole("listitem").filter({ has: first })).toBeFocused();
  await page.keyboard.press("Tab");
  expect(await isInFirst()).toBe(true);

  await dismissFirstSteps(page);
  await page.reload();
  await expect(first).toBeVisible();
  await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
  let presses = 0;
  while (presses < 60 && !(await isInFirst())) {
    await page.keyboard.press("Tab");
    presses += 1;
  }
  expect(presses).toBeLessThanOrEqual(12);

  // The other tab has no posts to skip to.
  await page.goto(CENTER);
  await expect(polls(page)).toBeVisible();
  await expect(page.getByRole("link", { name: "Skip to content" })).toHaveCount(1);
  await expect(page.getByRole("link", { name: "Skip to posts" })).toHaveCount(0);
  await ana.leaves();
  await ben.leaves();
});

test("The Tab key goes down the page on a phone, and what is typed stays when the window is turned", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), { viewport: { width: 820, height: 1180 } });
  const { page } = ana;
  await posted(page, "The kettle is on.");
  for (const width of [390, 820]) {
    await page.setViewportSize({ width, height: 1180 });
    await page.goto("/");
    await expect(ana.post("The kettle is on.")).toBeVisible();
    await expect(page.getByRole("list", { name: "First steps" })).toBeVisible();
    await expect(vibes(page)).toBeVisible();
    expect(await tabOrder(page)).toEqual({ names: ["steps", "theme", "vibes", "post"], goesDown: true });
  }
  const box = ana.post("The kettle is on.").getByRole("textbox", { name: "Write a comment" });
  await box.fill("Two sugars.");
  await vibes(page).getByRole("button", { name: /^Set / }).click();
  await vibes(page).getByRole("radio").first().check();
  await page.setViewportSize({ width: 1180, height: 820 });
  await expect.poll(async () => (await tabOrder(page)).names.at(-1)).toBe("vibes");
  await expect(box).toHaveValue("Two sugars.");
  await expect(vibes(page).getByRole("radio").first()).toBeChecked();
  await ana.leaves();
});
