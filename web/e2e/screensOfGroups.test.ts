// Checks of groups, and of posts and polls that are shared with them; screens.test.ts checks the others.

import { type Page, expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { named, signUp } from "./people";
import { asked, name as key, posted } from "./wire";

test("groups, their dialogs, and their posts and polls pass axe and fit", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const ben = await signUp(browser, named("Ben Okafor"));
  const cleo = await signUp(browser, "Wilhelmina Featherstonehaugh of the Lower Harbour");
  const { page } = ana;
  const group = (name: string) => page.getByRole("article", { name, exact: true });
  for (const one of [ben, cleo])
    await asked(one.page, "follows.set", { key: key(), user_id: ana.id, following: true });
  await asked(page, "follows.set", { key: key(), user_id: ben.id, following: true });
  await ana.goesTo("/groups");
  await expect(page.getByRole("heading", { name: "No groups yet." })).toBeVisible();
  await checkScreen(page, "groups-none", "whole");

  const make = async (who: Page, called: string, ...ids: number[]) => {
    const { id } = (await asked(who, "groups.create", { key: key(), name: called })).group;
    if (ids.length > 0) await asked(who, "groups.add", { key: key(), group_id: id, user_ids: ids });
    return id;
  };
  const swimmers = await make(page, "Winter swimmers", ben.id, cleo.id);
  const only = { type: "group", group_id: swimmers } as const;
  await make(page, "Donaudampfschifffahrtsgesellschaftskapitänsmützen", ben.id);
  const soup = await make(ben.page, "Sunday soup", ana.id);
  await expect(group("Sunday soup")).toContainText("2 members");
  await expect(group("Winter swimmers").getByRole("listitem")).toHaveCount(3);
  await checkScreen(page, "groups", "whole");
  await group("Winter swimmers").getByRole("button", { name: "Rename" }).click();
  await page
    .getByRole("textbox", { name: "Group name", exact: true })
    .fill("Winter swimmers, the ones who also come in spring and autumn");
  await checkScreen(page, "group-rename", group("Winter swimmers"));
  await group("Winter swimmers").getByRole("button", { name: "Cancel" }).click();
  await group("Donaudampfschifffahrtsgesellschaftskapitänsmützen")
    .getByRole("button", { name: "Add to Group" })
    .click();
  await page.getByRole("checkbox", { name: "Wilhelmina" }).check();
  await checkScreen(page, "group-add");
  await page.keyboard.press("Escape");
  const text = "Four degrees, no wind, and the water so clear that we could see our own feet.";
  const postId = await posted(page, text, [], {
    title: "Twelve minutes",
    tag: "Slow Mornings",
    audience: only,
  });
  await asked(ben.page, "comments.create", {
    key: key(),
    post_id: postId,
    text: "I counted nine.",
    audience: only,
  });
  await posted(ben.page, "My towel is still at the pier.", [], { audience: only });
  await asked(ben.page, "polls.create", {
    key: key(),
    question: "Where on Sunday, if the weather holds?",
    options: ["The harbour", "The mill"],
    audience: only,
  });
  await group("Winter swimmers").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("2 posts");
  await checkScreen(page, "group-delete");
  await page.keyboard.press("Escape");
  await group("Sunday soup").getByRole("button", { name: "Leave Group" }).click();
  await checkScreen(page, "group-leave");
  await page.keyboard.press("Escape");

  await ana.goesTo(`/profile/${ben.id}`);
  await page.getByRole("button", { name: "Add to Group" }).click();
  await expect(page.getByRole("checkbox")).toHaveCount(2);
  await checkScreen(page, "profile-add-to-group");
  await page.keyboard.press("Escape");
  await ana.goesTo("/create-post");
  await page.getByRole("combobox", { name: "Audience" }).selectOption("Winter swimmers");
  await checkScreen(page, "composer-group", "whole");
  await ben.goesTo("/?tab=community-center");
  await expect(ben.page.getByText("Shared with Winter swimmers")).toBeVisible();
  await checkScreen(ben.page, "poll-group", ben.page.getByText("Shared with Winter swimmers"));
  await ben.goesTo("/");
  await expect(ben.post("Twelve minutes").getByText("I counted nine.")).toBeVisible();
  await checkScreen(ben.page, "post-group", "whole");
  await ben.goesTo(`/groups/${swimmers}`);
  await expect(ben.post("Twelve minutes").getByText("I counted nine.")).toBeVisible();
  await checkScreen(ben.page, "group-posts", "whole");
  await ben.goesTo(`/groups/${soup}`);
  await expect(ben.page.getByRole("heading", { name: "Nothing shared here yet." })).toBeVisible();
  await checkScreen(ben.page, "group-posts-none", "whole");

  // He is removed from the group while he comments on a post of it.
  await ben.goesTo(`/post/${postId}`);
  await ben.page.getByRole("textbox", { name: "Write a comment" }).fill("Keep me a cup, I am");
  await asked(page, "groups.remove", { key: key(), group_id: swimmers, user_id: ben.id });
  await expect(ben.page.getByRole("article")).toHaveCount(0);
  await checkScreen(ben.page, "group-post-lost");
  await ben.goesToOwnProfile();
  await expect(ben.post("My towel")).toContainText("Shared with a group you're no longer in");
  await checkScreen(ben.page, "post-alone", "whole");
  await ben.page.getByRole("button", { name: "Edit", exact: true }).click();
  await expect(ben.page.getByRole("combobox", { name: "Audience" })).toBeVisible();
  await checkScreen(ben.page, "post-alone-editing", "whole");
  for (const one of [ana, ben, cleo]) await one.leaves();
});
