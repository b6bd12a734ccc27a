// Circles: the two tabs of home, the theme of the day, how everybody is, and small questions.

import { execFileSync } from "node:child_process";

import { type Locator, type Page, devices, expect, test } from "@playwright/test";

import { type Frame, HeldLine } from "./line";
import { looked } from "./looked";
import { elsewhere, named, someone, stranger } from "./people";

const { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch } = devices["Pixel 7"];
const phone = { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch };

const CENTER = "/?tab=community-center";
const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const tab = (page: Page, name: string) =>
  page.getByRole("tablist", { name: "Home" }).getByRole("tab", { name, exact: true });
const themeCard = (page: Page) => page.getByRole("region", { name: "Today's Theme" });
const vibes = (page: Page) => page.getByRole("region", { name: "Vibe Check" });
const moods = (page: Page) => vibes(page).getByRole("list", { name: "Moods today" }).getByRole("listitem");
const polls = (page: Page) => page.getByRole("region", { name: "Community Polls" });

async function isAt(page: Page, name: "Your Space" | "Community Center"): Promise<void> {
  await expect(title(page, name)).toBeVisible();
  await expect(tab(page, name)).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("tab", { selected: false })).toHaveCount(1);
  await expect(page.getByRole("tabpanel", { name, exact: true })).toHaveCount(1);
}

