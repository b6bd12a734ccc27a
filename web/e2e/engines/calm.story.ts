// Quiet hours, the time here, content notes, saved posts and the search in one's own posts, in every engine.

import { drawn } from "../drawn";
import { asked, name as key } from "../wire";
import { expect, test } from "./test";

const TEA = "The kettle is on.";
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** The time in UTC so many hours from now. */
const timeIn = (hours: number): string =>
  new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

test("c43: In quiet hours Ana has neither dot nor pill, an open thread goes on, and afterwards both are there", async ({
  ana,
  ben,
}) => {
  await ana.posted(TEA);
  await ana.follows(ben);
  await ben.follows(ana);
  await ana.tab.goesTo("/notifications");
  await ana.role("list", "Notifications").role("listitem").with("started following you").isShown();
  await ana.opens("Home");
  await ana.post(TEA).isShown();
  const quiet = (on: boolean) =>
    asked(ana.tab, "quiet.set", {
      key: key(),
      on,
      from: timeIn(-2),
      to: timeIn(2),
      days: [...DAYS],
      zone: "UTC",
    });
  await quiet(true);
  const bell = ana.role("banner").role("link", "Notifications");
  await ben.publishes("A door in Leeds.");
  await ben.opens("Home");
  await ben.comments(TEA, "Milk for me, please.");
  await ana.post(TEA).role("list", "Comments").with("Milk for me, please.").isShown();
  await ana.role("button", "1 new post").isGone();
  await bell.isShown();
  await ana.chooses("Settings");
  await ana.role("switch", "Quiet hours").has("aria-checked", "true");
  await ana
    .role("region", "Quiet hours")
    .text(/^Quiet hours until \d\d:\d\d\.$/)
    .isShown();
  await ana.role("switch", "Quiet hours").presses();
  await ana.role("switch", "Quiet hours").has("aria-checked", "false");
  await ana.role("banner").role("link", "Notifications, new").isShown();
  await ana.opens("Home");
  await ana.role("button", "1 new post").isShown();
});

test("c43: A post under a note has no words and no picture until Ana presses, and hides them again", async ({
  ana,
  ben,
  browser,
}) => {
  const [note, alt] = ["Food", "Three plums."];
  const pictures = [{ bytes: await drawn(browser, "plums"), alt }];
  await ben.posted(TEA, pictures, { title: "Breakfast", content_note: note });
  await ana.follows(ben);
  const card = ana.role("article");
  const [show, hide] = [card.role("button", "Show post"), card.role("button", "Hide post")];
  await show.has("aria-expanded", "false");
  await card.text(note).isShown();
  await card.text(TEA).isGone();
  await card.role("img", alt).isGone();
  await show.presses();
  await card.text(TEA).isShown();
  await card.role("img", alt).isDrawn();
  await hide.is("hasFocus");
  await ana.tab.key("Enter");
  await show.is("hasFocus");
  await card.text(TEA).isGone();
});

test("c43: Ana saves a post, finds it among her saved ones, and takes it out again", async ({ ana, ben }) => {
  await ben.posted(TEA);
  await ana.follows(ben);
  await ana.post(TEA).role("button", "Post menu").presses();
  await ana.role("menuitem", "Save Post").presses();
  await ana.toast("Post saved").isShown();
  await ana.chooses("Saved");
  await ana.heading("Saved").isShown();
  await ana.post(TEA).role("button", "Post menu").presses();
  await ana.role("menuitem", "Remove from Saved").presses();
  await ana.role("heading", "Nothing saved yet.").isShown();
});

test("c43: Ana finds an own post by the beginnings of two words, without their accents", async ({ ana }) => {
  await ana.posted("Zoë’s café opens at noon.");
  await ana.posted(TEA);
  await ana.chooses("View Profile");
  await ana.post(TEA).isShown();
  const box = ana.role("searchbox", "Search your posts");
  await box.fills("noon caf");
  await ana.post(TEA).isGone();
  await ana.post("opens at noon").isShown();
  await box.fills("oon");
  await ana.text("None of your posts has these words.").isShown();
  await box.fills("");
  await ana.post(TEA).isShown();
});

test("c43: After twenty minutes one line says so, and Step Away leads to a page that waits", async ({
  ana,
}) => {
  await ana.posted(TEA);
  await ana.chooses("Settings");
  const toggle = ana.role("switch", "Remind me about my time here");
  await toggle.presses();
  await toggle.has("aria-checked", "true");
  const line = ana.role("region", "Time reminder");
  for (let minute = 1; minute <= 20; minute += 1) {
    await line.isGone();
    // A minute later by the clock of the page.
    await ana.tab.evaluate(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 60_000;
    });
    await ana.tab.key("Escape");
  }
  await line.text("You have been here 20 minutes today.").isShown();
  await line.role("button", "Step Away").presses();
  await ana.heading("See you later.").isShown();
  expect(await ana.tab.evaluate(() => location.pathname)).toBe("/away");
  await ana.role("main").role("link", "Back to Home").presses();
  await ana.post(TEA).isShown();
});
