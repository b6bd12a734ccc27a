// Content notes: what they cover is not on the page of a reader and not fetched until the reader asks for it.

import { type Locator, type Page, expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { InterceptedConnection } from "./connection";
import { drawn } from "./drawn";
import { named, phoneSized, signUp } from "./people";
import { asked, name as key, posted } from "./wire";

const NOTE = "Grief, a funeral";
const WORDS = "We buried her by the sea.";
const ALT = "A grave with one candle.";
const COMMENT = "I am so sorry.";
const everybody = { type: "public" } as const;

const button = (where: Locator | Page, name: string) => where.getByRole("button", { name, exact: true });
const box = (where: Locator) => where.getByRole("textbox", { name: "Write a comment" });

/** Notes each picture that the page fetches from now on. */
function fetchedBy(page: Page): string[] {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/media/posts/")) fetched.push(request.url());
  });
  return fetched;
}

/** Returns which of these words the document holds, in its text or in any attribute. */
const heldIn = async (page: Page): Promise<string[]> => {
  const document = await page.content();
  return [WORDS, ALT, COMMENT, "/media/posts/"].filter((words) => document.includes(words));
};

/** Ana writes a post under a note, with a picture and a comment. */
async function writes(ana: { page: Page }, picture: Buffer): Promise<number> {
  const post_id = await posted(ana.page, WORDS, [{ bytes: picture, alt: ALT }], {
    title: "My aunt",
    tag: "family",
    content_note: NOTE,
  });
  await asked(ana.page, "comments.create", { key: key(), post_id, text: COMMENT, audience: everybody });
  return post_id;
}

test("d-u7: under a note there are no words, no picture and no comments, and a press asks only for the picture", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), phoneSized);
  await ben.follows(ana.name);
  await writes(ana, await drawn(browser, "plums"));

  const { page } = ben;
  const connection = await InterceptedConnection.of(page);
  const fetched = fetchedBy(page);
  await page.goto("/");
  const card = page.getByRole("article", { name: `Post by ${ana.name}` });
  await expect(button(card, "Show post")).toBeVisible();
  await expect(card.getByRole("link", { name: "My aunt" })).toBeVisible();
  await expect(card.getByRole("link", { name: "#family" })).toBeVisible();
  await expect(card.getByText(NOTE, { exact: true })).toBeVisible();
  await expect(button(card, "Positive Vibes")).toBeVisible();
  await expect(card.getByText("Comment", { exact: false })).toHaveCount(0);
  expect(await heldIn(page)).toEqual([]);
  expect(fetched).toEqual([]);
  await checkScreen(page, "covered-card", card);

  // By keyboard alone: the note is heard before the button, which describes itself by it.
  const show = button(card, "Show post");
  await expect(show).toHaveAttribute("aria-expanded", "false");
  await expect(show).toHaveAccessibleDescription(NOTE);
  await show.focus();
  const before = connection.asked.length;
  await page.keyboard.press("Enter");
  await expect(card.getByText(WORDS)).toBeVisible();
  await expect(card.getByText(COMMENT)).toBeVisible();
  await expect(box(card)).toBeVisible();
  await expect(card.locator("[data-picture=here]")).toBeVisible();
  await expect(button(card, "Hide post")).toBeFocused();
  await expect(button(card, "Hide post")).toHaveAttribute("aria-expanded", "true");
  await expect(card.getByText(NOTE, { exact: true })).toBeVisible();
  expect(fetched.length).toBeGreaterThan(0);
  const since = connection.asked.slice(before).map(({ op }) => op);
  expect(since.filter((op) => op !== "live.probe")).toEqual([]);
  await checkScreen(page, "uncovered-card", card);
  await page.keyboard.press("Enter");
  await expect(button(card, "Show post")).toBeFocused();
  expect(await heldIn(page)).toEqual([]);

  // Half a comment stays with its box, and comes back with it.
  await button(card, "Show post").click();
  await box(card).fill("Half a thought");
  await button(card, "Hide post").click();
  await expect(box(card)).toHaveCount(0);
  await button(card, "Show post").click();
  await expect(box(card)).toHaveValue("Half a thought");
  await box(card).fill("");

  // On its own page it is covered again, and so it is on the way back.
  await card.getByRole("link", { name: "View full post" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "My aunt" })).toBeVisible();
  await expect(button(page, "Show post")).toBeVisible();
  await expect.poll(() => connection.replied).toContain("posts.get");
  expect(await heldIn(page)).toEqual([]);
  await checkScreen(page, "covered-post");
  const onPage = connection.asked.length;
  await button(page, "Show post").click();
  await expect(page.getByRole("article").getByText(COMMENT)).toBeVisible();
  expect(connection.asked.slice(onPage).filter(({ op }) => op !== "live.probe")).toEqual([]);
  await button(page, "Back").click();
  await expect(button(card, "Show post")).toBeVisible();
  expect(await heldIn(page)).toEqual([]);
  await ana.leaves();
  await ben.leaves();
});

