// Moods and polls.

import { type Page, expect, test } from "@playwright/test";

import { type Frame, InterceptedConnection } from "./connection";
import {
  CENTER,
  asks,
  dismissFirstSteps,
  moods,
  poll,
  polls,
  shares,
  tab,
  timeZoneAt,
  vibes,
} from "./homeScreen";
import { named, openOtherDevice, phone, signUp } from "./people";

/** Expects the accessible names of the options of a poll. */
async function reads(page: Page, question: string, options: string[]): Promise<void> {
  for (const name of options)
    await expect(poll(page, question).getByRole("button", { name, exact: true })).toBeVisible();
}

/** Returns every value of this field, at any depth. */
function all(name: string, within: unknown): unknown[] {
  if (typeof within !== "object" || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) => (key === name ? [value] : all(name, value)));
}

test("A mood is picked from twenty-five and shared once, and only followers see it, at once", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), { timezoneId: timeZoneAt(9) });
  const ben = await signUp(browser, named("Ben"), { timezoneId: timeZoneAt(19) });
  const cleo = await signUp(browser, named("Cleo"));
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

  // With the keyboard only: the arrow keys move in rows and columns, and Share needs a choice.
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

  // Ben is in another time zone, where it is another slot. He shares there.
  await tab(ben.page, "Community Center").click();
  await expect(moods(ben.page).getByText("Mind Blown", { exact: true })).toBeVisible();
  await shares(ben.page, "Evening", "Sleepy");
  await expect(vibes(ben.page).getByText("You've set your evening vibe.", { exact: true })).toBeVisible();
  await page.reload();
  await expect(vibes(page).getByText(morning, { exact: true })).toBeVisible();

  // An unfollow hides the mood at once, in the other tab too; a follow shows it again.
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

test("A poll is created and answered once, and its counts are live for people who answered", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const cleo = await signUp(browser, named("Cleo"));
  for (const one of [ben, cleo]) {
    await one.follows(ana.name);
    await one.page.goto(CENTER);
  }
  const pocket = await openOtherDevice(browser, ben, phone);
  await pocket.page.goto(CENTER);
  const { page } = ana;
  await page.goto(CENTER);
  const received: Frame[] = [];
  const connection = await InterceptedConnection.of(page);
  connection.in = (_, reply) => void received.push(reply);
  for (const one of [page, ben.page, pocket.page, cleo.page])
    await expect(polls(one).getByText("No open polls. Ask something small.")).toBeVisible();

  // An error beside its box names each missing part of a poll, and the typed text stays.
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
  // Closing the dialog loses nothing.
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  await expect(box("Question")).toHaveValue(question);
  await create.click();

  // Before the vote everybody sees plain options, the author included.
  const plain = "People who vote can see each other's choices.";
  for (const one of [page, ben.page, pocket.page, cleo.page]) {
    await reads(one, question, ["Tea", "Coffee", "Water"]);
    await expect(poll(one, question).getByText(plain, { exact: true })).toBeVisible();
    await expect(poll(one, question).getByText("6d 23h left", { exact: true })).toBeVisible();
  }
  await poll(ben.page, question).getByRole("button", { name: "Tea", exact: true }).click();
  for (const one of [ben.page, pocket.page]) {
    await reads(one, question, ["Tea, 100%, your choice", "Coffee, 0%", "Water, 0%"]);
    await expect(poll(one, question).getByText("1 vote", { exact: true })).toBeVisible();
    await expect(poll(one, question).getByText(plain)).toHaveCount(0);
  }
  // No count reaches Ana, the author, before she votes, not even inside an event.
  await page.reload();
  await reads(page, question, ["Tea", "Coffee", "Water"]);
  await expect(poll(page, question).getByText(/%|\d votes?\b/)).toHaveCount(0);
  expect(all("polls", received).flat()).not.toEqual([]);
  expect(all("tally", received).filter((tally) => tally !== null)).toEqual([]);
  expect(received.filter(({ ev }) => ev === "polls.counted" || ev === "polls.voted")).toEqual([]);
  await poll(page, question).getByRole("button", { name: "Tea", exact: true }).click();
  const those = [page, ben.page, pocket.page];
  for (const one of those) {
    await reads(one, question, ["Tea, 100%, your choice", "Coffee, 0%", "Water, 0%"]);
    await expect(poll(one, question).getByText("2 votes", { exact: true })).toBeVisible();
  }
  // After that both see live counts, and nothing around the numbers moves.
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

  // The list of voters opens.
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

  // A second poll waits above the list while Ben reads.
  await asks(page, "And in the evening?", ["Tea", "Still tea"]);
  await expect(poll(ben.page, "And in the evening?")).toHaveCount(0);
  await polls(ben.page).getByRole("button", { name: "1 new poll" }).click();
  await reads(ben.page, "And in the evening?", ["Tea", "Still tea"]);
  for (const one of [ana, ben, cleo, pocket]) await one.leaves();
});

