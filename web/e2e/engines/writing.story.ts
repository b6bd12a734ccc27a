// Drafts, pictures and their viewer, groups, polls and moods, in every engine.

import { drawn } from "../drawn";
import { asked } from "../wire";
import { expect, test } from "./test";

const CENTER = "/?tab=community-center";

test("c43: A half-written post is there again after the page was loaded anew, and is posted once", async ({
  ana,
}) => {
  await ana.opens("Post");
  await ana.role("textbox", "Title").fills("On keeping");
  await ana.role("textbox", "Text").fills("Half a thought,\nand a second line");
  await ana.tab.goesTo("/metrics");
  await ana.tab.goesTo("/create-post");
  await ana.role("region", "Restored draft").isShown();
  await ana.role("textbox", "Title").holds("On keeping");
  await ana.role("textbox", "Text").holds("Half a thought,\nand a second line");
  await ana.opens("Search");
  const question = ana.role("alertdialog", "Not Posted");
  await question.role("button", "Cancel").presses();
  await question.isGone();
  await ana.role("button", "Share Post").presses();
  await ana.post("and a second line").isShown();
  await ana.opens("Post");
  await ana.role("textbox", "Text").holds("");
  await ana.role("region", "Restored draft").isGone();
});

test("c43: Ana posts two pictures with descriptions, and they are drawn on Ben's screen", async ({
  ana,
  ben,
  browser,
}) => {
  await ben.follows(ana);
  await ben.opens("Home");
  await ana.opens("Post");
  await ana
    .label("Add pictures")
    .chooses(
      { name: "harbour.jpg", bytes: await drawn(browser, "harbour", [800, 533]) },
      { name: "plums.jpg", bytes: await drawn(browser, "plums", [600, 600]) },
    );
  const chosen = ana.role("list", "Chosen pictures").role("listitem");
  await chosen.count(2);
  await ana.role("textbox", "Description of picture 1").fills("A chair facing the water.");
  await ana.role("textbox", "Description of picture 2").fills("Four plums.");
  await ana.role("button", "Move picture 2 earlier").presses();
  await ana.role("textbox", "Description of picture 1").holds("Four plums.");
  await ana.role("textbox", "Text").fills("Walked to the harbour.");
  await ana.role("button", "Share Post").presses();
  const hers = ana.post("Walked to the harbour.");
  await hers.role("img", "Four plums.").isDrawn();
  await ben.role("button", "1 new post").presses();
  await ben.post("Walked to the harbour.").role("img", "Four plums.").isDrawn();
});

test("c43: A picture opens in the viewer, the arrow keys turn it, and Escape gives the focus back", async ({
  ana,
  browser,
}) => {
  const bytes = await drawn(browser, "bread", [300, 400]);
  await ana.posted("Two loaves.", [
    { bytes, alt: "A loaf." },
    { bytes, alt: "Another loaf." },
  ]);
  await ana.tab.goesTo("/");
  const first = ana.post("Two loaves.").role("button", "Open picture 1 of 2: A loaf.");
  await ana.post("Two loaves.").role("img", "A loaf.").isDrawn();
  await first.presses();
  const viewer = ana.role("dialog", "Picture viewer");
  await viewer.role("img", "A loaf.").isDrawn();
  await viewer.says("1 / 2");
  await ana.tab.key("ArrowRight");
  await viewer.says("2 / 2");
  await viewer.role("button", "Previous picture").presses();
  await viewer.says("1 / 2");
  await ana.tab.key("Escape");
  await viewer.isGone();
  await first.is("hasFocus");
});

test("c43: Escape gives the focus back while a style sheet loads", async ({ ana, browser }) => {
  await ana.posted("A loaf.", [{ bytes: await drawn(browser, "bread", [300, 400]), alt: "Still warm." }]);
  await ana.tab.goesTo("/");
  const picture = ana.post("A loaf.").role("button", "Open picture 1 of 1: Still warm.");
  await picture.presses();
  const viewer = ana.role("dialog", "Picture viewer");
  await viewer.role("img", "Still warm.").isDrawn();
  await ana.tab.evaluate(() => {
    const [sheet] = document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]");
    const href = `${sheet?.href ?? ""}?again`;
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
    // In the same task, so that the style sheet is certainly not there yet.
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  });
  await viewer.isGone();
  await picture.is("hasFocus");
});

