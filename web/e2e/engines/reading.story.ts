// Feeds, comments, votes, mentions, search and notifications, in every engine.

import { expect, test } from "./test";

const TEA = "The kettle is on.";
/** The header covers what is above. */
const HEADER_PX = 64;

test("c43: Two engines side by side: each sees at once what the other posts, writes and deletes", async ({
  visitor,
  other,
}) => {
  const ana = await (await visitor("Ana")).signsUp();
  const ben = await (await visitor("Ben", other)).signsUp();
  for (const [writer, reader] of [
    [ana, ben],
    [ben, ana],
  ] as const) {
    await reader.follows(writer);
    await reader.opens("Home");
    await reader.heading("Your Space").isShown();
    const words = `${writer.name} writes in ${writer.tab.engine}, and ${reader.tab.engine} “reads” it.`;
    await writer.publishes(words);
    await reader.post(words).isGone();
    await reader.role("button", "1 new post").presses();
    await reader.post(words).role("link", writer.name).isShown();
    await reader.comments(words, "Seen.");
    await writer.post(words).role("list", "Comments").with("Seen.").isShown();
    await writer.comments(words, "Good.");
    await reader.post(words).role("list", "Comments").with("Good.").isShown();
  }
  await ben.chooses("View Profile");
  await ben.role("article").role("button", "Delete").presses();
  await ben.role("alertdialog", "Delete Post").role("button", "Delete").presses();
  await ana.text("Removed").isShown();
});

test("c43: Ana comments, counts her letters, replies and deletes", async ({ ana, ben }) => {
  await ana.follows(ben);
  await ben.publishes(TEA);
  await ana.opens("Home");
  const card = ana.post(TEA);
  const box = card.role("textbox", "Write a comment");
  await box.fills("Milk, please.");
  await card.says("13/500");
  await card.role("button", "Post Comment").presses();
  await box.holds("");
  const list = ben.post(TEA).role("list", "Comments");
  await list.with("Milk, please.").isShown();
  await ben.post(TEA).role("button", "Reply").presses();
  await ben.tab.types("here you are");
  await ben.post(TEA).role("button", "Post Comment").presses();
  await card.role("list", "Comments").role("link", `@${ana.name}`).isShown();
  await card.role("listitem").with("Milk, please.").role("button", "Delete comment").presses();
  await ana.role("alertdialog", "Delete Comment").role("button", "Delete").presses();
  await ben.post(TEA).role("button", "1 comment").isShown();
  await list.with("Milk, please.").isGone();
});

test("c43: Only Ben sees the count of Ana's vote, and she changes her mind", async ({ ana, ben }) => {
  await ana.follows(ben);
  await ben.publishes(TEA);
  await ben.chooses("View Profile");
  await ana.opens("Home");
  const [up, down] = [
    ana.post(TEA).role("button", "Positive Vibes"),
    ana.post(TEA).role("button", "Negative Vibes"),
  ];
  await up.presses();
  await up.has("aria-pressed", "true");
  await ben.post(TEA).says("1 positive vibe");
  await down.presses();
  await down.has("aria-pressed", "true");
  await up.has("aria-pressed", "false");
  await ben.post(TEA).says("0 positive vibes");
  await ana.tab.reloads();
  await down.has("aria-pressed", "true");
});

test("c43: Ana mentions Ben with the keyboard, and he is told that she replied to him", async ({
  ana,
  ben,
}) => {
  await ben.posted(TEA);
  await ana.follows(ben);
  await ana.opens("Home");
  const box = ana.post(TEA).role("textbox", "Write a comment");
  await box.presses();
  await ana.tab.types("Ask @");
  const people = ana.role("listbox", "People");
  await people.role("option").isShown();
  await ana.tab.key("Escape");
  await people.isGone();
  await box.fills("");
  await ana.tab.types(`Ask @${ben.name.slice(0, 3)}`);
  await people.role("option").has("aria-selected", "true");
  await ana.tab.key("Enter");
  await people.isGone();
  await box.holds(`Ask @${ben.name} `);
  await box.is("hasFocus");
  await ana.tab.types("for the smoky one.");
  await ana.post(TEA).role("button", "Post Comment").presses();
  await ana.post(TEA).role("link", `@${ben.name}`).isShown();
  await ben.role("banner").role("link", "Notifications, new").presses();
  await ben.role("list", "Notifications").role("listitem").with("for the smoky one.").isShown();
});

