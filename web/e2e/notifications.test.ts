// Notifications, which are shown on every device with a dot, and mentions.

import { type Browser, type Page, expect, test } from "@playwright/test";

import { type Person, openOtherDevice, named, phone, phoneSized, signUp, openGuest } from "./people";
import { watchShifts } from "./shifts";

const bell = (page: Page) =>
  page.getByRole("banner").getByRole("link", { name: "Notifications", exact: true });
const bellNew = (page: Page) =>
  page.getByRole("banner").getByRole("link", { name: "Notifications, new", exact: true });
const items = (page: Page) => page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
const people = (page: Page) => page.getByRole("listbox", { name: "People" });

/** Ana has posted. Ben follows her and has her post open. */
async function anaAndBen(browser: Browser, options = {}): Promise<[Person, Person]> {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), options);
  await ben.follows(ana.name);
  await ana.publishes("The kettle is on.");
  await ben.goesHome();
  await expect(ben.post("The kettle is on.")).toBeVisible();
  return [ana, ben];
}

test("A notification shows a dot in every tab and on the phone, and reading it in one place clears it in all", async ({
  browser,
}) => {
  const [ana, ben] = await anaAndBen(browser);
  const { page } = ana;
  // The follow was the first notification.
  await expect(bellNew(page)).toBeVisible();
  await bell(page).or(bellNew(page)).click();
  await expect(page.getByRole("heading", { level: 1, name: "Notifications" })).toBeVisible();
  await expect(items(page)).toHaveCount(1);
  await expect(items(page)).toContainText(`${ben.name} started following you`);
  await expect(items(page).getByRole("link", { name: "View Post" })).toHaveCount(0);
  await expect(bell(page)).toBeVisible();

  const pocket = await openOtherDevice(browser, ana, phone);
  const other = await ana.opens("/");
  await page.bringToFront();
  await ana.goesHome();
  for (const one of [page, other, pocket.page]) await expect(bell(one)).toBeVisible();
  await pocket.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Search" }).tap();
  await expect(pocket.page.getByRole("heading", { level: 1, name: "Search" })).toBeVisible();
  const shifts = await watchShifts(pocket.page);
  // What was said is gone from the page after ten seconds, which a busy machine may need for the rest.
  const said = expect(page.getByRole("status").filter({ hasText: "New notification" })).toHaveCount(1);
  await ben.comments("The kettle is on.", `Milk for me, please. ${"And a biscuit. ".repeat(8)}`);
  for (const one of [page, other, pocket.page]) await expect(bellNew(one)).toBeVisible();
  expect(await shifts()).toBe(0);
  await said;

  await pocket.page.getByRole("banner").getByRole("link", { name: "Notifications, new" }).tap();
  for (const one of [page, other, pocket.page]) await expect(bell(one)).toBeVisible();
  const item = items(pocket.page).first();
  await expect(item).toContainText(`${ben.name} commented on your post`);
  await expect(item).toContainText("Milk for me, please. And a biscuit.");
  await expect(item).toContainText("…");
  await expect(item).toContainText("The kettle is on.");
  await expect(pocket.page.getByText("You're all caught up.")).toBeVisible();
  await pocket.page.reload();
  await expect(items(pocket.page)).toHaveCount(2);
  await expect(bell(pocket.page)).toBeVisible();

  // New notifications are added above what she reads, and nothing moves.
  await bell(page).click();
  await expect(items(page)).toHaveCount(2);
  const still = await watchShifts(page);
  const where = async () =>
    Math.round((await items(page).filter({ hasText: "Milk for me" }).boundingBox())?.y ?? -1);
  const was = await where();
  await ben.comments("The kettle is on.", "And sugar.");
  await expect(items(page)).toHaveCount(3);
  expect(await where()).toBe(was);
  expect(await still()).toBe(0);

  // A notification that is deleted here disappears on the other device. Another links to its post.
  await items(page).filter({ hasText: "And sugar." }).getByRole("button", { name: "Delete" }).click();
  await expect(items(page)).toHaveCount(2);
  await expect(items(pocket.page)).toHaveCount(2);
  await expect(pocket.page.getByText("And sugar.")).toHaveCount(0);
  await items(page).filter({ hasText: "Milk for me" }).getByRole("link", { name: "View Post" }).click();
  await expect(page).toHaveURL(/\/post\/\d+$/);
  await expect(page.getByRole("article").getByRole("list", { name: "Comments" })).toContainText(
    "Milk for me",
  );
  await ana.leaves();
  await pocket.leaves();
  await ben.leaves();
});

