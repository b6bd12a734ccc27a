// Saved posts: a private list on all devices of one person, of which the author of the posts receives nothing.

import { type Locator, type Page, expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { named, openOtherDevice, phone, signUp } from "./people";
import { asked, name as key, posted, received } from "./wire";

const list = (page: Page) => page.getByRole("list", { name: "Posts" }).getByRole("article");
const heading = (page: Page) => page.getByRole("heading", { level: 1, name: "Saved" });
const none = (page: Page) => page.getByRole("heading", { name: "Nothing saved yet." });

async function chooses(post: Locator, item: string): Promise<void> {
  await post.getByRole("button", { name: "Post menu" }).click();
  await post.getByRole("menuitem", { name: item }).click();
}

test("What Ana saves is on her phone at once and in her own order, and Ben, who wrote it, learns nothing of it", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const messages = received(ben.page);
  const TEXTS = ["Bread with too much salt.", "The ferry was early.", "Rain on the tin roof."];
  const posts: number[] = [];
  for (const text of TEXTS) posts.push(await posted(ben.page, text));
  await ben.page.goto(`/post/${String(posts[1])}`);
  const hers = await openOtherDevice(browser, ana, phone);
  await hers.page.getByRole("button", { name: "Account menu" }).click();
  await hers.page.getByRole("menuitem", { name: "Saved" }).click();
  await expect(heading(hers.page)).toBeVisible();
  await expect(none(hers.page)).toBeVisible();
  await checkScreen(hers.page, "saved-none", "whole");

  await ana.goesTo(`/profile/${String(ben.id)}`);
  await chooses(ana.post("Rain on the tin roof."), "Save Post");
  await expect(ana.toast("Post saved")).toBeVisible();
  await expect(list(hers.page)).toHaveCount(1);
  await chooses(ana.post("Bread with too much salt."), "Save Post");
  await expect(list(hers.page)).toContainText([/Bread/u, /Rain/u]);
  await chooses(ana.post("The ferry was early."), "Save Post");
  await expect(list(hers.page)).toContainText([/ferry/u, /Bread/u, /Rain/u]);

  expect((await ana.page.goto("/saved"))?.status()).toBe(200);
  await expect(list(ana.page)).toContainText([/ferry/u, /Bread/u, /Rain/u]);
  await expect(ana.page.getByText(/caught up/u)).toHaveCount(0);
  await checkScreen(ana.page, "saved", "whole");

  // By keyboard. The post below takes the focus.
  await ana.post("The ferry was early.").getByRole("button", { name: "Post menu" }).press("Enter");
  await expect(ana.page.getByRole("menuitem", { name: "Remove from Saved" })).toBeFocused();
  await ana.page.keyboard.press("Enter");
  await expect(ana.toast("Removed from saved")).toBeVisible();
  for (const page of [ana.page, hers.page]) await expect(list(page)).toContainText([/Bread/u, /Rain/u]);
  await expect(ana.page.getByRole("listitem").filter({ hasText: "Bread" }).first()).toBeFocused();

  await asked(ben.page, "posts.delete", { key: key(), post_id: posts[2] ?? 0 });
  for (const page of [ana.page, hers.page]) {
    await expect(list(page)).toContainText([/Bread/u]);
    await expect(page.getByText("Removed", { exact: true })).toHaveCount(0);
  }
  await chooses(hers.post("Bread with too much salt."), "Remove from Saved");
  await expect(hers.toast("Removed from saved")).toBeVisible();
  for (const page of [ana.page, hers.page]) await expect(none(page)).toBeVisible();

  // Ben's page received the comment of a third thing, so that everything before it has arrived.
  await ana.goesTo(`/post/${String(posts[1])}`);
  await ana.comments("The ferry was early.", "By four minutes!");
  await expect(ben.page.getByText("By four minutes!")).toBeVisible();
  expect(messages.filter((message) => /saved\.|"saved":true/u.test(message))).toEqual([]);
  await ben.goesTo("/notifications");
  const notifications = ben.page.getByRole("list", { name: "Notifications" });
  await expect(notifications).toContainText(`${ana.name} commented on your post`);
  await expect(notifications).not.toContainText(/saved/iu);
  for (const one of [ana, ben, hers]) await one.leaves();
});

test("Own posts cannot be saved, and what Ana saved of Ben is gone for good after a block", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const id = await posted(ben.page, "The kettle is on.");
  await posted(ana.page, "Mine.");
  await ana.goesTo(`/profile/${String(ana.id)}`);
  await ana.post("Mine.").getByRole("button", { name: "Post menu" }).click();
  await expect(ana.page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
  await expect(ana.page.getByRole("menuitem", { name: "Save Post" })).toHaveCount(0);

  await ana.goesTo(`/post/${String(id)}`);
  await chooses(ana.post("The kettle is on."), "Save Post");
  await expect(ana.toast("Post saved")).toBeVisible();
  await ana.goesTo("/saved");
  await expect(list(ana.page)).toHaveCount(1);
  await asked(ben.page, "people.block", { key: key(), user_id: ana.id });
  await expect(none(ana.page)).toBeVisible();
  await expect(ana.page.getByText("Removed", { exact: true })).toHaveCount(0);
  await asked(ben.page, "people.unblock", { key: key(), user_id: ana.id });
  await ana.page.reload();
  await expect(none(ana.page)).toBeVisible();
  await ana.goesTo(`/post/${String(id)}`);
  await ana.post("The kettle is on.").getByRole("button", { name: "Post menu" }).click();
  await expect(ana.page.getByRole("menuitem", { name: "Save Post" })).toBeVisible();
  for (const one of [ana, ben]) await one.leaves();
});