test("c43: Undo takes a picked name back, and then what was typed before it", async ({ ana, ben }) => {
  await ben.posted(TEA);
  await ana.follows(ben);
  await ana.opens("Home");
  const box = ana.post(TEA).role("textbox", "Write a comment");
  await box.presses();
  await ana.tab.types(`Ask @${ben.name.slice(0, 3)}`);
  await ana.role("listbox", "People").role("option").has("aria-selected", "true");
  await ana.tab.key("Enter");
  await box.holds(`Ask @${ben.name} `);
  const seen: string[] = [];
  // Browsers group what is typed in their own ways.
  while (seen.length < 20 && seen.at(-1) !== "") {
    await ana.tab.undoes();
    seen.push((await box.all())[0]?.value ?? "");
  }
  expect(seen).toContain(`Ask @${ben.name.slice(0, 3)}`);
  expect(seen.at(-1)).toBe("");
});

test("c43: The dot on the bell rises when Ben follows, and is gone when it was read", async ({
  ana,
  ben,
}) => {
  await ana.role("banner").role("link", "Notifications").isShown();
  await ben.follows(ana);
  await ana.role("banner").role("link", "Notifications, new").presses();
  const items = ana.role("list", "Notifications").role("listitem");
  await items.with(`${ben.name} started following you`).isShown();
  await ana.role("banner").role("link", "Notifications").isShown();
  await items.role("button", "Delete").presses();
  await ana.role("heading", "All quiet.").isShown();
});

test("c43: Ana finds Ben by the beginning of his name, blocks him, and he sees her no more", async ({
  ana,
  ben,
}) => {
  await ana.posted(TEA);
  await ben.follows(ana);
  await ben.post(TEA).isShown();
  await ana.opens("Search");
  await ana.role("searchbox", "Search by name").fills(ben.name.slice(0, -1));
  await ana.role("list", "Results").role("link", ben.name).presses();
  await ana.heading(ben.name).isShown();
  await ana.role("button", "Profile menu").presses();
  await ana.role("menuitem", `Block ${ben.name}`).presses();
  await ana.role("alertdialog").role("button", "Block").presses();
  await ben.post(TEA).isGone();
  await ben.text("User not found").isShown();
});

test("c43: Older posts load at a press, and Back returns to the same place", async ({ ana }) => {
  for (let nth = 1; nth <= 32; nth += 1)
    await ana.posted(`${"A line that goes on. ".repeat(20)}The ${nth}th.`);
  await ana.tab.goesTo("/");
  await ana.post("The 32th.").isShown();
  await ana.tab.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: "instant" }));
  await ana.role("button", "Show older posts").presses();
  const oldest = ana.post("The 1th.");
  await oldest.isShown();
  await oldest.role("link", "View full post").presses();
  await ana.role("button", "Back").isShown();
  const place = () => ana.tab.evaluate(() => scrollY);
  await ana.tab.goesBack();
  await oldest.isShown();
  await expect.poll(place).toBeGreaterThan(2_000);
});

test("c43: The text that Ana reads stays at its place when somebody comments on a post above it", async ({
  ana,
  ben,
}) => {
  for (let nth = 1; nth <= 16; nth += 1)
    await ana.posted(`${"A line that goes on. ".repeat(12)}The ${nth}th.`);
  await ben.follows(ana);
  await ben.opens("Home");
  await ana.tab.resizes(1280, 860);
  await ana.tab.goesTo("/");
  await ana.post("The 1th.").isShown();
  await ana.tab.evaluate(() => scrollTo({ top: 1_500, behavior: "instant" }));
  const places = () =>
    ana.tab.evaluate(() =>
      Array.from(document.querySelectorAll("article"), (card) => {
        const { top, bottom } = card.getBoundingClientRect();
        return { words: /The \d+th\./.exec(card.textContent)?.[0] ?? "", top, bottom };
      }),
    );
  let before = await places();
  await expect
    .poll(async () => {
      const last = before;
      before = await places();
      return before.every(({ top }, at) => top === last[at]?.top);
    })
    .toBe(true);
  const at = before.findIndex(({ bottom }) => bottom > HEADER_PX);
  const [above, read] = [before[at - 1], before[at]];
  await ben.comments(above?.words ?? "", "Seen.");
  await ana
    .post(above?.words ?? "")
    .with("Seen.")
    .isShown();
  const after = (await places()).find(({ words }) => words === read?.words);
  expect(Math.abs((after?.top ?? 0) - (read?.top ?? 0)), "how far the text moved").toBeLessThan(2);
});