test("On a phone, comments on one post stand together under one quote, and five notifications fit", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const [ben, cleo] = [await signUp(browser, named("Ben")), await signUp(browser, named("Cleo"))];
  for (const one of [ben, cleo]) await one.follows(ana.name);
  await ana.publishes("The kettle is on.");
  await ana.publishes("A door in Leeds, the blue one by the canal.");
  for (const one of [ben, cleo]) await one.goesHome();
  await ben.comments("The kettle is on.", "Milk for me, please.");
  await ben.comments("A door in Leeds", "Which canal?");
  await cleo.comments("The kettle is on.", "And I bring the biscuits, the ones with the salt on them.");
  const { page } = ana;
  await bellNew(page).click();
  await expect(items(page)).toHaveCount(5);
  await expect(items(page).nth(0)).toContainText(`${cleo.name} commented on your post`);
  await expect(items(page).nth(1)).toContainText(`${ben.name} commented on your post`);
  await expect(items(page).nth(1)).toContainText("Milk for me, please.");
  await expect(items(page).nth(2)).toContainText("A door in Leeds");
  await expect(items(page).nth(3)).toContainText("started following you");
  await expect(page.getByRole("main").getByText("The kettle is on.")).toHaveCount(1);
  const bar = await page.getByRole("navigation", { name: "Main" }).boundingBox();
  const last = await items(page).nth(4).boundingBox();
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);

  // Another comment joins them at the top only if they are there, and moves nothing.
  const still = await watchShifts(page);
  const where = async () => (await items(page).filter({ hasText: "Which canal?" }).boundingBox())?.y;
  const was = await where();
  await ben.comments("A door in Leeds", "Never mind, I see it.");
  await expect(items(page)).toHaveCount(6);
  await expect(items(page).nth(0)).toContainText("Never mind, I see it.");
  // Firefox rounds places to a sixtieth of a pixel.
  expect(await where()).toBeCloseTo(was ?? 0, 1);
  expect(await still()).toBe(0);
  await page.reload();
  await expect(items(page).nth(0)).toContainText("Never mind, I see it.");
  await expect(items(page).nth(1)).toContainText("Which canal?");
  await items(page).nth(1).getByRole("button", { name: "Delete" }).click();
  await expect(items(page)).toHaveCount(5);
  await items(page).nth(2).getByRole("link", { name: "View Post" }).click();
  await expect(page).toHaveURL(/\/post\/\d+$/);
  for (const one of [ana, ben, cleo]) await one.leaves();
});

test("An action that is undone removes its notification and its dot", async ({ browser }) => {
  const [ana, ben] = await anaAndBen(browser);
  const { page } = ana;
  await bellNew(page).click();
  await items(page).getByRole("button", { name: "Delete" }).press("Enter");
  await expect(page.getByRole("heading", { name: "All quiet." })).toBeVisible();
  await expect(page.getByText("You're all caught up.")).toHaveCount(0);
  await ana.goesHome();

  await ben.comments("The kettle is on.", "Not for long.");
  await expect(bellNew(page)).toBeVisible();
  const card = ben.post("The kettle is on.");
  await card.getByRole("button", { name: "Delete comment" }).click();
  await ben.page
    .getByRole("alertdialog", { name: "Delete Comment" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(bell(page)).toBeVisible();
  await bell(page).click();
  await expect(page.getByRole("heading", { name: "All quiet." })).toBeVisible();

  // She deletes a comment in another tab. Its notification disappears here.
  await ben.comments("The kettle is on.", "Nor this.");
  await expect(items(page)).toContainText("Nor this.");
  const other = await ana.opens("/");
  await other.getByRole("article").getByRole("button", { name: "Delete comment" }).click();
  await other.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "All quiet." })).toBeVisible();
  await other.close();
  // Her own actions cause no notifications for her.
  await ana.goesHome();
  await ana.comments("The kettle is on.", "I take mine with milk.");
  await expect(bell(page)).toBeVisible();

  // A guest is asked to log in, and then sees the page of the link.
  await ana.logsOut();
  await page.goto("/notifications");
  const main = page.getByRole("main");
  await expect(main.getByText("You need to be logged in to view this page")).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: /Notifications/ })).toHaveCount(0);
  await main.getByRole("link", { name: "Log In" }).click();
  await expect(page).toHaveURL(/\/login\?next=%2Fnotifications$/);
  await page.getByRole("textbox", { name: "Email" }).fill(ana.email);
  await page.getByLabel("Password", { exact: true }).fill(ana.password);
  await main.getByRole("button", { name: "Log In" }).click();
  await expect(page).toHaveURL(/\/notifications$/);
  await expect(page.getByRole("heading", { name: "All quiet." })).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});

