// The layout of home: how much is visible at once, what opens and closes, and that nothing is cut off or
// moved.

import { readFileSync } from "node:fs";

import { type Locator, type Page, expect, test } from "@playwright/test";

import { findings } from "./axe";
import { drawn } from "./drawn";
import { InterceptedConnection } from "./connection";
import { box, dismissFirstSteps, foldsTheme, top } from "./homeScreen";
import { named, phoneSized, signUp } from "./people";
import { watchShifts } from "./shifts";
import { asked, name as key, posted } from "./wire";

const themes = readFileSync("../src/features/theme/themes.txt", "utf8")
  .replaceAll(/^\/\/.*$/gmu, "")
  .split(/\n{2,}/u)
  .map((one) => one.trim().split("\n")[0] ?? "")
  .filter((title) => title !== "");
const LONGEST = "A theme of a host who has eighty characters to fill and does so to the very last";
const send = (card: Locator) => card.getByRole("button", { name: "Post Comment" });
const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
/**
 * Waits for an animation. Playwright retries a press on a moving element and scrolls the page, which no user
 * does.
 */
const hasAppeared = (part: Locator) =>
  part.evaluate((node) => Promise.all(node.getAnimations().map(({ finished }) => finished)));
const bottom = async (part: Locator) => {
  const at = await part.boundingBox();
  return at === null ? Number.NaN : at.y + at.height;
};

test("Four posts of one line are visible at once on a phone and five on a laptop, and the first is near the top", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  for (let n = 1; n <= 8; n += 1) await posted(page, `Calm today, for the ${n}th time.`);
  await dismissFirstSteps(page);
  await ana.goesHome();
  await foldsTheme(page);
  const articles = page.getByRole("article");
  const step = async () => (await top(articles.nth(1))) - (await top(articles.nth(0)));
  expect(await top(articles.first())).toBeLessThanOrEqual(330);
  expect(844 / (await step())).toBeGreaterThanOrEqual(4);
  // The time is a link to the post, and so is the link in the row of the vibes.
  const first = articles.first();
  const href = await first.getByRole("link", { name: "View full post" }).getAttribute("href");
  await expect(first.getByRole("link", { name: "Just now" })).toHaveAttribute("href", href ?? "");
  const middle = async (part: Locator) => ((await top(part)) + (await bottom(part))) / 2;
  const [view, vibe] = [
    first.getByRole("link", { name: "View full post" }),
    first.getByRole("button", { name: "Positive Vibes" }),
  ];
  expect(Math.abs((await middle(view)) - (await middle(vibe)))).toBeLessThanOrEqual(2);
  const other = first.getByRole("button", { name: "Negative Vibes" });
  for (const width of [320, 360, 375, 386, 390, 412]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await top(other), `${width} pixels wide`).toBe(await top(vibe));
  }

  await page.setViewportSize({ width: 1440, height: 900 });
  expect(900 / (await step())).toBeGreaterThanOrEqual(5);
  // The main links are beside the page and cover nothing of it.
  const places = await page.getByRole("navigation", { name: "Main" }).boundingBox();
  const column = await articles.first().boundingBox();
  expect((places?.x ?? 0) + (places?.width ?? 0)).toBeLessThan(column?.x ?? 0);
  expect(places?.height).toBeLessThan(250);
  await ana.leaves();
});

test("A comment box is one line until it is used, and does not fold during a press", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  await posted(page, "The first of two.");
  await posted(page, "The second of two.");
  await dismissFirstSteps(page);
  await ana.goesHome();
  await foldsTheme(page);
  const card = ana.post("The second of two.");
  const other = ana.post("The first of two.").getByRole("button", { name: "Positive Vibes" });
  await expect(send(card)).toHaveCount(0);
  const rest = await box(card).boundingBox();
  expect(rest?.height).toBe(44);
  await box(card).click();
  await expect(send(card)).toBeDisabled();
  // The counter has its place, and is seen once something is typed.
  await expect(card.getByText("0/500")).toHaveCSS("opacity", "0");
  const open = await box(card).boundingBox();
  expect([open?.x, open?.y, open?.width]).toEqual([rest?.x, rest?.y, rest?.width]);

  // A press elsewhere ends at the place where it began.
  const at = await other.boundingBox();
  await page.mouse.move((at?.x ?? 0) + 10, (at?.y ?? 0) + 10);
  await page.mouse.down();
  await expect(box(card)).not.toBeFocused();
  expect(await other.boundingBox()).toEqual(at);
  await page.mouse.up();
  await expect(other).toHaveAttribute("aria-pressed", "true");
  await expect(send(card)).toHaveCount(0);

  // A box with text stays open. If it is higher than the screen, its button stays above the bottom bar.
  await box(card).fill("half a thought");
  await expect(card.getByText("14/500")).toHaveCSS("opacity", "1");
  await page.getByRole("heading", { level: 1 }).click();
  await expect(send(card)).toBeVisible();
  await box(card).click();
  for (let line = 0; line < 14; line += 1) await page.keyboard.press("Enter");
  await page.keyboard.type("and the end of it");
  expect(await bottom(send(card))).toBeLessThanOrEqual(
    await top(page.getByRole("navigation", { name: "Main" })),
  );

  // The wheel over the box scrolls the page when the box is at its end.
  await box(card).fill("short again");
  const before = await page.evaluate(() => scrollY);
  await box(card).hover();
  await page.mouse.wheel(0, 200);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
  await ana.leaves();
});