test("d-u7, d-u8: a note is written, changed and removed by its author, and covers what others have open", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  const { page } = ana;
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill(WORDS);
  const field = page.getByRole("textbox", { name: "Content note" });
  await field.fill("x".repeat(61));
  await expect(page.getByText("61/60")).toBeVisible();
  await expect(button(page, "Share Post")).toBeDisabled();
  await field.fill(`  ${NOTE}  `);
  await checkScreen(page, "composer-with-note");
  await button(page, "Share Post").click();

  // Her own post is not covered for her.
  const own = ana.post(WORDS);
  await expect(own.getByText(NOTE, { exact: true })).toBeVisible();
  await expect(button(own, "Show post")).toHaveCount(0);

  await ben.goesHome();
  const card = ben.page.getByRole("article", { name: `Post by ${ana.name}` });
  await button(card, "Show post").click();
  await box(card).click();
  await button(own, "Post menu").click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await expect(field).toHaveValue(NOTE);
  await field.fill("A grave");
  await checkScreen(page, "post-editing-note");
  await button(page, "Save").click();
  await expect(own.getByText("(edited)")).toBeVisible();
  // The box had the focus, which comes to the button that brings it back.
  await expect(card.getByText("A grave", { exact: true })).toBeVisible();
  await expect(button(card, "Show post")).toBeFocused();
  expect(await heldIn(ben.page)).toEqual([]);

  await button(own, "Post menu").click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await field.fill("");
  await button(page, "Save").click();
  await expect(card.getByText(WORDS)).toBeVisible();
  await expect(button(card, "Show post")).toHaveCount(0);
  await expect(card.getByText("A grave")).toHaveCount(0);
  await ana.leaves();
  await ben.leaves();
});

test("d-u8: a draft keeps its note, and notifications quote the note alone", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  const { page } = ana;
  await page.goto("/create-post");
  await page.getByRole("textbox", { name: "Text" }).fill(WORDS);
  await page.getByRole("textbox", { name: "Content note" }).fill(NOTE);
  await page.goto("/create-post");
  await expect(page.getByRole("region", { name: "Restored draft" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Content note" })).toHaveValue(NOTE);
  await button(page, "Share Post").click();
  await expect(ana.post(WORDS)).toBeVisible();

  await ben.goesHome();
  const card = ben.page.getByRole("article", { name: `Post by ${ana.name}` });
  await button(card, "Show post").click();
  await box(card).fill(COMMENT);
  await button(card, "Post Comment").click();
  await page.getByRole("link", { name: "Notifications, new" }).click();
  const list = page.getByRole("list", { name: "Notifications" });
  const item = list.getByRole("listitem").filter({ hasText: "commented" });
  await expect(item).toContainText(`${ben.name} commented on your post`);
  await expect(item).toContainText(`Content note: ${NOTE}`);
  expect(await heldIn(page)).toEqual([]);
  await checkScreen(page, "notification-with-note");
  await ana.leaves();
  await ben.leaves();
});

test("d-u9: the switch in Settings shows posts at once on this device, with the note and a button to hide them", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await writes(ana, await drawn(browser, "harbour"));
  const { page } = ben;
  await page.goto("/settings");
  const choice = page
    .getByRole("region", { name: "Look" })
    .getByRole("switch", { name: "Show posts with content notes at once" });
  await expect(choice).toHaveAttribute("aria-checked", "false");
  await choice.press("Space");
  await expect(choice).toHaveAttribute("aria-checked", "true");
  await page.goto("/");
  const card = ben.post(WORDS);
  await expect(card.getByText(NOTE, { exact: true })).toBeVisible();
  await expect(card.locator("[data-picture=here]")).toBeVisible();
  await button(card, "Hide post").click();
  await expect(button(page, "Show post")).toBeFocused();
  expect(await heldIn(page)).toEqual([]);
  // The choice of a post is for this page, the switch for the device.
  await page.reload();
  await expect(button(card, "Hide post")).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});