test("A guest is asked to log in before notifications, without a socket", async ({ browser }) => {
  const guest = await openGuest(browser, "Guest");
  await guest.page.goto("/notifications");
  await expect(
    guest.page.getByRole("main").getByText("You need to be logged in to view this page"),
  ).toBeVisible();
  expect(guest.sockets).toEqual([]);
  await guest.leaves();
});

test("A mention is chosen with the keyboard, shown as a link, and notified as a reply", async ({
  browser,
}) => {
  const [ana, ben] = await anaAndBen(browser);
  const cleo = await signUp(browser, named("Cleo"), phone);
  await cleo.page.goto(
    (await ben
      .post("The kettle is on.")
      .getByRole("link", { name: "View full post" })
      .getAttribute("href")) ?? "",
  );
  await cleo.comments("The kettle is on.", "Which blend?");
  await expect(ben.post("The kettle is on.").getByText("Which blend?")).toBeVisible();

  const card = ben.post("The kettle is on.");
  const box = card.getByRole("textbox", { name: "Write a comment" });
  // Reply is not offered on comments of the post's author and on the viewer's own.
  await ana.goesHome();
  await ana.comments("The kettle is on.", "The smoky one.");
  await expect(card.getByText("The smoky one.")).toBeVisible();
  await expect(card.getByRole("button", { name: "Reply" })).toHaveCount(1);
  await expect(cleo.post("The kettle is on.").getByRole("button", { name: "Reply" })).toHaveCount(0);

  // Matching users are offered after each character. The arrow keys choose, and Escape changes nothing.
  await box.pressSequentially("Ask @");
  await expect(people(ben.page).getByRole("option")).toHaveCount(2);
  await box.press("Escape");
  await expect(people(ben.page)).toHaveCount(0);
  await expect(box).toHaveValue("Ask @");
  await box.fill("");
  await box.pressSequentially("Ask @cl");
  await expect(people(ben.page).getByRole("option", { name: cleo.name, exact: true })).toBeVisible();
  await expect(people(ben.page).getByRole("option")).toHaveCount(1);
  await box.fill("");
  await box.pressSequentially("Ask @");
  const options = people(ben.page).getByRole("option");
  await expect(options).toHaveCount(2);
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await box.press("ArrowDown");
  await expect(options.last()).toHaveAttribute("aria-selected", "true");
  await expect(box).toHaveAttribute("aria-activedescendant", (await options.last().getAttribute("id")) ?? "");
  const chosen = (await options.last().locator("bdi").textContent()) ?? "";
  await box.press("Enter");
  await expect(people(ben.page)).toHaveCount(0);
  await expect(box).toHaveValue(`Ask @${chosen} `);
  await expect(box).toBeFocused();
  // The browser's own undo takes the choice back, and then what was typed before.
  await box.pressSequentially("now");
  await expect(box).toHaveValue(`Ask @${chosen} now`);
  const seen: string[] = [];
  while (seen.length < 20 && seen.at(-1) !== "") {
    await ben.page.keyboard.press("ControlOrMeta+z");
    seen.push(await box.inputValue());
  }
  expect([seen.includes("Ask @"), seen.at(-1)]).toEqual([true, ""]);

  // Reply inserts the name once and puts the caret after it.
  await card.getByRole("button", { name: "Reply" }).click();
  await expect(box).toHaveValue(`@${cleo.name} `);
  await expect(box).toBeFocused();
  await box.pressSequentially("the one with smoke in it.");
  await card.getByRole("button", { name: "Post Comment" }).click();
  const meant = cleo.post("The kettle is on.").getByRole("link", { name: `@${cleo.name}`, exact: true });
  await expect(meant).toBeVisible();

  // She is notified with the text of the comment. The author of the post is notified of a comment.
  await cleo.page.getByRole("banner").getByRole("link", { name: "Notifications, new" }).tap();
  await expect(items(cleo.page)).toHaveCount(1);
  await expect(items(cleo.page)).toContainText(`${ben.name} replied to you`);
  await expect(items(cleo.page)).toContainText(`@${cleo.name} the one with smoke in it.`);
  await expect(bellNew(ana.page)).toBeVisible();
  await items(cleo.page).getByRole("link", { name: "View Post" }).tap();
  await meant.tap();
  await expect(cleo.page.getByRole("heading", { level: 1, name: cleo.name })).toBeVisible();
  await ana.leaves();
  await ben.leaves();
  await cleo.leaves();
});

