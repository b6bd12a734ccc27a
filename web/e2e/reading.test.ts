// Posts with pictures, and posts that are edited while they are read.

import { type Browser, type Locator, type Page, type WebSocketRoute, expect, test } from "@playwright/test";

import { chromiumTools } from "./chromium";
import { drawn, turning } from "./drawn";
import { type Person, named, phone, phoneSized, signUp } from "./people";
import { watchShifts } from "./shifts";
import { type Shown, posted } from "./wire";

/** Returns an author and a follower. */
async function two(browser: Browser, options = {}): Promise<[Person, Person]> {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), options);
  await ben.follows(ana.name);
  return [ana, ben];
}

async function fourPictures(browser: Browser): Promise<Shown[]> {
  return [
    { bytes: await drawn(browser, "harbour"), alt: "A chair on a pier, facing the water." },
    { bytes: await drawn(browser, "bread"), alt: "A loaf of bread." },
    { bytes: await drawn(browser, "hills") },
    { bytes: await drawn(browser, "plums"), alt: "Four plums." },
  ];
}

const here = (card: Locator, n: number) => card.getByRole("button", { name: `Open picture ${n} of` });
const came = (card: Locator, n: number) => expect(here(card, n)).toHaveAttribute("data-picture", "here");
const viewer = (page: Page) => page.getByRole("dialog", { name: "Picture viewer" });

/** Expects that a picture begins where its row begins, or is whole in the row, as the last ones are at its end. */
async function isShown(card: Locator, n: number): Promise<void> {
  const off = async () => {
    const [slide, row] = [
      await here(card, n).boundingBox(),
      await card.getByRole("group", { name: "Pictures" }).boundingBox(),
    ];
    if (slide === null || row === null) return Infinity;
    const isWhole = slide.x >= row.x - 1 && slide.x + slide.width <= row.x + row.width + 1;
    return isWhole ? 0 : Math.abs(slide.x - row.x);
  };
  await expect.poll(off).toBeLessThan(2);
}

/** Holds back requests for these files. Returns a function that releases them. */
async function holdBack(page: Page, files: RegExp): Promise<() => void> {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  await page.route(files, async (route) => {
    await opened;
    await route.continue();
  });
  return open;
}

/** Scrolls an element to the middle of the screen, where no bar covers it. */
const isLookedAt = (part: Locator) =>
  part.evaluate((one) => one.scrollIntoView({ block: "center", behavior: "instant" }));

