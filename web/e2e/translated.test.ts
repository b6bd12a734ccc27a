// A page that the browser translates: everything goes on changing, and no screen dies.

import { expect, test } from "@playwright/test";

import { CENTER, asks, dismissFirstSteps, poll, polls } from "./homeScreen";
import { named, signUp } from "./people";
import { translated, translates } from "./translator";
import { asked, name as key, posted } from "./wire";

test("a page that the browser translates goes on living", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Words"));
  const ben = await signUp(browser, named("Ben Mots"));
  const cleo = await signUp(browser, named("Cleo Wörter"));
  const { page } = ben;
  for (const [who, whom] of [
    [ben, ana],
    [ana, ben],
    [cleo, ana],
    [cleo, ben],
  ] as const)
    await asked(who.page, "follows.set", { key: key(), user_id: whom.id, following: true });
  await dismissFirstSteps(page);
  const everybody = { type: "public" } as const;
  const mine = await posted(page, "Ben's own post");
  const before = "Go to https://a.example/x now";
  const hers = await posted(ana.page, before, [], { title: "A title", tag: "Tea" });
  const says = (who: typeof ana, text: string, post_id = hers) =>
    asked(who.page, "comments.create", { key: key(), post_id, text, audience: everybody });
  await says(cleo, `Ask @${ben.id}+Ben or see https://b.example/ first`);
  await translates(page.context());
  await page.goto("/");

  // A post that is edited, counts that change, comments, and a new name.
  const card = ben.post("A title");
  await expect(card).toContainText(before);
  await expect.poll(() => translated(page)).toBeGreaterThan(20);
  await asked(ana.page, "posts.update", {
    key: key(),
    post_id: hers,
    title: "A title, edited",
    text: "Go now",
    content_note: null,
    audience: everybody,
  });
  await expect(card).toContainText("Go now");
  await expect(card).toContainText("(edited)");
  await asked(ana.page, "posts.update", {
    key: key(),
    post_id: hers,
    title: "A title",
    text: before,
    content_note: null,
    audience: everybody,
  });
  await expect(card.getByRole("link", { name: "https://a.example/x" })).toBeVisible();
  await expect(card).toContainText("Ask @Ben");
  for (const [at, text] of ["one https://c.example/", "two", "three"].entries()) {
    await says(ana, text);
    await expect(card.getByRole("button", { name: `${at + 2} comments` })).toBeVisible();
  }
  await card.getByRole("button", { name: /^Show \d more/u }).click();
  await expect(card).toContainText("three");
  await card.getByRole("textbox", { name: "Write a comment" }).fill("four, with https://d.example/ in it");
  await card.getByRole("button", { name: "Post Comment" }).click();
  await expect(card.getByRole("button", { name: "5 comments" })).toBeVisible();
  await card.getByRole("button", { name: "Delete comment" }).last().click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(card.getByRole("button", { name: "4 comments" })).toBeVisible();
  await card.getByRole("button", { name: "Positive Vibes" }).click();
  await expect(card.getByRole("button", { name: "Positive Vibes" })).toHaveAttribute("aria-pressed", "true");
  await card.getByRole("button", { name: "Positive Vibes" }).click();
  await card.getByRole("button", { name: "Show less" }).click();
  await asked(ana.page, "profiles.update", {
    key: key(),
    name: "Ana Renamed",
    bio: "A bio with https://e.example/",
    from_color: "red",
    to_color: "blue",
  });
  await expect(card).toContainText("Ana Renamed");
  const later = await posted(ana.page, "A later post");
  await page.getByRole("button", { name: "1 new post" }).click();
  await expect(ben.post("A later post")).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.getByText("You're offline.")).toBeVisible({ timeout: 60_000 });
  await page.context().setOffline(false);
  await expect(page.getByText("You're offline.")).toHaveCount(0);

  // The page of a post, which is deleted.
  await ben.goesTo(`/post/${later}`);
  await expect(page.getByRole("article")).toContainText("A later post");
  await says(cleo, "Bye", later);
  await expect(page.getByRole("button", { name: "1 comment" })).toBeVisible();
  await asked(ana.page, "posts.delete", { key: key(), post_id: later });
  await expect(page.getByText("Removed", { exact: true })).toBeVisible();

  // Profiles, and lists of people.
  await ben.goesTo(`/profile/${ana.id}`);
  await expect(page.getByText("2 followers")).toBeVisible();
  await asked(cleo.page, "follows.set", { key: key(), user_id: ana.id, following: false });
  await expect(page.getByText("1 follower", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Unfollow" }).click();
  await page.getByRole("button", { name: "Follow", exact: true }).click();
  await page.getByRole("main").locator("[aria-haspopup=menu]").first().click();
  await page.getByRole("menuitem", { name: /^Mute/u }).click();
  await expect(page.getByText("You muted")).toBeVisible();
  await page.getByRole("button", { name: "Unmute" }).click();
  await expect(page.getByText("You muted")).toHaveCount(0);
  await ben.renames(named("Ben Umbenannt"));
  for (const [vote, count] of [
    ["positive", "1 positive vibe"],
    ["none", "0 positive vibes"],
  ] as const) {
    await asked(ana.page, "votes.set", { key: key(), post_id: mine, vote });
    await expect(ben.post("Ben's own post")).toContainText(count);
  }
  await asked(ana.page, "posts.update", {
    key: key(),
    post_id: hers,
    title: null,
    text: "short",
    content_note: null,
    audience: everybody,
  });

  // Notifications come, and go.
  await page.getByRole("link", { name: /^Notifications/u }).click();
  const items = page.getByRole("main").getByRole("listitem");
  await expect(items.first()).toBeVisible();
  const held = await items.count();
  await says(ana, "For the list https://f.example/", mine);
  await expect(items).toHaveCount(held + 1);
  await items.first().getByRole("button", { name: "Delete" }).click();
  await expect(items).toHaveCount(held);

  // A poll, its counts and its voters.
  await ana.page.goto(CENTER);
  await asks(ana.page, "Tea or coffee?", ["Tea", "Coffee"]);
  await page.goto(CENTER);
  await poll(page, "Tea or coffee?").getByRole("button", { name: "Tea" }).click();
  await expect(poll(page, "Tea or coffee?")).toContainText("1 vote");
  await poll(ana.page, "Tea or coffee?").getByRole("button", { name: "Coffee" }).click();
  await expect(poll(page, "Tea or coffee?")).toContainText("2 votes");
  await poll(page, "Tea or coffee?").getByRole("button", { name: "Coffee, 50%" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  await page.getByRole("textbox", { name: "Question" }).fill("What?");
  await page.getByRole("button", { name: "Add option" }).click();
  await page.keyboard.press("Escape");

  // A group that is renamed, and its members.
  const { group } = await asked(ana.page, "groups.create", { key: key(), name: "Family" });
  await asked(ana.page, "groups.add", { key: key(), group_id: group.id, user_ids: [ben.id] });
  await ben.goesTo("/groups");
  await expect(page.getByRole("article", { name: "Family" })).toContainText("2 members");
  await asked(ana.page, "groups.rename", { key: key(), group_id: group.id, name: "Kin" });
  await expect(page.getByRole("article", { name: "Kin" })).toContainText("Added by Ana Renamed");
  await asked(ana.page, "groups.delete", { key: key(), group_id: group.id });
  await expect(page.getByRole("article", { name: "Kin" })).toHaveCount(0);

  // Search, settings, a new post.
  await ben.goesTo("/search");
  for (const [term, found] of [
    ["zzz", "Nobody by that name."],
    ["Ana Renamed", "Ana Renamed"],
    ["zz", "Nobody by that name."],
  ] as const) {
    await page.getByRole("searchbox", { name: "Search by name" }).fill(term);
    await expect(page.getByRole("main")).toContainText(found);
  }
  await ben.goesTo("/settings");
  for (const on of ["true", "false"]) {
    await page.getByRole("switch", { name: "Hide numbers" }).click();
    await expect(page.getByRole("switch", { name: "Hide numbers" })).toHaveAttribute("aria-checked", on);
  }
  await page.getByRole("button", { name: "Change Email" }).click();
  await page.getByRole("button", { name: "Change Email" }).last().click();
  await page.keyboard.press("Escape");
  await ben.goesTo("/create-post");
  await page.getByRole("textbox", { name: "Text" }).fill("Written in translation https://g.example/");
  await page.getByRole("textbox", { name: "Title" }).fill("A title");
  await page.getByRole("button", { name: "Share Post" }).click();
  await expect(ben.post("Written in translation")).toBeVisible();
  await ben.logsOut();
  await ben.logsIn();
  await expect.poll(() => translated(page)).toBeGreaterThan(20);
  await ben.leaves();
  await ana.leaves();
  await cleo.leaves();
});