test("The title of a theme is never cut off, and the page is never wider than the screen", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await ana.goesHome();
  const toggle = await foldsTheme(page);
  expect(themes.length).toBeGreaterThanOrEqual(60);
  for (const width of [320, 390, 820, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const cut = await toggle.evaluate(
      (button, titles) => {
        const glimpse = button.querySelector<HTMLElement>("[aria-hidden][dir]");
        const mark = button.querySelector("svg");
        if (glimpse === null || mark === null) return ["there is no title to see"];
        const before = glimpse.textContent;
        const wrong = titles.filter((title) => {
          glimpse.textContent = title;
          const page = document.documentElement;
          const [card, words, chevron] = [button, glimpse, mark].map((one) => one.getBoundingClientRect());
          return (
            page.scrollWidth > page.clientWidth ||
            glimpse.scrollWidth > glimpse.clientWidth + 1 ||
            (words?.right ?? 0) > (chevron?.left ?? 0) ||
            (chevron?.right ?? 0) > (card?.right ?? 0) ||
            (words?.bottom ?? 0) > (card?.bottom ?? 0)
          );
        });
        glimpse.textContent = before;
        return wrong;
      },
      [...themes, LONGEST, "W".repeat(80)],
    );
    expect(cut, `${width} pixels`).toEqual([]);
  }
  await ana.leaves();
});

test("The list beside the page shows only whole rows, however high the window is", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const others = [];
  for (const name of ["Ben", "Cleo", "Dov", "Eve", "Fay", "Gus", "Hal", "Ivo", "Jan", "Kit"]) {
    const other = await signUp(browser, named(name));
    const place = { zone: "UTC", offset_minutes: null };
    const { mine } = await asked(other.page, "moods.today", place);
    await asked(other.page, "moods.set", { key: key(), mood: "Quiet", slot: mine.slot, ...place });
    await asked(ana.page, "follows.set", { key: key(), user_id: other.id, following: true });
    await other.leaves();
    others.push(other);
  }
  await ana.goesHome();
  const list = ana.page.getByRole("list", { name: "Moods today" });
  await expect(list.getByRole("listitem")).toHaveCount(others.length);
  for (const height of [640, 700, 768, 860, 900, 1100]) {
    await ana.page.setViewportSize({ width: 1280, height });
    const room = await list.evaluate((one) => one.clientHeight);
    expect(room % 48, `${height} pixels`).toBe(0);
    if (height >= 700) expect(await bottom(list)).toBeLessThanOrEqual(height);
  }
  await ana.leaves();
});

test("New posts that wait and requests that are sent move nothing", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), phoneSized);
  await ben.follows(ana.name);
  await posted(ana.page, "The kettle is on.");
  await ben.goesHome();
  const card = ben.post("The kettle is on.");
  await expect(card).toBeVisible();
  const line = await InterceptedConnection.of(ben.page);
  await expect(card).toBeVisible();
  const shifts = await watchShifts(ben.page);

  // The pill has its full width from the first post on.
  for (const n of [1, 2, 3]) {
    await posted(ana.page, `And another, the ${n}th.`);
    await expect(
      ben.page.getByRole("button", { name: n === 1 ? "1 new post" : `${n} new posts` }),
    ).toBeVisible();
  }
  expect(await shifts()).toBe(0);

  // The note about a slow vote floats over the page and moves nothing.
  line.out = ({ op }) => op !== "votes.set";
  const where = await box(card).boundingBox();
  await card.getByRole("button", { name: "Positive Vibes" }).click();
  await expect(card.getByText("Sending", { exact: true })).toBeVisible();
  expect(await box(card).boundingBox()).toEqual(where);
  expect(await shifts()).toBe(0);

  // A comment that is being sent is in the list, and not in the box.
  line.out = ({ op }) => op !== "comments.create";
  await box(card).fill("Milk, please.");
  await send(card).click();
  await expect(card.getByRole("list", { name: "Comments" }).getByText("Milk, please.")).toBeVisible();
  await expect(box(card)).toHaveValue("");
  await expect(card.getByText("Milk, please.")).toHaveCount(1);
  await ana.leaves();
  await ben.page.context().close();
});