/** Swipes sideways over an element. */
async function swipe(page: Page, over: Locator, by: number): Promise<void> {
  await isLookedAt(over);
  const box = await over.boundingBox();
  if (box === null) throw new Error("nothing to swipe over");
  const finger = await chromiumTools(page);
  const [x, y] = [box.x + box.width / 2 - by / 2, box.y + box.height / 2];
  await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  for (let step = 1; step <= 10; step += 1) {
    await finger.send("Input.dispatchTouchEvent", {
      type: "touchMove",
      touchPoints: [{ x: x + (by * step) / 10, y }],
    });
    await page.waitForTimeout(16);
  }
  await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("The space of a picture is reserved before it loads, and nothing moves when it does", async ({
  browser,
}) => {
  const [ana, ben] = await two(browser, phoneSized);
  await posted(ana.page, "Before work, at the harbour.", await fourPictures(browser));
  const carousel = await holdBack(ben.page, /\/assets\/Carousel-.*\.js/);
  const media = await holdBack(ben.page, /\/media\//);
  await ben.goesHome();
  const card = ben.post("Before work, at the harbour.");
  const group = card.getByRole("group", { name: "Pictures" });
  await expect(group).toBeVisible();
  await isLookedAt(group);
  const shifts = await watchShifts(ben.page);
  const space = await group.boundingBox();
  expect(space?.height).toBeGreaterThan(180);

  await expect(group.getByRole("button")).toHaveCount(0);
  carousel();
  await expect(here(card, 1)).toHaveAttribute("data-picture", "waiting");
  await expect(group.getByText("1 / 4")).toBeVisible();
  media();
  await came(card, 1);
  expect(await group.boundingBox()).toEqual(space);
  for (const n of [2, 3, 4]) {
    await group.getByRole("button", { name: "Next picture" }).click();
    await came(card, n);
    await isShown(card, n);
  }
  expect(await group.boundingBox()).toEqual(space);
  expect(await shifts()).toBe(0);
  await ana.leaves();
  await ben.leaves();
});

test("The carousel is operated with the mouse and the keyboard, and a single picture has no controls", async ({
  browser,
}) => {
  const [ana, ben] = await two(browser);
  const four = await fourPictures(browser);
  await posted(ana.page, "Just the one.", four.slice(0, 1));
  await posted(ana.page, "All four of them.", four);
  await ben.goesHome();
  const card = ben.post("All four of them.");
  const group = card.getByRole("group", { name: "Pictures" });
  await expect(
    group.getByRole("button", {
      name: "Open picture 1 of 4: A chair on a pier, facing the water.",
      exact: true,
    }),
  ).toBeVisible();
  await expect(group.getByRole("button", { name: "Open picture 3 of 4", exact: true })).toHaveCount(1);
  await group.getByRole("button", { name: "Next picture" }).click();
  await expect(group.getByText("2 / 4")).toBeVisible();
  await isShown(card, 2);
  await group.getByRole("button", { name: "Previous picture" }).click();
  await expect(group.getByText("1 / 4")).toBeVisible();
  await isShown(card, 1);
  // These presses are faster than the carousel can scroll.
  for (let press = 0; press < 3; press += 1)
    await group.getByRole("button", { name: "Next picture" }).click();
  await expect(group.getByText("4 / 4")).toBeVisible();
  await isShown(card, 4);

  await here(card, 4).focus();
  await ben.page.keyboard.press("ArrowLeft");
  await expect(group.getByText("3 / 4")).toBeVisible();
  await expect(here(card, 3)).toBeFocused();
  await isShown(card, 3);
  await ben.page.keyboard.press("Home");
  await expect(here(card, 1)).toBeFocused();
  await isShown(card, 1);
  await ben.page.keyboard.press("Tab");
  await expect(group.getByRole("button", { name: "Previous picture" })).toBeFocused();

  const one = ben.post("Just the one.").getByRole("group", { name: "Pictures" });
  await one.scrollIntoViewIfNeeded();
  await expect(one.getByRole("button")).toHaveCount(1);
  await expect(one.getByRole("button")).toHaveAccessibleName(
    "Open picture 1 of 1: A chair on a pier, facing the water.",
  );
  await expect(one.getByText("1 / 1")).toHaveCount(0);
  await ana.leaves();
  await ben.leaves();
});

test("Pictures follow a swipe, on the card and in the viewer", async ({ browser }) => {
  const [ana, ben] = await two(browser, phone);
  await posted(ana.page, "All four of them.", await fourPictures(browser));
  await ben.goesHome();
  const card = ben.post("All four of them.");
  const group = card.getByRole("group", { name: "Pictures" });
  await came(card, 1);
  await swipe(ben.page, group, -220);
  await expect(group.getByText("2 / 4")).toBeVisible();
  await isShown(card, 2);
  await came(card, 2);
  await swipe(ben.page, group, 220);
  await expect(group.getByText("1 / 4")).toBeVisible();
  await isShown(card, 1);
  await expect(ben.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();

  await here(card, 1).tap();
  const dialog = viewer(ben.page);
  await expect(dialog.getByText("1 / 4")).toBeVisible();
  await swipe(ben.page, dialog, -260);
  await expect(dialog.getByText("2 / 4")).toBeVisible();
  await expect(dialog.getByRole("img", { name: "A loaf of bread." })).toBeInViewport({ ratio: 0.95 });
  await expect(dialog.getByText("A loaf of bread.")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).tap();
  await expect(dialog).toHaveCount(0);
  await expect(group.getByText("1 / 4")).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});

test("A picture opens in the viewer, and closing it returns to the same position", async ({ browser }) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "All four of them.", await fourPictures(browser));
  for (let at = 0; at < 3; at += 1) await ana.publishes(`Something else ${at}.`);
  await ben.goesHome();
  const card = ben.post("All four of them.");
  await card.scrollIntoViewIfNeeded();
  await came(card, 1);
  await card.getByRole("button", { name: "Next picture" }).click();
  await here(card, 2).click();
  const dialog = viewer(ben.page);
  await expect(dialog.getByText("2 / 4")).toBeVisible();
  const picture = dialog.getByRole("img", { name: "A loaf of bread." });
  await expect(picture).toBeFocused();
  await expect(dialog.getByText("A loaf of bread.")).toBeVisible();
  expect((await picture.boundingBox())?.height).toBeGreaterThan(500);
  const behind = await ben.page.evaluate(() => scrollY);
  await ben.page.mouse.move(600, 400);
  await ben.page.mouse.wheel(0, 400);

  await ben.page.keyboard.press("ArrowRight");
  await expect(dialog.getByText("3 / 4")).toBeVisible();
  await expect(dialog.getByRole("img")).toBeFocused();
  await expect(dialog.getByRole("img")).toBeInViewport({ ratio: 0.95 });
  await dialog.getByRole("button", { name: "Next picture" }).click();
  await dialog.getByRole("button", { name: "Next picture" }).click();
  await expect(dialog.getByRole("img", { name: "A chair on a pier, facing the water." })).toBeInViewport({
    ratio: 0.95,
  });
  await dialog.getByRole("button", { name: "Previous picture" }).click();
  await expect(dialog.getByText("4 / 4")).toBeVisible();
  for (let press = 0; press < 5; press += 1) {
    await ben.page.keyboard.press("Tab");
    expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true);
  }
  await ben.page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(here(card, 2)).toBeFocused();
  expect(await ben.page.evaluate(() => scrollY)).toBe(behind);

  await ben.page.keyboard.press("Enter");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(here(card, 2)).toBeFocused();
  // A press beside the picture closes the viewer.
  await here(card, 2).click();
  const box = await dialog.getByRole("img").boundingBox();
  await dialog.getByRole("img").click({ position: { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 } });
  await expect(dialog).toBeVisible();
  await dialog.getByRole("img").click({ position: { x: 12, y: 12 } });
  await expect(dialog).toHaveCount(0);
  await ana.leaves();
  await ben.leaves();
});

