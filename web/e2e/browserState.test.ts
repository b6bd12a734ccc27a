// State in the browser. Scroll position, focus and drafts are kept. All data of a user who logged out is
// removed.

import { type Page, expect, test } from "@playwright/test";

import { named, phoneSized, signUp } from "./people";
import { posted } from "./wire";

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("Back restores the scroll position, and older posts load at the first press", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), phoneSized);
  await ben.follows(ana.name);
  for (let at = 1; at <= 32; at += 1)
    await posted(ana.page, `Page ${at} of the diary. ${"And on it went. ".repeat((at * 7) % 40)}`);
  await ben.goesHome();
  await expect(ben.page.getByRole("article")).toHaveCount(30);
  await ben.page.getByRole("button", { name: "Show older posts" }).click();
  await expect(ben.page.getByRole("article")).toHaveCount(32);
  await expect(ben.page.getByText("You're all caught up.")).toBeVisible();
  expect(await focused(ben.page)).toContain("Page 2 of the diary.");

  const card = ben.post("Page 12 of the diary.");
  const link = card.getByRole("link", { name: "View full post" });
  await link.scrollIntoViewIfNeeded();
  const top = async () => Math.round((await link.boundingBox())?.y ?? -1);
  const left = await top();
  await link.click();
  await expect(ben.page).toHaveURL(/\/post\//);
  await ben.page.getByRole("button", { name: "Back" }).click();
  await expect.poll(async () => Math.abs((await top()) - left)).toBeLessThan(4);
  await ana.leaves();
  await ben.leaves();
});

test("The focus moves to a neighbour when the element that held it is removed", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await expect.poll(() => focused(ben.page)).toBe("Unfollow");
  await ana.publishes("The kettle is on.");
  await ben.goesHome();
  const card = ben.post("The kettle is on.");
  const box = card.getByRole("textbox", { name: "Write a comment" });
  for (const words of ["One.", "Two.", "Three."]) {
    await box.fill(words);
    await box.press("Tab");
    await ben.page.keyboard.press("Enter");
    await expect(card.getByRole("list", { name: "Comments" }).getByText(words)).toBeVisible();
    await expect(box).toBeFocused();
  }
  await card.getByRole("button", { name: "Show less" }).press("Enter");
  const more = card.getByRole("button", { name: "Show 1 more comment" });
  await expect(more).toBeFocused();
  await more.press("Enter");
  await expect(card.getByRole("listitem").filter({ hasText: "Three." }).getByRole("link")).toBeFocused();
  await card
    .getByRole("listitem")
    .filter({ hasText: "Three." })
    .getByRole("button", { name: "Delete comment" })
    .press("Enter");
  await ben.page
    .getByRole("alertdialog", { name: "Delete Comment" })
    .getByRole("button", { name: "Delete" })
    .press("Enter");
  await expect(card.getByRole("button", { name: "2 comments" })).toBeFocused();

  // The post is deleted while a dialog about its comment is open. His typed text stays.
  await box.fill("half a thought");
  await card.getByRole("button", { name: "Delete comment" }).first().press("Enter");
  await expect(ben.page.getByRole("alertdialog")).toBeVisible();
  await ana.page.goto("/");
  await ana.page.getByRole("button", { name: "Account menu" }).click();
  await ana.page.getByRole("menuitem", { name: "View Profile" }).click();
  await ana.post("The kettle is on.").getByRole("button", { name: "Delete", exact: true }).click();
  await ana.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(ben.page.getByText("Removed", { exact: true })).toBeFocused();
  await expect(ben.page.getByRole("alertdialog")).toHaveCount(0);
  await expect(ben.page.getByText("half a thought")).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});

test("The next user of the same browser finds no data of the last user", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await ana.publishes("The kettle is on.");
  await ben.goesHome();
  const card = ben.post("The kettle is on.");
  await card.getByRole("button", { name: "Positive Vibes" }).click();
  await card.getByRole("textbox", { name: "Write a comment" }).fill("half a thought");
  await ben.logsOut();
  const { page } = ben;
  await page.getByRole("banner").getByRole("link", { name: "Log In" }).click();
  await page.getByRole("textbox", { name: "Email" }).fill(ana.email);
  await page.getByLabel("Password", { exact: true }).fill(ana.password);
  await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
  await expect(card.getByRole("textbox", { name: "Write a comment" })).toHaveValue("");
  await expect(card.getByRole("button", { name: "Positive Vibes" })).toHaveAttribute("aria-pressed", "false");
  await ana.leaves();
  await ben.leaves();
});