test("A press on the new posts button at the top of the page shows the posts without scrolling", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), { viewport: { width: 1440, height: 900 } });
  await ben.follows(ana.name);
  await dismissFirstSteps(ben.page);
  for (let n = 1; n <= 8; n += 1) await posted(ana.page, `A line, the ${n}th.`);
  await ben.goesHome();
  await expect(ben.post("A line, the 8th.")).toBeVisible();
  await posted(ana.page, "The kettle is on.");
  const button = ben.page.getByRole("button", { name: "1 new post" });
  await hasAppeared(button);
  await button.click();
  const item = ben.page.getByRole("listitem").filter({ has: ben.post("The kettle is on.") });
  await expect(item).toBeFocused();
  expect(await ben.page.evaluate(() => scrollY)).toBe(0);

  // Further down the focus on the button moves nothing. A press scrolls to the post, right below the header.
  await ben.page.evaluate(() => scrollTo({ top: 700, behavior: "instant" }));
  await posted(ana.page, "The kettle sings.");
  await hasAppeared(button);
  await button.focus();
  expect(await ben.page.evaluate(() => scrollY)).toBe(700);
  await button.click();
  const newest = ben.post("The kettle sings.");
  await expect(ben.page.getByRole("listitem").filter({ has: newest })).toBeFocused();
  const under = await top(newest);
  expect(under).toBeGreaterThanOrEqual(await bottom(ben.page.getByRole("banner")));
  expect(under).toBeLessThan(100);
  await ana.leaves();
  await ben.leaves();
});

test("The end of a page or dialog on a phone is above the bar and inside the screen", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  for (let n = 1; n <= 32; n += 1) await posted(page, `A line, the ${n}th.`);
  await ana.goesHome();
  const older = page.getByRole("button", { name: "Show older posts" });
  await older.scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" }));
  expect(await bottom(older)).toBeLessThanOrEqual(await top(page.getByRole("navigation", { name: "Main" })));
  await page.goto("/settings");
  await page.getByRole("button", { name: "Delete Account" }).click();
  const sheet = page.getByRole("dialog", { name: "Delete Account" });
  for (const name of ["Cancel", "Delete Account"])
    await expect(sheet.getByRole("button", { name, exact: true })).toBeInViewport({ ratio: 1 });
  await ana.leaves();
});

test("Links to people and posts are large enough, tabs have equal widths, and the logo is above the column", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  await posted(page, "One line.");
  await ana.goesHome();
  const author = ana.post("One line.").getByRole("link", { name: ana.name });
  expect((await author.boundingBox())?.height).toBeGreaterThanOrEqual(24);
  const widths = [];
  for (const tab of await page.getByRole("tab").all()) widths.push((await tab.boundingBox())?.width);
  expect(widths[0]).toBe(widths[1]);
  const logo = page.getByRole("banner").getByRole("link", { name: "Mellow" });
  for (const width of [390, 820, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    const over = width === 390 ? page.getByRole("main") : page.getByRole("navigation", { name: "Main" });
    const [a, b] = [await logo.boundingBox(), await over.boundingBox()];
    expect(Math.abs((a?.x ?? 0) - (b?.x ?? 0)), `${width} pixels`).toBeLessThanOrEqual(16);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  }
  await ana.leaves();
});

test("The page of a post has one heading from the first moment on", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  await posted(ana.page, "One line.");
  await ana.goesHome();
  const line = await InterceptedConnection.of(ana.page);
  await expect(ana.post("One line.")).toBeVisible();
  line.out = ({ op }) => op !== "posts.get";
  await ana.post("One line.").getByRole("link", { name: "View full post" }).click();
  await expect(ana.page.getByText("Loading post")).toBeVisible();
  expect(await findings(ana.page, { type: "rule", values: ["page-has-heading-one"] })).toEqual([]);
  await ana.page.context().close();
});