test("An animated picture plays only when asked to", async ({ browser }) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "Round and round.", [{ bytes: turning(), alt: "Two colours in turn." }]);
  await ben.goesHome();
  const card = ben.post("Round and round.");
  await came(card, 1);
  const fetched: string[] = [];
  ben.page.on("request", (request) => fetched.push(request.url()));
  await expect(card.locator("[data-playing]")).toHaveCount(0);
  await card.getByRole("button", { name: "Play" }).click();
  await expect(card.locator("[data-playing]")).toBeVisible();
  expect(fetched.filter((url) => url.includes(".gif"))).toHaveLength(1);
  await card.getByRole("button", { name: "Pause" }).click();
  await expect(card.locator("[data-playing]")).toHaveCount(0);
  await here(card, 1).click();
  await expect(viewer(ben.page).locator("[data-playing]")).toHaveCount(0);
  await viewer(ben.page).getByRole("button", { name: "Play" }).click();
  await expect(viewer(ben.page).locator("[data-playing]")).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});

test("A picture that cannot be loaded says so, and loads when the connection is back", async ({
  browser,
}) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "A loaf.", [{ bytes: await drawn(browser, "bread"), alt: "A loaf of bread." }]);
  await ben.page.route(/\/media\//, (route) => route.abort());
  await ben.goesHome();
  const card = ben.post("A loaf.");
  await expect(card.getByText("This picture couldn't be loaded.")).toBeVisible();
  await expect(card.getByText("A loaf of bread.")).toBeVisible();
  await ben.page.unroute(/\/media\//);
  await ben.page.context().setOffline(true);
  await expect(ben.page.getByRole("status", { name: "Connection" })).not.toHaveText("Live");
  await ben.page.context().setOffline(false);
  await came(card, 1);
  await ana.leaves();
  await ben.page.context().close();
});