test("No word in the grid of moods is broken or cut off, Share is in sight, and longer words fit the page", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), { timezoneId: timeZoneAt(9) });
  const { page } = ana;
  await dismissFirstSteps(page);
  await ana.goesHome();
  await vibes(page).getByRole("button", { name: "Set Morning Vibe", exact: true }).click();
  const words = vibes(page).getByRole("radiogroup", { name: "Moods" }).locator("label > span:last-child");
  await expect(words).toHaveCount(25);
  await page.evaluate(() => document.fonts.ready);
  const seen = () =>
    words.evaluateAll((all: HTMLElement[]) =>
      all.map((word) => {
        const text = document.createRange();
        text.selectNodeContents(word);
        const lines = new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size;
        const said = word.textContent ?? "";
        const isBroken = lines > said.split(" ").length;
        const { width } = word.getBoundingClientRect();
        word.style.maxInlineSize = "none";
        const isCut = word.getBoundingClientRect().width > width + 0.01;
        word.style.maxInlineSize = "";
        const size = Number.parseFloat(getComputedStyle(word).fontSize);
        return { said, isBroken, isCut, isSmall: size < 11 };
      }),
    );
  const sideways = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const WIDTHS = [320, 360, 390, 820, 1080, 1240, 1440];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const { said, ...wrong } of await seen())
      expect
        .soft(wrong, `${said} at ${width} pixels`)
        .toEqual({ isBroken: false, isCut: false, isSmall: false });
    const columns = new Set(
      await words.evaluateAll((all) =>
        all.map((word) => word.parentElement?.getBoundingClientRect().x ?? Number.NaN),
      ),
    );
    expect(columns.size, `${width} pixels`).toBe(5);
    await expect(vibes(page).getByRole("button", { name: "Share", exact: true })).toBeInViewport({
      ratio: 1,
    });
  }
  await words.evaluateAll((all) => {
    for (const word of all) word.textContent = "Unternehmungslustig";
  });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect(await sideways(), `${width} pixels`).toBeLessThanOrEqual(0);
  }
  await ana.leaves();
});

test("The menu of a poll stays on the first line, however long the name is", async ({ browser }) => {
  const ana = await signUp(browser, `${named("Ana")} Wilhelmina of the Lindenau`);
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await ana.page.goto(CENTER);
  await asks(ana.page, "Tea or coffee?", ["Tea", "Coffee"]);
  const { page } = ben;
  await page.goto(CENTER);
  const card = poll(page, "Tea or coffee?");
  const box = async (role: "link" | "button", name: string) => {
    const at = await card.getByRole(role, { name }).boundingBox();
    if (at === null) throw new Error(`${name} is not drawn`);
    return at;
  };
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const [name, menu] = [await box("link", ana.name), await box("button", "Poll menu")];
    expect(Math.abs(menu.y - name.y), `${width} pixels`).toBeLessThanOrEqual(1);
    expect(menu.x).toBeGreaterThanOrEqual(name.x + name.width);
    expect(menu.x + menu.width).toBeLessThanOrEqual(width);
  }
  // The button of her own poll is there, too.
  await ana.page.setViewportSize({ width: 320, height: 844 });
  const mine = poll(ana.page, "Tea or coffee?");
  const [name, remove] = [
    await mine.getByRole("link", { name: ana.name }).boundingBox(),
    await mine.getByRole("button", { name: "Delete" }).boundingBox(),
  ];
  expect(Math.abs((remove?.y ?? 0) - (name?.y ?? 0))).toBeLessThanOrEqual(8);
  for (const one of [ana, ben]) await one.leaves();
});