test("A picture that is partly uploaded says what it waits for, covers nothing, and continues after a cut", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  let isDown = false;
  let tries = 0;
  let cut = (): void => undefined;
  await page.routeWebSocket(/\/ws$/, (route) => {
    tries += 1;
    if (isDown) return void route.close({ code: 4100 });
    const server = route.connectToServer();
    cut = () => {
      void route.close({ code: 4100 });
      void server.close({ code: 4100 });
    };
    // A part of the picture has arrived when the connection is cut.
    const isFirst = tries === 1;
    let sent = 0;
    route.onMessage((message) => {
      sent += message.length;
      if (!isFirst || sent < 60_000) server.send(message);
    });
    server.onMessage((message) => route.send(message));
  });
  await page.reload();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("By the harbour.");
  const picture = { name: "harbour.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "harbour") };
  await page.getByLabel("Add pictures").setInputFiles(picture);
  await page.getByRole("textbox", { name: "Description of picture 1" }).fill("A harbour.");
  await page.getByRole("button", { name: "Share Post" }).click();
  const bar = page.getByRole("progressbar", { name: "Posting" });
  await expect(bar).not.toHaveAttribute("aria-valuenow", "0");
  isDown = true;
  cut();
  await expect(page.getByRole("main").getByText("It goes on when you're back online.")).toBeVisible();
  const notice = page.getByText("You're offline. What you see may be old.");
  await expect(notice).toBeVisible({ timeout: 60_000 });
  const tryNow = page.getByRole("button", { name: "Try now" });
  // The header with the button appears first.
  await expect.poll(() => top(tryNow)).toBeGreaterThan(600);
  const above = await top(tryNow);
  for (const part of [
    bar,
    page.getByRole("button", { name: "Cancel" }),
    page.getByRole("button", { name: "Share Post" }),
  ]) {
    await expect(part).toBeInViewport({ ratio: 1 });
    expect(await bottom(part)).toBeLessThanOrEqual(above);
  }

  // The waits between attempts stay short, so the upload continues at the next attempt.
  isDown = false;
  await expect(ana.post("By the harbour.")).toBeVisible({ timeout: 60_000 });
  await page.context().close();
});

test("The accessible names of poll options and photos begin with their visible text", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await page.goto("/?tab=community-center");
  await page.getByRole("button", { name: "Create Poll" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Poll" });
  await dialog.getByRole("textbox", { name: "Question" }).fill("Tea or water?");
  await dialog.getByRole("textbox", { name: "Option 1" }).fill("Tea");
  await dialog.getByRole("textbox", { name: "Option 2" }).fill("Water");
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await page.getByRole("button", { name: "Tea", exact: true }).click();
  await expect(page.getByRole("button", { name: "Tea, 100%, your choice" })).toBeVisible();
  const mismatches = () => findings(page, { type: "rule", values: ["label-content-name-mismatch"] });
  expect(await mismatches()).toEqual([]);
  await ana.goesToOwnProfile();
  const photo = page.getByRole("button", { name: "Enlarge photo" });
  await expect(photo).toBeVisible();
  expect(await mismatches()).toEqual([]);
  const picture = { name: "me.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "harbour") };
  await page.getByLabel("Change Photo").setInputFiles(picture);
  await expect(photo.locator("img[data-here]")).toHaveCount(1);
  expect(await mismatches()).toEqual([]);
  await ana.leaves();
});

test("Shortcuts move from post to post, into a box and to every page, and only Ctrl and Enter send", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await posted(page, "The first of two.");
  await posted(page, "The second of two.");
  await ana.goesHome();
  const [second, first] = [ana.post("The second of two."), ana.post("The first of two.")];
  await expect(second).toBeVisible();
  // The shortcuts are loaded right after the first screen. On a busy machine more than one press may count.
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(page.locator("[data-item]:focus-within")).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.keyboard.press("k");
  await expect(second).toBeFocused();
  await page.keyboard.press("j");
  await expect(first).toBeFocused();
  await page.keyboard.press("k");
  await page.keyboard.press("c");
  await expect(box(second)).toBeFocused();
  await page.keyboard.type("just a note? go / now.");
  await page.keyboard.press("Control+Enter");
  await expect(
    second.getByRole("list", { name: "Comments" }).getByText("just a note? go / now."),
  ).toBeVisible();
  await page.getByRole("heading", { level: 1 }).click();
  for (const [keys, path] of [
    ["gn", "/notifications"],
    ["gs", "/settings"],
    ["gp", `/profile/${ana.id}`],
    ["gc", "/?tab=community-center"],
    ["gh", "/"],
    ["n", "/create-post"],
    ["gh", "/create-post"],
  ] as const) {
    // The first field of the composer may have the focus, where shortcuts do nothing.
    if (path === "/create-post" && keys === "gh") await page.getByRole("textbox", { name: "Title" }).focus();
    for (const key of keys) await page.keyboard.press(key);
    await expect(page).toHaveURL(path);
  }
  await page.getByRole("textbox", { name: "Title" }).fill("");
  await ana.goesHome();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search by name" })).toBeFocused();
  await expect(page.getByRole("searchbox", { name: "Search by name" })).toHaveValue("");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard Shortcuts" });
  await expect(dialog.getByRole("list", { name: "Shortcuts" })).toBeVisible();
  await dialog.getByRole("switch", { name: "Keyboard shortcuts" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await expect(page).toHaveURL("/search");
  await page.goto("/settings");
  const look = page.getByRole("region", { name: "Look" });
  await expect(look.getByRole("switch", { name: "Keyboard shortcuts" })).toHaveAttribute(
    "aria-checked",
    "false",
  );
  await ana.leaves();
});