test("The code of the carousel is loaded again by a press after it failed to load", async ({ browser }) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "A loaf.", [{ bytes: await drawn(browser, "bread"), alt: "A loaf of bread." }]);
  await ben.page.route(/\/assets\/(?:Carousel|PictureViewer)-/, (route) => route.abort());
  await ben.goesHome();
  const card = ben.post("A loaf.");
  const group = card.getByRole("group", { name: "Pictures" });
  await expect(group.getByText("Couldn't load the pictures.")).toBeVisible();
  await isLookedAt(group);
  const space = await group.boundingBox();
  await ben.page.unroute(/\/assets\/(?:Carousel|PictureViewer)-/);
  await ben.page.route(/\/assets\/PictureViewer-/, (route) => route.abort());
  await group.getByRole("button", { name: "Try again" }).click();
  await came(card, 1);
  expect(await group.boundingBox()).toEqual(space);

  await here(card, 1).click();
  await expect(group.getByText("Couldn't open this. Please try again.")).toBeVisible();
  await ben.page.unroute(/\/assets\/PictureViewer-/);
  await here(card, 1).click();
  await expect(viewer(ben.page).getByRole("img", { name: "A loaf of bread." })).toBeFocused();
  const [box, screen] = [await viewer(ben.page).boundingBox(), ben.page.viewportSize()];
  expect(box?.height).toBe(screen?.height);
  await ana.leaves();
  await ben.page.context().close();
});

test("Back closes the viewer in every browser, and closing it otherwise leaves nothing behind", async ({
  browser,
}) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "All four of them.", await fourPictures(browser));
  await ben.goesHome();
  const card = ben.post("All four of them.");
  const dialog = viewer(ben.page);
  const at = () => ben.page.evaluate(() => [location.pathname, scrollY]);
  await card.getByRole("link", { name: "View full post" }).click();
  await expect(ben.page).toHaveURL(/\/post\//);
  const post = ben.page.getByRole("article", { name: `Post by ${ana.name}` });
  await came(post, 1);
  await here(post, 1).click();
  await expect(dialog.getByText("1 / 4")).toBeVisible();
  const behind = await at();
  await ben.page.goBack();
  await expect(dialog).toHaveCount(0);
  expect(await at()).toEqual(behind);
  await expect(here(post, 1)).toBeFocused();

  // Opened and closed by keys several times, as fast as a browser can.
  for (let time = 0; time < 3; time += 1) {
    await ben.page.keyboard.press("Enter");
    await expect(dialog).toBeVisible();
    await ben.page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  }
  await ben.page.keyboard.press("Enter");
  await expect(dialog).toBeVisible();
  await ben.page.reload();
  await came(post, 1);
  await expect(dialog).toHaveCount(0);
  await here(post, 1).click();
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
  await ben.page.waitForFunction(() => !("layer" in (history.state as object)));
  await ben.page.goBack();
  await expect(ben.page).toHaveURL(/\/$/);
  await expect(card).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});

test("A post deleted while its picture is open closes the viewer and says so", async ({ browser }) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "Not for long.", await fourPictures(browser));
  await ben.goesHome();
  const card = ben.post("Not for long.");
  await here(card, 1).click();
  await expect(viewer(ben.page)).toBeVisible();
  await ana.goesToOwnProfile();
  await ana.post("Not for long.").getByRole("button", { name: "Delete", exact: true }).click();
  await ana.page
    .getByRole("alertdialog", { name: "Delete Post" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(ben.page.getByText("Removed", { exact: true })).toBeFocused();
  await expect(viewer(ben.page)).toHaveCount(0);
  await expect(card).toHaveCount(0);
  await expect(ben.page.getByRole("status").filter({ hasText: "This post was removed" })).toHaveCount(1);
  await ana.leaves();
  await ben.leaves();
});