test("Names in any script are kept exactly, old comments show a new name, and typed markup stays text", async ({
  browser,
}) => {
  const [ana, ben] = await anaAndBen(browser);
  const card = ben.post("The kettle is on.");
  await card.getByRole("link", { name: "View full post" }).click();
  await expect(ben.page.getByRole("button", { name: "Back" })).toBeVisible();
  const box = card.getByRole("textbox", { name: "Write a comment" });
  const tag = named("").trim();
  const list = card.getByRole("list", { name: "Comments" });
  const hers = ana.post("The kettle is on.");
  const names = [`🍋 Lemon_Tree + Co ${tag}`, `נועה בן־דוד ${tag}`];
  const others: Person[] = [];
  for (const name of names) {
    const other = await signUp(browser, name);
    others.push(other);
    await other.page.goto(ben.page.url());
    await other.comments("The kettle is on.", `Said by ${name}`);
    await expect(list.getByText(`Said by ${name}`)).toBeVisible();
    await list
      .getByRole("listitem")
      .filter({ hasText: `Said by ${name}` })
      .getByRole("button", { name: "Reply" })
      .click();
    await box.pressSequentially("hello");
    await expect(box).toHaveValue(`@${name} hello`);
    await card.getByRole("button", { name: "Post Comment" }).click();
    await expect(list.getByRole("link", { name: `@${name}`, exact: true })).toBeVisible();
  }
  await ana.page.reload();
  await hers.getByRole("button", { name: /^Show \d more comment/ }).click();
  for (const name of names)
    await expect(hers.getByRole("link", { name: `@${name}`, exact: true })).toBeVisible();
  // Names in any script are found.
  await box.pressSequentially("@נו");
  await expect(people(ben.page).getByRole("option", { name: names[1], exact: true })).toBeVisible();
  await box.press("Tab");
  await expect(box).toHaveValue(`@${names[1]} `);
  await box.fill("");

  const [lemon] = others;
  if (lemon === undefined) throw new Error("nobody");
  await lemon.renames(`Lime ${tag}`);
  for (const one of [list, hers]) {
    await expect(one.getByRole("link", { name: `@Lime ${tag}`, exact: true })).toBeVisible();
    await expect(one.getByText("Lemon_Tree +", { exact: false }).filter({ hasText: "hello" })).toHaveCount(0);
  }

  const wicked = `<img src=x onerror="document.title='gone'"> <b>bold</b> javascript:alert(1) https://example.com/a?b=1&c=2`;
  await box.fill(wicked);
  await card.getByRole("button", { name: "Post Comment" }).click();
  const there = hers.getByRole("listitem").filter({ hasText: "<b>bold</b>" });
  await expect(there).toContainText(wicked);
  await expect(there.locator("img:not([src*='/media/']), b")).toHaveCount(0);
  const link = there.getByRole("link", { name: "https://example.com/a?b=1&c=2" });
  await expect(link).toHaveAttribute("href", "https://example.com/a?b=1&c=2");
  await expect(link).toHaveAttribute("rel", "nofollow ugc noopener noreferrer");
  await expect(there.getByRole("link")).toHaveCount(2);
  expect(await ana.page.title()).not.toBe("gone");
  for (const one of [ana, ben, ...others]) await one.leaves();
});