/** A finger that goes so many pixels sideways and down, from a place on the page. */
async function swipe(page: Page, from: Locator, by: { x: number; y?: number }): Promise<void> {
  const box = await from.boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  if (box === null) throw new Error("nothing to begin on");
  const finger = await page.context().newCDPSession(page);
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

/** What the host of this Mellow types. */
function sets(theme: { title: string; description: string; tag: string }): void {
  const words = Object.entries(theme).flatMap(([name, value]) => [`--${name}`, value]);
  execFileSync("../target/debug/mellow", ["theme", "set", ...words, "--data", process.env["E2E_DATA"] ?? ""]);
}

/** A place on earth where it is about this hour of the day now. */
function where(hour: number): string {
  const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  // The names of these places count westward.
  return `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}

async function shares(page: Page, slot: "Morning" | "Evening", mood: string): Promise<void> {
  await vibes(page)
    .getByRole("button", { name: `Set ${slot} Vibe`, exact: true })
    .click();
  await vibes(page).getByRole("radio", { name: mood, exact: true }).check();
  await vibes(page).getByRole("button", { name: "Share", exact: true }).click();
}

async function asks(page: Page, question: string, options: string[]): Promise<void> {
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Poll" });
  await dialog.getByRole("textbox", { name: "Question" }).fill(question);
  for (const [at, text] of options.entries()) {
    if (at > 1) await dialog.getByRole("button", { name: "Add option" }).click();
    await dialog.getByRole("textbox", { name: `Option ${at + 1}` }).fill(text);
  }
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await expect(dialog).toHaveCount(0);
}

const poll = (page: Page, question: string) =>
  polls(page).getByRole("article", { name: question, exact: true });

/** Each option of a poll as it is named now. */
async function reads(page: Page, question: string, options: string[]): Promise<void> {
  for (const name of options)
    await expect(poll(page, question).getByRole("button", { name, exact: true })).toBeVisible();
}

/** Everything that stands under this name, however deep. */
function all(name: string, within: unknown): unknown[] {
  if (typeof within !== "object" || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) => (key === name ? [value] : all(name, value)));
}

test("Home has two tabs: by press, by key, by address and by Back, and a tag is kept between them", async ({
  browser,
}) => {
  const ana = await someone(browser, named("Ana"));
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

  // One stop for the Tab key; the arrows go from one to the other, and around.
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

  // A tag belongs to the address, and stays there while one looks in at the other tab.
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

test("A finger goes from tab to tab, a short way or a steep one goes nowhere", async ({ browser }) => {
  const ana = await someone(browser, named("Ana"), phone);
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
  // Anywhere on the panel.
  await swipe(page, page.getByRole("region", { name: "Daily Huddle" }), { x: 260, y: 40 });
  await isAt(page, "Your Space");
  await page.goBack();
  await isAt(page, "Community Center");
  await ana.leaves();
});

test("Today's theme greets guests and people, opens once, and changes when nobody is reading", async ({
  browser,
}) => {
  sets({
    title: "First light",
    description: "What did the morning look like where you are?",
    tag: "First Light",
  });
  const guest = await stranger(browser, "Guest");
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

  const ana = await someone(browser, named("Ana"));
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

  // It was open on the first visit; how it was left is how it is found.
  await page.reload();
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await expect(heading).toHaveCount(0);
  await toggle.click();
  await page.reload();
  await expect(heading).toHaveText("First light");

  // The host has another idea, and a sign that means something in addresses. Nothing changes under her eyes.
  const line = await HeldLine.of(page);
  const told = new Promise<void>((resolve) => {
    line.in = (_, reply) => void (reply["ev"] === "theme.changed" && resolve());
  });
  await expect(page.getByRole("status", { name: "Connection" })).toHaveText("Live");
  await expect(heading).toHaveText("First light");
  sets({ title: "Tea and toast", description: "What is on your table?", tag: "Tea & toast" });
  await told;
  await expect(heading).toHaveText("First light");
  // The line was passed on before the page has read it, so she may come back a moment too early.
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

test("A mood is picked from twenty-five, shared once, and seen at once by those who follow and nobody else", async ({
  browser,
}) => {
  const ana = await someone(browser, named("Ana"), { timezoneId: where(9) });
  const ben = await someone(browser, named("Ben"), { timezoneId: where(19) });
  const cleo = await someone(browser, named("Cleo"));
  await ben.follows(ana.name);
  await ben.goesHome();
  await cleo.page.goto(CENTER);
  for (const one of [ben, cleo])
    await expect(vibes(one.page).getByText("Nobody has shared a mood today.")).toBeVisible();
  const { page } = ana;
  await ana.goesHome();
  const other = await ana.opens(CENTER);
  const start = (where: Page) => vibes(where).getByRole("button", { name: "Set Morning Vibe", exact: true });
  await expect(start(other)).toBeVisible();
  await page.bringToFront();

  // By keys alone: the grid goes in both directions, and Share waits for a choice.
  await start(page).press("Enter");
  const grid = vibes(page).getByRole("radiogroup", { name: "Moods" });
  const radio = (name: string) => grid.getByRole("radio", { name, exact: true });
  const share = vibes(page).getByRole("button", { name: "Share", exact: true });
  await expect(grid.getByRole("radio")).toHaveCount(25);
  await expect(radio("Happy")).toBeFocused();
  await expect(grid.getByRole("radio", { checked: true })).toHaveCount(0);
  await expect(share).toBeDisabled();
  for (const [key, name] of [
    ["ArrowRight", "Relaxing"],
    ["ArrowDown", "Silly"],
    ["End", "Excited"],
    ["ArrowUp", "Snacking"],
    ["Home", "Happy"],
    ["ArrowDown", "Cozy"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(radio(name)).toBeFocused();
    await expect(radio(name)).toBeChecked();
  }
  await expect(share).toBeEnabled();
  await vibes(page).getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(start(page)).toBeFocused();
  await expect(moods(ben.page)).toHaveCount(0);
  await start(page).press("Enter");
  await radio("Mind Blown").check();
  await share.press("Enter");

  const morning = "You've set your morning vibe. See you this evening.";
  for (const one of [page, other]) {
    await expect(vibes(one).getByText(morning, { exact: true })).toBeVisible();
    await expect(vibes(one).getByRole("button")).toHaveCount(0);
  }
  await expect(moods(ben.page)).toHaveCount(1);
  await expect(moods(ben.page).getByRole("link", { name: ana.name, exact: true })).toBeVisible();
  await expect(moods(ben.page).getByText("Mind Blown", { exact: true })).toBeVisible();
  await expect(moods(cleo.page)).toHaveCount(0);

  // Ben's own day is elsewhere in its course. He shares in the other place where it can be.
  await tab(ben.page, "Community Center").click();
  await expect(moods(ben.page).getByText("Mind Blown", { exact: true })).toBeVisible();
  await shares(ben.page, "Evening", "Sleepy");
  await expect(vibes(ben.page).getByText("You've set your evening vibe.", { exact: true })).toBeVisible();
  await page.reload();
  await expect(vibes(page).getByText(morning, { exact: true })).toBeVisible();

  // No longer followed, no longer seen: at once, where it stands in another tab too. And back again.
  const second = await ben.opens("/");
  await expect(moods(second)).toHaveCount(1);
  await ben.page.bringToFront();
  await ben.finds(ana.name);
  await ben.page.getByRole("button", { name: "Unfollow" }).click();
  await expect(vibes(second).getByText("Nobody has shared a mood today.")).toBeVisible();
  await ben.page.getByRole("button", { name: "Follow", exact: true }).click();
  await expect(moods(second).getByText("Mind Blown", { exact: true })).toBeVisible();
  await cleo.page.reload();
  await expect(vibes(cleo.page).getByText("Nobody has shared a mood today.")).toBeVisible();
  for (const one of [ana, ben, cleo]) await one.leaves();
});

test("A poll is asked, answered once, and counted before the eyes of those who answered", async ({
  browser,
}) => {
  const ana = await someone(browser, named("Ana"));
  const ben = await someone(browser, named("Ben"));
  const cleo = await someone(browser, named("Cleo"));
  for (const one of [ben, cleo]) {
    await one.follows(ana.name);
    await one.page.goto(CENTER);
  }
  const pocket = await elsewhere(browser, ben, phone);
  await pocket.page.goto(CENTER);
  const { page } = ana;
  await page.goto(CENTER);
  const heard: Frame[] = [];
  const line = await HeldLine.of(page);
  line.in = (_, reply) => void heard.push(reply);
  for (const one of [page, ben.page, pocket.page, cleo.page])
    await expect(polls(one).getByText("No open polls. Ask something small.")).toBeVisible();

  // What a poll needs is said one thing at a time, beside the box, in which the words stay.
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Poll" });
  const box = (name: string) => dialog.getByRole("textbox", { name, exact: true });
  const create = dialog.getByRole("button", { name: "Create Poll" });
  const saying = async (name: string, words: string) => {
    await create.click();
    await expect(dialog.getByRole("alert")).toHaveText(words);
    await expect(box(name)).toHaveAttribute("aria-invalid", "true");
    await expect(box(name)).toBeFocused();
  };
  await saying("Question", "Please enter a question");
  await box("Question").fill("Why? ".repeat(28) + "Why");
  await expect(dialog.getByText("143/140")).toBeVisible();
  await saying("Question", "Question must be 140 characters or less");
  const question = "What do you drink in the morning?";
  await box("Question").fill(question);
  await expect(dialog.getByRole("alert")).toHaveCount(0);
  await box("Option 1").fill("Tea");
  await saying("Option 2", "Please provide at least 2 options");
  await box("Option 2").fill("Coffee from a pot that is older than I am");
  await saying("Option 2", "Each option must be 40 characters or less");
  await box("Option 2").fill("Coffee");
  await expect(dialog.getByRole("button", { name: /^Remove option/ })).toHaveCount(0);
  for (const n of [3, 4]) {
    await dialog.getByRole("button", { name: "Add option" }).click();
    await expect(box(`Option ${n}`)).toBeFocused();
    await page.keyboard.type(n === 3 ? "Nothing" : "Water");
  }
  await expect(dialog.getByRole("button", { name: "Add option" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Remove option 3" }).click();
  await expect(box("Option 3")).toHaveValue("Water");
  await expect(dialog.getByRole("combobox", { name: "Audience" }).getByRole("option")).toHaveText([
    "Everyone here",
  ]);
  // Closing the dialog by the way loses nothing.
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  await expect(box("Question")).toHaveValue(question);
  await create.click();

  // Plain answers for everybody, hers too.
  const plain = "People who vote can see each other's choices.";
  for (const one of [page, ben.page, pocket.page, cleo.page]) {
    await reads(one, question, ["Tea", "Coffee", "Water"]);
    await expect(poll(one, question).getByText(plain, { exact: true })).toBeVisible();
    await expect(poll(one, question).getByText("6d 23h left", { exact: true })).toBeVisible();
    await expect(poll(one, question).getByRole("button", { name: "Delete" })).toHaveCount(
      one === page ? 1 : 0,
    );
  }
  await poll(ben.page, question).getByRole("button", { name: "Tea", exact: true }).click();
  for (const one of [ben.page, pocket.page]) {
    await reads(one, question, ["Tea, 100%, your choice", "Coffee, 0%", "Water, 0%"]);
    await expect(poll(one, question).getByText("1 vote", { exact: true })).toBeVisible();
    await expect(poll(one, question).getByText(plain)).toHaveCount(0);
  }
  // Nothing of it reaches Ana, who asked, not even unseen. Only then does she answer herself.
  await page.reload();
  await reads(page, question, ["Tea", "Coffee", "Water"]);
  await expect(poll(page, question).getByText(/%|\d votes?\b/)).toHaveCount(0);
  expect(all("polls", heard).flat()).not.toEqual([]);
  expect(all("tally", heard).filter((tally) => tally !== null)).toEqual([]);
  expect(heard.filter(({ ev }) => ev === "polls.counted" || ev === "polls.voted")).toEqual([]);
  await poll(page, question).getByRole("button", { name: "Tea", exact: true }).click();
  const those = [page, ben.page, pocket.page];
  for (const one of those) {
    await reads(one, question, ["Tea, 100%, your choice", "Coffee, 0%", "Water, 0%"]);
    await expect(poll(one, question).getByText("2 votes", { exact: true })).toBeVisible();
  }
  // From then on each of them sees it count, and nothing around the numbers moves.
  const places = () =>
    poll(ben.page, question)
      .locator("button, svg")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().toJSON() as unknown));
  const before = await places();
  await poll(cleo.page, question).getByRole("button", { name: "Coffee", exact: true }).click();
  await reads(cleo.page, question, ["Tea, 67%", "Coffee, 33%, your choice", "Water, 0%"]);
  for (const one of those) await reads(one, question, ["Tea, 67%, your choice", "Coffee, 33%", "Water, 0%"]);
  expect(await places()).toEqual(before);
  await ben.page.reload();
  await reads(ben.page, question, ["Tea, 67%, your choice", "Coffee, 33%", "Water, 0%"]);

  // Who chose what.
  await poll(page, question).getByRole("button", { name: "Tea, 67%, your choice" }).click();
  const voters = (text: string) => page.getByRole("dialog", { name: `Voters for ${text}`, exact: true });
  await expect(voters("Tea").getByRole("listitem")).toHaveCount(2);
  for (const { name } of [ana, ben])
    await expect(voters("Tea").getByRole("link", { name, exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(poll(page, question).getByRole("button", { name: "Tea, 67%, your choice" })).toBeFocused();
  await poll(page, question).getByRole("button", { name: "Water, 0%" }).click();
  await expect(voters("Water").getByText("No votes yet", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");

  // A further one waits for whoever is reading; then the first goes, for everybody.
  await asks(page, "And in the evening?", ["Tea", "Still tea"]);
  await expect(poll(ben.page, "And in the evening?")).toHaveCount(0);
  await polls(ben.page).getByRole("button", { name: "1 new poll" }).click();
  await reads(ben.page, "And in the evening?", ["Tea", "Still tea"]);
  await poll(page, question).getByRole("button", { name: "Delete" }).click();
  const sure = page.getByRole("alertdialog", { name: "Delete Poll" });
  await sure.getByRole("button", { name: "Cancel" }).click();
  await expect(poll(page, question)).toBeVisible();
  await poll(page, question).getByRole("button", { name: "Delete" }).click();
  await sure.getByRole("button", { name: "Delete" }).click();
  await expect(ana.says("Poll deleted successfully")).toBeVisible();
  for (const one of [page, ben.page, pocket.page, cleo.page]) {
    await expect(poll(one, question)).toHaveCount(0);
    await expect(polls(one).getByText("Removed", { exact: true })).toBeVisible();
  }
  await expect(poll(ben.page, "And in the evening?")).toBeVisible();
  for (const one of [ana, ben, cleo, pocket]) await one.leaves();
});

test("Circles are sound and fit, on a phone and a desktop, by day and by night", async ({ browser }) => {
  sets({
    title: "Small joys",
    description: "What made you smile today, even for a moment? A song, a stranger, a good piece of bread?",
    tag: "Small Joys",
  });
  const ana = await someone(browser, named("Ana Lindqvist"), { timezoneId: where(9) });
  const ben = await someone(browser, named("Ben Okafor"), { timezoneId: where(9) });
  const { page } = ben;
  await ben.follows(ana.name);
  await ben.goesHome();
  await expect(themeCard(page).getByRole("heading")).toHaveText("Small joys");
  await expect(vibes(page).getByText("Nobody has shared a mood today.")).toBeVisible();
  await looked(page, "space-first", "whole");
  await vibes(page).getByRole("button", { name: "Set Morning Vibe" }).click();
  await vibes(page).getByRole("radio", { name: "Productive" }).check();
  await looked(page, "mood-grid", vibes(page).getByRole("radiogroup"));
  await themeCard(page).getByRole("button", { name: "Today's Theme" }).click();
  await expect(themeCard(page).getByRole("heading")).toHaveCount(0);
  await page.goto(CENTER);
  await expect(polls(page).getByText("No open polls. Ask something small.")).toBeVisible();
  await looked(page, "center-empty", "whole");

  await ana.page.goto(CENTER);
  await shares(ana.page, "Morning", "Celebrating");
  await asks(ana.page, "Which walk on Sunday, if the weather holds?", [
    "The harbour and back",
    "Up to the old mill, slowly",
    "Nowhere: soup",
  ]);
  await asks(ana.page, "Tea or coffee?", ["Tea", "Coffee"]);
  await poll(ana.page, "Tea or coffee?").getByRole("button", { name: "Tea" }).click();
  await page.reload();
  await expect(poll(page, "Tea or coffee?")).toBeVisible();
  await poll(page, "Tea or coffee?").getByRole("button", { name: "Coffee" }).click();
  await expect(
    poll(page, "Tea or coffee?").getByRole("button", { name: "Coffee, 50%, your choice" }),
  ).toBeVisible();
  await looked(page, "center", "whole");
  await poll(page, "Tea or coffee?").getByRole("button", { name: "Tea, 50%" }).click();
  await expect(page.getByRole("dialog").getByRole("link", { name: "Ana" })).toBeVisible();
  await looked(page, "voters");
  await page.keyboard.press("Escape");
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Poll" });
  await dialog.getByRole("button", { name: "Add option" }).click();
  await dialog
    .getByRole("textbox", { name: "Question" })
    .fill("What did you notice today that nobody else did?");
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await looked(page, "create-poll");
  await page.keyboard.press("Escape");
  await shares(page, "Morning", "Cozy");
  await expect(vibes(page).getByText("You've set your morning vibe.")).toBeVisible();
  await ben.goesHome();
  await expect(moods(page)).toHaveCount(1);
  await looked(page, "space-later", "whole");
  await ben.logsOut();
  await expect(themeCard(page)).toBeVisible();
  await looked(page, "welcome-theme", "whole");
  await ana.leaves();
  await ben.page.context().close();
});