test("An edit is shown in the feed, behind the new posts button and on the page of the post", async ({
  browser,
}) => {
  const [ana, ben] = await two(browser);
  await posted(ana.page, "The ketle is on.", (await fourPictures(browser)).slice(0, 1), {
    title: "Tee",
    tag: "Kitchen",
  });
  await ben.goesHome();
  const card = ben.post("The ketle is on.");
  await expect(card.getByText("(edited)")).toHaveCount(0);
  const page = await ben.page.context().newPage();
  await page.goto((await card.getByRole("link", { name: "View full post" }).getAttribute("href")) ?? "");
  const whole = page.getByRole("article");
  await expect(whole.getByText("The ketle is on.")).toBeVisible();
  await card.getByRole("textbox", { name: "Write a comment" }).fill("half a thou");
  await posted(ana.page, "This one wates.", []);
  await expect(ben.page.getByRole("button", { name: "1 new post" })).toBeVisible();

  await ana.goesToOwnProfile();
  const hers = ana.post("The ketle is on.");
  await hers.getByRole("button", { name: "Edit" }).click();
  const form = ana.page
    .getByRole("article")
    .filter({ has: ana.page.getByRole("textbox", { name: "Title" }) });
  await expect(form.getByRole("textbox", { name: "Title" })).toBeFocused();
  await expect(form.getByText("3/100")).toBeVisible();
  await expect(form.getByText("16/2000")).toBeVisible();
  await form.getByRole("textbox", { name: "Text" }).fill("  ");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toHaveText("Post text cannot be empty");
  await form.getByRole("textbox", { name: "Text" }).fill("The kettle is on.");
  await expect(form.getByRole("alert")).toHaveCount(0);
  await form.getByRole("textbox", { name: "Title" }).fill("Tea");
  await form.getByRole("combobox", { name: "Audience" }).selectOption("Everyone here");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(
    ana.page.getByRole("region", { name: /^Messages/ }).getByText("Post updated successfully"),
  ).toBeVisible();
  const mended = ana.post("The kettle is on.");
  await expect(mended.getByRole("button", { name: "Edit" })).toBeFocused();
  await expect(mended.getByText("(edited)")).toBeVisible();

  for (const where of [ben.post("The kettle is on."), page.getByRole("article")]) {
    await expect(where.getByText("The kettle is on.")).toBeVisible();
    await expect(where.getByRole("heading", { name: "Tea" })).toBeVisible();
    await expect(where.getByText("(edited)")).toBeVisible();
    await expect(where.getByRole("group", { name: "Pictures" })).toBeVisible();
  }
  await expect(ben.post("The kettle is on.").getByRole("textbox", { name: "Write a comment" })).toHaveValue(
    "half a thou",
  );

  await ana.post("This one wates.").getByRole("button", { name: "Edit" }).click();
  await ana.page.getByRole("textbox", { name: "Text" }).fill("This one waits.");
  await ana.page.getByRole("button", { name: "Save" }).click();
  await expect(ana.post("This one waits.")).toBeVisible();
  await ben.page.getByRole("button", { name: "1 new post" }).click();
  await expect(ben.post("This one waits.").getByText("(edited)")).toBeVisible();
  await page.close();
  await ana.leaves();
  await ben.leaves();
});