test("c43: Back closes the viewer, and the next Back leaves the page as if no picture had been open", async ({
  ana,
  browser,
}) => {
  await ana.posted("A loaf.", [{ bytes: await drawn(browser, "bread", [300, 400]), alt: "Still warm." }]);
  await ana.opens("Search");
  await ana.opens("Home");
  const picture = ana.post("A loaf.").role("button", "Open picture 1 of 1: Still warm.");
  const viewer = ana.role("dialog", "Picture viewer");
  await picture.presses();
  await viewer.role("img", "Still warm.").isDrawn();
  await ana.tab.goesBack();
  await viewer.isGone();
  await ana.heading("Your Space").isShown();
  await picture.is("hasFocus");
  await picture.presses();
  await viewer.isShown();
  await viewer.role("button", "Close").presses();
  await viewer.isGone();
  // The browser takes the step out of the viewer's entry a little later.
  await expect.poll(() => ana.tab.evaluate(() => "layer" in (history.state as object))).toBe(false);
  await ana.tab.goesBack();
  await ana.heading("Search").isShown();
});

test("c43: The form that edits a post opens at its first field, though Edit is far below it", async ({
  ana,
  browser,
}) => {
  await ana.posted("Before work.", [{ bytes: await drawn(browser, "bread", [300, 400]), alt: "A loaf." }]);
  await ana.tab.resizes(800, 600);
  await ana.chooses("View Profile");
  await ana.post("Before work.").role("img", "A loaf.").isDrawn();
  await ana.tab.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: "instant" }));
  await ana.post("Before work.").role("button", "Edit").presses();
  await ana.role("article").role("textbox", "Title").is("hasFocus");
  const isSeen = () =>
    ana.tab.evaluate(() => {
      const { left, top, width, height } = (document.activeElement as Element).getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === document.activeElement;
    });
  await expect.poll(isSeen).toBe(true);
});

test("c43: Ana asks a poll, Ben answers, and both see the counts", async ({ ana, ben }) => {
  await ben.follows(ana);
  await ben.tab.goesTo(CENTER);
  await ana.tab.goesTo(CENTER);
  const question = `Which pier, asks ${ana.name}?`;
  await ana.role("region", "Community Polls").role("button", "Create Poll").presses();
  const dialog = ana.role("dialog", "Create Poll");
  await dialog.role("textbox", "Question").fills(question);
  await dialog.role("textbox", "Option 1").fills("The old one");
  await dialog.role("textbox", "Option 2").fills("The new one");
  await dialog.role("button", "Create Poll").presses();
  await dialog.isGone();
  await ben.role("article", question).role("button", "The old one").presses();
  await ben.role("article", question).role("button", "The old one, 100%, your choice").isShown();
  await ana.role("article", question).role("button", "The new one").presses();
  await ana.role("article", question).role("button", "The old one, 50%").presses();
  await ana.role("dialog", "Voters for The old one").role("link", ben.name).isShown();
  await ben.role("article", question).role("button", "The new one, 50%").isShown();
});

test("c43: Ana picks a mood with the arrow keys, and Ben sees it at once", async ({ ana, ben }) => {
  await ben.follows(ana);
  await ben.tab.goesTo(CENTER);
  await ana.tab.goesTo(CENTER);
  const card = ana.role("region", "Vibe Check");
  await card.role("button", /^Set (Morning|Evening) Vibe$/).presses();
  const mood = (name: string) => card.role("radiogroup", "Moods").role("radio", name);
  await mood("Happy").is("hasFocus");
  await ana.tab.key("ArrowRight");
  await mood("Relaxing").is("isChecked");
  await mood("Cozy").presses();
  await card.role("button", "Share").presses();
  await card.says(/You've set your (morning|evening) vibe\./);
  const moods = ben.role("region", "Vibe Check").role("list", "Moods today").role("listitem");
  await moods.with(ana.name).with("Cozy").isShown();
});

test("c43: What Ana posts in her group appears for its member, who reads who shares it", async ({
  ana,
  ben,
}) => {
  await ben.follows(ana);
  const group = `Swimmers of ${ana.name}`;
  await ana.chooses("Manage Groups");
  await ana.role("textbox", "New group name").fills(group);
  await ana.role("button", "Create Group").presses();
  await ana.role("article", group).role("button", "Add to Group").presses();
  const dialog = ana.role("dialog", "Add to Group");
  await dialog.role("checkbox", ben.name).presses();
  await dialog.role("checkbox", ben.name).is("isChecked");
  await dialog.role("button", "Add").presses();
  await ana.role("article", group).says("2 members");
  await ben.opens("Home");
  const { groups } = await asked(ana.tab, "groups.list", {});
  const only = { type: "group", group_id: groups[0]?.id ?? 0 } as const;
  await ana.posted("Four degrees and no wind.", [], { audience: only });
  await ben.role("button", "1 new post").presses();
  await ben.post("Four degrees and no wind.").says(`Shared with ${group}`);
  await ben.chooses("Manage Groups");
  await ben.role("article", group).role("button", "Leave Group").presses();
  await ben.role("alertdialog", "Leave Group").role("button", "Leave Group").presses();
  await ana.role("article", group).says("1 member");
});