test("An unsaved edit is kept when the login ends", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("First words.");
  let connection: WebSocketRoute | null = null;
  await ana.page.routeWebSocket(/\/ws$/, (route) => {
    route.connectToServer();
    connection = route;
  });
  await ana.page.reload();
  await ana.goesToOwnProfile();
  await ana.post("First words.").getByRole("button", { name: "Edit" }).click();
  const text = ana.page.getByRole("textbox", { name: "Text" });
  await text.fill("Half a thought.");
  await (connection as WebSocketRoute | null)?.close({ code: 4002 });
  const dialog = ana.page.getByRole("dialog", { name: "Log In" });
  await dialog.getByLabel("Password", { exact: true }).fill(ana.password);
  await dialog.getByRole("button", { name: "Log In" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(text).toHaveValue("Half a thought.");
  await ana.page.getByRole("button", { name: "Save" }).click();
  await expect(ana.post("Half a thought.").getByText("(edited)")).toBeVisible();
  await ana.leaves();
});

test("An unsaved edit is kept after an edit on another device, a lost connection and the deletion of the post", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("First words.");
  await ana.goesToOwnProfile();
  const laptop = await ana.page.context().newPage();
  await laptop.goto(ana.page.url());
  const there = laptop.getByRole("article");

  await ana.post("First words.").getByRole("button", { name: "Edit" }).click();
  const text = ana.page.getByRole("textbox", { name: "Text" });
  await text.fill("Words from the phone.");
  await there.getByRole("button", { name: "Edit" }).click();
  await there.getByRole("textbox", { name: "Text" }).fill("Words from the laptop.");
  await there.getByRole("button", { name: "Save" }).click();
  await expect(there.getByText("Words from the laptop.")).toBeVisible();
  await expect(ana.page.getByText("This post was changed on another device meanwhile.")).toBeVisible();
  await expect(text).toHaveValue("Words from the phone.");

  await ana.page.context().setOffline(true);
  await expect(ana.page.getByRole("status", { name: "Connection" })).toContainText("You're offline.");
  await ana.page.getByRole("button", { name: "Save" }).click();
  await expect(
    ana.page.getByRole("article").getByText("Saved. It will go out when you're back online."),
  ).toBeVisible();
  await ana.page.context().setOffline(false);
  await expect(ana.post("Words from the phone.").getByRole("button", { name: "Edit" })).toBeVisible();
  await expect(there.getByText("Words from the phone.")).toBeVisible();

  await ana.post("Words from the phone.").getByRole("button", { name: "Edit" }).click();
  await text.fill("Nobody will read this.");
  await there.getByRole("button", { name: "Delete", exact: true }).click();
  await laptop.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(ana.page.getByText("Removed", { exact: true })).toBeFocused();
  await expect(ana.page.getByText("Nobody will read this.")).toBeVisible();
  await ana.page.context().close();
});

test("Somebody who reads with the keyboard is where they were after Back, a dialog, and a vote without a network", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  for (let at = 6; at > 0; at -= 1) await posted(ana.page, `Page ${at}. ${"And so on. ".repeat(60)}`);
  await ben.follows(ana.name);
  await ben.goesHome();
  const { page } = ben;
  const item = page.locator("[data-item]").filter({ hasText: "Page 4." });
  const isHere = async () => {
    await expect(item).toBeFocused();
    await expect(item).toBeInViewport();
  };
  await expect(ben.post("Page 4.")).toBeVisible();
  for (let at = 1; at <= 4; at += 1) await page.keyboard.press("j");
  await expect(ben.post("Page 4.")).toBeFocused();

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await isHere();

  await ben.post("Page 4.").getByRole("link", { name: "View full post" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/post\//u);
  await expect(ben.post("Page 4.")).toBeVisible();
  await page.goBack();
  await isHere();

  await page.context().setOffline(true);
  await expect(page.getByRole("status", { name: "Connection" })).toContainText("You're offline.");
  await ben.post("Page 4.").getByRole("button", { name: "Positive Vibes" }).focus();
  await page.keyboard.press("Space");
  await isHere();
  await page.getByRole("link", { name: "Notifications" }).click();
  await expect(page.getByRole("main").getByText("This screen wasn't kept.")).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("Loading notifications")).toHaveCount(0);
  await expect(page.getByText("This screen wasn't kept.")).toHaveCount(0);
  // A screen that could not be loaded is an error in the console too.
  await page.context().close();
  await ana.leaves();
});
