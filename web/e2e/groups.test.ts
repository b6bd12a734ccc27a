// Groups: live for their members, and invisible to everybody else.

import { type Browser, type Locator, type Page, expect, test } from "@playwright/test";

import type { Audience } from "../src/engine/types.gen";
import { drawn } from "./drawn";
import { type Person, named, signUp } from "./people";
import { asked, name as key, posted } from "./wire";

const CENTER = "/?tab=community-center";
const GONE = "This group is gone, or you're no longer in it. Choose who sees this.";
const ALONE = "Shared with a group that no longer exists";
const LEFT = "Shared with a group you're no longer in";

const group = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const member = (page: Page, of: string, who: Person) =>
  group(page, of).getByRole("list", { name: "Members" }).getByRole("listitem").filter({ hasText: who.name });
const none = (page: Page) => page.getByRole("heading", { name: "No groups yet." });
const audience = (within: Page | Locator) => within.getByRole("combobox", { name: "Audience" });
const polls = (page: Page) => page.getByRole("region", { name: "Community Polls" });
const poll = (page: Page, question: string) =>
  polls(page).getByRole("article", { name: question, exact: true });
const post = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const newPosts = (page: Page) => page.getByRole("button", { name: "1 new post" });

const people = <T extends string[]>(browser: Browser, ...names: T) =>
  Promise.all(names.map((name) => signUp(browser, named(name)))) as Promise<{ [at in keyof T]: Person }>;

const follow = (who: Person, whom: Person) =>
  asked(who.page, "follows.set", { key: key(), user_id: whom.id, following: true });

/** Creates a group of Ana with her followers. */
async function groupWithMembers(
  ana: Person,
  name: string,
  ...others: Person[]
): Promise<{ id: number; only: Audience }> {
  for (const one of others) await follow(one, ana);
  const { id } = (await asked(ana.page, "groups.create", { key: key(), name })).group;
  await asked(ana.page, "groups.add", { key: key(), group_id: id, user_ids: others.map((one) => one.id) });
  return { id, only: { type: "group", group_id: id } };
}

const asks = (who: Person, question: string, only: Audience) =>
  asked(who.page, "polls.create", {
    key: key(),
    question,
    options: ["The harbour", "The mill"],
    audience: only,
  });
const comment = (who: Person, postId: number, audience: Audience, text: string) =>
  asked(who.page, "comments.create", { key: key(), post_id: postId, text, audience });

/** Records everything that is received on sockets of pages that this user opens from now on. */
function framesTo(who: Person): Buffer[] {
  const frames: Buffer[] = [];
  const listen = (page: Page) =>
    void page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => frames.push(Buffer.from(payload))),
    );
  listen(who.page);
  who.page.context().on("page", listen);
  return frames;
}

const among = (frames: Buffer[], words: string[]) =>
  words.filter((word) => frames.some((frame) => frame.includes(word)));

async function manages(who: Person): Promise<void> {
  await who.page.getByRole("button", { name: "Account menu" }).click();
  await who.page.getByRole("menuitem", { name: "Manage Groups" }).click();
  await expect(who.page.getByRole("heading", { level: 1, name: "Manage Groups" })).toBeVisible();
}

test("A group is created, filled and renamed live for its members, and another follower receives no byte of it", async ({
  browser,
}) => {
  const [ana, ben, cleo, dan] = await people(browser, "Ana", "Ben", "Cleo", "Dan");
  await follow(ben, ana);
  await follow(dan, ana);
  await follow(dan, cleo);
  await follow(ana, cleo);
  const [inside, outside] = [framesTo(ben), framesTo(dan)];
  await Promise.all([ben.page.goto("/groups"), cleo.page.goto("/create-post"), dan.page.goto(CENTER)]);
  const [feed, profile] = await Promise.all([dan.opens("/"), dan.opens(`/profile/${ana.id}`)]);
  await expect(none(ben.page)).toBeVisible();
  await expect(audience(cleo.page).getByRole("option")).toHaveText(["Everyone here"]);
  await expect(polls(dan.page).getByText("No open polls. Ask something small.")).toBeVisible();
  await expect(feed.getByRole("heading", { name: "Nothing new." })).toBeVisible();
  await expect(profile.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();

  // She adds followers here, and a user whom she follows on the user's profile.
  const [was, is] = [named("Harbour swimmers"), named("Winter swimmers")];
  const { page } = ana;
  await manages(ana);
  await expect(none(page)).toBeVisible();
  await page.getByRole("textbox", { name: "New group name" }).fill(was);
  await page.getByRole("button", { name: "Create Group" }).click();
  await expect(ana.toast("Group created successfully")).toBeVisible();
  await expect(group(page, was)).toContainText("1 member");
  await expect(member(page, was, ana)).toContainText("Owner");
  await group(page, was).getByRole("button", { name: "Add to Group" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to Group" });
  await expect(dialog.getByRole("checkbox")).toHaveCount(2);
  await dialog.getByRole("checkbox", { name: ben.name }).check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(ana.toast(`Successfully added 1 user(s) to ${was}`)).toBeVisible();
  await expect(group(ben.page, was)).toContainText(`Added by ${ana.name}`);
  await expect(group(ben.page, was)).toContainText("2 members");
  await expect(group(ben.page, was).getByRole("button")).toHaveText(["Leave Group"]);
  await ana.goesTo(`/profile/${cleo.id}`);
  await page.getByRole("button", { name: "Add to Group" }).click();
  await dialog.getByRole("checkbox", { name: was }).check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(member(ben.page, was, cleo)).toBeVisible();
  await expect(audience(cleo.page).getByRole("option")).toHaveText(["Everyone here", was]);

  // Every member posts and asks polls in the group. A new name is on cards, in dialogs and in the audience
  // list.
  const [words, question, answer] = [
    named("Four degrees and no wind"),
    named("Where on Sunday"),
    named("The old pier"),
  ];
  await audience(cleo.page).selectOption(was);
  await cleo.page.getByRole("textbox", { name: "Text" }).fill(words);
  await cleo.page.getByRole("button", { name: "Share Post" }).click();
  await expect(post(cleo.page, words)).toContainText(`Shared with ${was}`);
  const center = await ben.opens(CENTER);
  await expect(polls(center).getByText("No open polls. Ask something small.")).toBeVisible();
  await page.goto(CENTER);
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  const asking = page.getByRole("dialog", { name: "Create Poll" });
  await asking.getByRole("textbox", { name: "Question" }).fill(question);
  await asking.getByRole("textbox", { name: "Option 1" }).fill(answer);
  await asking.getByRole("textbox", { name: "Option 2" }).fill("Nowhere");
  await audience(asking).selectOption(was);
  await asking.getByRole("button", { name: "Create Poll" }).click();
  await expect(poll(center, question)).toContainText(`Shared with ${was}`);
  await poll(center, question).getByRole("button", { name: answer, exact: true }).click();
  await expect(
    poll(center, question).getByRole("button", { name: `${answer}, 100%, your choice` }),
  ).toBeVisible();
  await ben.page.bringToFront();
  await ben.goesHome();
  await ben.comments(words, named("Kettle in the bag"));
  await expect(post(cleo.page, words).getByText("Kettle in the bag")).toBeVisible();
  await manages(ana);
  await group(page, was).getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Group name", exact: true }).fill(is);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(ana.toast("Group updated successfully")).toBeVisible();
  await expect(group(page, is).getByRole("heading", { name: is })).toBeVisible();
  for (const one of [post(ben.page, words), post(cleo.page, words), poll(center, question)])
    await expect(one).toContainText(`Shared with ${is}`);
  await cleo.goesTo("/create-post");
  await expect(audience(cleo.page).getByRole("option")).toHaveText(["Everyone here", is]);

  // Afterwards a public post reaches Dan on the same sockets.
  const postId = Number(
    (await post(ben.page, words).getByRole("link", { name: "View full post" }).getAttribute("href"))
      ?.split("/")
      .at(-1),
  );
  await posted(page, "For everybody.");
  await expect(newPosts(feed)).toBeVisible();
  await expect(profile.getByText("For everybody.").or(newPosts(profile))).toBeVisible();
  await expect(polls(dan.page).getByText("No open polls. Ask something small.")).toBeVisible();
  for (const path of [`/post/${postId}`, "/post/7"]) {
    await feed.goto(path);
    await expect(feed.getByText("That post isn't available.").first()).toBeVisible();
    await expect(feed).toHaveURL("/");
  }
  await feed.goto("/search");
  await feed.getByRole("searchbox", { name: "Search by name" }).fill(is);
  await expect(feed.getByText("Nobody by that name.")).toBeVisible();
  await profile.goto(`/profile/${cleo.id}`);
  await expect(profile.getByRole("heading", { level: 1, name: cleo.name })).toBeVisible();
  await expect(profile.getByRole("article")).toHaveCount(0);
  const all = [was, is, words, question, answer, "Kettle in the bag"];
  expect(among(inside, all)).toEqual(all);
  expect(among(outside, ["For everybody."])).toEqual(["For everybody."]);
  expect(among(outside, all)).toEqual([]);
  for (const one of [ana, ben, cleo, dan]) await one.leaves();
});

test("A removed member loses everything of the group at once, and receives nothing of it afterwards", async ({
  browser,
}) => {
  const [ana, ben, cleo] = await people(browser, "Ana", "Ben", "Cleo");
  const name = named("Harbour swimmers");
  const { only, id } = await groupWithMembers(ana, name, ben, cleo);
  const postId = await posted(
    ana.page,
    "Four degrees and no wind.",
    [{ bytes: await drawn(browser, "harbour", [320, 214]), alt: "The harbour." }],
    { audience: only },
  );
  await comment(cleo, postId, only, "I'll bring the kettle.");
  await asks(ana, "Where on Sunday?", only);
  await posted(ben.page, "My towel is still at the pier.", [], { audience: only });
  const frames = framesTo(ben);
  const { page } = ben;
  await page.goto(`/post/${postId}`);
  const [feed, center] = await Promise.all([ben.opens("/"), ben.opens(CENTER)]);
  await expect(poll(center, "Where on Sunday?")).toBeVisible();
  for (const text of ["Four degrees and no wind.", "My towel is still at the pier."])
    await expect(post(feed, text)).toContainText(`Shared with ${name}`);
  await page.bringToFront();
  await expect(page.getByText("I'll bring the kettle.")).toBeVisible();
  const picture = page.locator("[data-picture=here] img").last();
  const address = (await picture.getAttribute("src")) ?? "";
  const box = page.getByRole("textbox", { name: "Write a comment" });
  await box.fill("Keep me a cup, I am");
  const fetched = async (at: Page) => (await at.request.get(address)).status();
  expect(await fetched(page)).toBe(200);

  await ana.page.goto("/groups");
  await expect(member(ana.page, name, ana).getByRole("button")).toHaveCount(0);
  await member(ana.page, name, ben).getByRole("button", { name: "Remove" }).click();
  await expect(ana.toast("Member removed from group")).toBeVisible();
  const until = frames.length;
  await expect(group(ana.page, name)).toContainText("2 members");
  await expect(
    page.getByText("You no longer have access to this group.", { exact: true }).first(),
  ).toBeVisible();
  await expect(page.getByText("Keep me a cup, I am")).toBeVisible();
  for (const part of [
    page.getByRole("article"),
    page.locator("[data-picture]"),
    box,
    page.getByText("I'll bring the kettle."),
  ])
    await expect(part).toHaveCount(0);
  await expect(poll(center, "Where on Sunday?")).toHaveCount(0);
  await expect(post(feed, "Four degrees and no wind.")).toHaveCount(0);
  const own = post(feed, "My towel is still at the pier.");
  await expect(own).toContainText(LEFT);
  await expect(own.getByRole("textbox")).toHaveCount(0);
  expect(await fetched(page)).toBe(404);
  expect(await fetched(ana.page)).toBe(200);

  // The group continues without him. Afterwards a public post reaches him.
  await posted(ana.page, "The water is warmer without wind.", [], { audience: only });
  await comment(cleo, postId, only, "And a second cup.");
  await asks(ana, "Who has his towel?", only);
  await asked(ana.page, "groups.rename", { key: key(), group_id: id, name: "Winter swimmers" });
  await posted(ana.page, "For everybody.");
  await expect(newPosts(feed)).toBeVisible();
  await feed.reload();
  await expect(post(feed, "For everybody.")).toBeVisible();
  await expect(feed.getByRole("article")).toHaveCount(2);
  await expect(own).toContainText(LEFT);
  await center.reload();
  await expect(polls(center).getByText("No open polls. Ask something small.")).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL("/");
  await ben.goesToOwnProfile();
  await ben.post("My towel is still at the pier.").getByRole("button", { name: "Delete" }).click();
  await page
    .getByRole("alertdialog", { name: "Delete Post" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(own).toHaveCount(0);
  const after = frames.slice(until);
  expect(among(after, ["For everybody."])).toEqual(["For everybody."]);
  expect(
    among(after, [
      name,
      "Winter swimmers",
      "Four degrees",
      "kettle",
      "second cup",
      "warmer",
      "Sunday",
      "his towel?",
      "The mill",
    ]),
  ).toEqual([]);
  for (const one of [ana, ben, cleo]) await one.leaves();
});

test("A member leaves by keyboard, and after a group is deleted its posts stay only for their authors", async ({
  browser,
}) => {
  const [ana, ben, cleo] = await people(browser, "Ana", "Ben", "Cleo");
  const name = named("Harbour swimmers");
  const { only } = await groupWithMembers(ana, name, ben, cleo);
  const hers = await posted(cleo.page, "Four degrees and no wind.", [], { audience: only });
  await posted(ana.page, "Bring a towel.", [], { audience: only });
  await comment(ana, hers, only, "I'll bring the kettle.");
  await Promise.all([ana.page.goto("/groups"), ben.page.goto("/groups"), cleo.page.goto("/notifications")]);
  const notifications = cleo.page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
  await expect(
    notifications.filter({ hasText: "I'll bring the kettle." }).getByRole("link", { name: "View Post" }),
  ).toBeVisible();
  await expect(group(ana.page, name)).toContainText("3 members");

  const leave = group(ben.page, name).getByRole("button", { name: "Leave Group" });
  await leave.press("Enter");
  const leaving = ben.page.getByRole("alertdialog", { name: "Leave Group" });
  await expect(leaving).toBeVisible();
  await ben.page.keyboard.press("Escape");
  await expect(leaving).toHaveCount(0);
  await expect(leave).toBeFocused();
  await leave.press("Enter");
  await leaving.getByRole("button", { name: "Leave Group" }).press("Enter");
  await expect(none(ben.page)).toBeVisible();
  await expect(group(ben.page, name)).toHaveCount(0);
  await expect(group(ana.page, name)).toContainText("2 members");
  await expect(member(ana.page, name, ben)).toHaveCount(0);

  const end = group(ana.page, name).getByRole("button", { name: "Delete" });
  await end.press("Enter");
  const ending = ana.page.getByRole("alertdialog", { name: "Delete Group" });
  await expect(ending).toContainText("2 posts");
  await ending.getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(end).toBeFocused();
  await end.press("Enter");
  // The button does nothing until the number of posts is known.
  await expect(ending).toContainText("2 posts");
  await ending.getByRole("button", { name: "Delete" }).press("Enter");
  await expect(ana.toast("Group deleted successfully")).toBeVisible();
  await expect(none(ana.page)).toBeVisible();
  const item = notifications.filter({ hasText: `${ana.name} commented on your post` });
  await expect(cleo.page.getByText("I'll bring the kettle.")).toHaveCount(0);
  for (const _ of ["at once", "and read again"]) {
    await expect(item).toHaveCount(1);
    await expect(item.getByRole("link", { name: "View Post" })).toHaveCount(0);
    await expect(item).not.toContainText("Four degrees");
    await cleo.page.reload();
  }
  for (const [one, text, others] of [
    [cleo, "Four degrees and no wind.", "Bring a towel."],
    [ana, "Bring a towel.", "Four degrees and no wind."],
  ] as const) {
    await one.goesHome();
    await expect(one.post(text)).toContainText(ALONE);
    await expect(one.post(text).getByRole("textbox")).toHaveCount(0);
    await expect(one.post(others)).toHaveCount(0);
  }
  for (const one of [ana, ben, cleo]) await one.leaves();
});

test("A post that is narrowed to a group disappears at once for others, and can be widened only before comments", async ({
  browser,
}) => {
  const [ana, ben, dan] = await people(browser, "Ana", "Ben", "Dan");
  const name = named("Harbour swimmers");
  await groupWithMembers(ana, name, ben);
  await follow(dan, ana);
  const postId = await posted(ana.page, "Four degrees and no wind.");
  const frames = framesTo(dan);
  await Promise.all([
    ben.page.goto("/"),
    dan.page.goto(`/post/${postId}`),
    ana.page.goto(`/profile/${ana.id}`),
  ]);
  const feed = await dan.opens("/");
  await expect(post(feed, "Four degrees")).toBeVisible();
  await expect(dan.post("Four degrees")).toBeVisible();
  const { page } = ana;
  const card = page.getByRole("article");
  const text = card.getByRole("textbox", { name: "Text" });
  const edits = async (to: string, words: string) => {
    await card.getByRole("button", { name: "Edit", exact: true }).click();
    await audience(card).selectOption(to);
    await text.fill(words);
    await card.getByRole("button", { name: "Save" }).click();
  };
  await edits(name, "Four degrees, and the key is under the stone.");
  await expect(ana.toast("Post updated successfully")).toBeVisible();
  for (const one of [dan.page, feed]) {
    await expect(one.getByRole("article")).toHaveCount(0);
    await expect(one.getByText("Removed", { exact: true })).toBeVisible();
  }
  await expect(ben.post("the key is under the stone")).toContainText(`Shared with ${name}`);
  await expect(ben.post("the key is under the stone")).toContainText("(edited)");

  // Nobody else has commented, so the post may become public again, and be narrowed again.
  await edits("Everyone here", "Four degrees, all are welcome.");
  await expect(card.getByText("Shared with")).toHaveCount(0);
  await expect(ben.post("all are welcome").getByText("Shared with")).toHaveCount(0);
  await feed.reload();
  await expect(post(feed, "all are welcome")).toBeVisible();
  await edits(name, "Four degrees, and the key is where it was.");
  await expect(feed.getByRole("article")).toHaveCount(0);
  await ben.comments("the key is where it was", "Found it.");
  await expect(card.getByText("Found it.")).toBeVisible();
  await edits("Everyone here", "Four degrees, for all after all.");
  await expect(card.getByRole("alert")).toHaveText(
    "Others have written under this post for a smaller circle, so it can't be shared more widely. Your words are kept.",
  );
  await expect(audience(card)).toHaveAttribute("aria-invalid", "true");
  await expect(audience(card)).toBeFocused();
  await expect(text).toHaveValue("Four degrees, for all after all.");
  await audience(card).selectOption(name);
  await expect(card.getByRole("alert")).toHaveCount(0);
  await card.getByRole("button", { name: "Save" }).click();
  await expect(ben.post("for all after all")).toContainText(`Shared with ${name}`);
  await feed.reload();
  await expect(feed.getByRole("heading", { name: "Nothing new." })).toBeVisible();
  expect(among(frames, ["all are welcome"])).toEqual(["all are welcome"]);
  expect(among(frames, [name, "the key", "Found it.", "for all after all"])).toEqual([]);
  for (const one of [ana, ben, dan]) await one.leaves();
});

test("A group's page has its posts alone and live, and is unknown to everybody who is not in the group", async ({
  browser,
}) => {
  const [ana, ben, cy] = await people(browser, "Ana", "Ben", "Cy");
  const name = named("Harbour swimmers");
  const { id, only } = await groupWithMembers(ana, name, ben);
  await follow(cy, ana);
  const heard = framesTo(cy);
  await posted(ana.page, "Everybody may read this.");
  const heading = (page: Page, words: string) =>
    expect(page.getByRole("heading", { level: 1, name: words })).toBeVisible();
  const list = ben.page.getByRole("list", { name: "Posts" });

  // Ben comes by the name on the card. Ana posts from the page, which is still empty.
  await ben.page.goto("/groups");
  await group(ben.page, name).getByRole("link", { name }).click();
  await heading(ben.page, name);
  await expect(ben.page.getByRole("heading", { name: "Nothing shared here yet." })).toBeVisible();
  expect((await ana.page.goto(`/groups/${id}`))?.status()).toBe(200);
  await ana.page.getByRole("main").getByRole("link", { name: "Create Post" }).click();
  await expect(audience(ana.page).getByRole("option", { selected: true })).toHaveText(name);
  await ana.page.getByRole("textbox", { name: "Text" }).fill("Bring a towel.");
  await ana.page.getByRole("button", { name: "Share Post" }).click();
  await newPosts(ben.page).click();
  await expect(list.getByRole("article")).toHaveCount(1);
  await expect(list).toContainText("Bring a towel.");

  // The name beside the post leads there too, from Your Space and from the post's page.
  await ben.goesHome();
  await expect(ben.post("Everybody may read this.")).toBeVisible();
  await ben.post("Bring a towel.").getByRole("link", { name: "View full post" }).click();
  await ben.page.getByRole("article").getByRole("link", { name }).click();
  await heading(ben.page, name);
  await expect(list.getByRole("article")).toHaveCount(1);
  await posted(ana.page, "And a kettle.", [], { audience: only });
  await newPosts(ben.page).click();
  await expect(list.getByRole("article")).toHaveCount(2);

  expect((await cy.page.goto(`/groups/${id}`))?.status()).toBe(404);
  await heading(cy.page, "Page not found");
  expect(among(heard, [name, "Bring a towel.", "And a kettle."])).toEqual([]);
  await asked(ana.page, "groups.remove", { key: key(), group_id: id, user_id: ben.id });
  await heading(ben.page, "Page not found");
  await expect(ben.page.getByText("Bring a towel.")).toHaveCount(0);
  for (const one of [ana, ben, cy]) await one.leaves();
});

test("A post for a group that is deleted meanwhile waits for a new audience, and reaches nobody before", async ({
  browser,
}) => {
  const [ana, ben, dan] = await people(browser, "Ana", "Ben", "Dan");
  const name = named("Harbour swimmers");
  const { id } = await groupWithMembers(ana, name, ben);
  await follow(dan, ben);
  await Promise.all([ben.page.goto("/create-post"), dan.page.goto("/")]);
  const { page } = ben;
  const asking = await ben.opens(CENTER);
  await polls(asking).getByRole("button", { name: "Create Poll" }).click();
  const dialog = asking.getByRole("dialog", { name: "Create Poll" });
  for (const [box, words] of [
    ["Question", "Who has my towel?"],
    ["Option 1", "Ana"],
    ["Option 2", "The sea"],
  ] as const)
    await dialog.getByRole("textbox", { name: box }).fill(words);
  await audience(dialog).selectOption(name);
  await page.bringToFront();
  await audience(page).selectOption(name);
  await page.getByRole("textbox", { name: "Text" }).fill("My towel is still at the pier.");
  await asked(ana.page, "groups.delete", { key: key(), group_id: id });

  const share = page.getByRole("button", { name: "Share Post" });
  const alert = page.getByRole("main").getByRole("alert");
  const chosen = audience(page).getByRole("option", { selected: true });
  for (const restored of [false, true]) {
    await expect(chosen).toHaveText("A group that no longer exists");
    await expect(alert).toHaveText(GONE);
    await share.click();
    await expect(audience(page)).toBeFocused();
    await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("My towel is still at the pier.");
    if (restored) continue;
    const closing = page.waitForEvent("dialog").then((dialog) => dialog.accept());
    await page.reload();
    await closing;
    await expect(page.getByRole("region", { name: "Restored draft" })).toBeVisible();
  }
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(GONE);
  expect(
    (await asked(page, "posts.by_author", { user_id: ben.id, before: null, before_at_ms: null })).posts,
  ).toEqual([]);
  expect((await asked(page, "polls.list", { before: null })).polls).toEqual([]);
  await expect(newPosts(dan.page)).toHaveCount(0);

  await audience(page).selectOption("Everyone here");
  await expect(alert).toHaveCount(0);
  await share.click();
  await expect(ben.post("My towel is still at the pier.")).toBeVisible();
  await expect(newPosts(dan.page)).toBeVisible();
  await audience(dialog).selectOption("Everyone here");
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await expect(poll(asking, "Who has my towel?")).toBeVisible();
  await expect(poll(asking, "Who has my towel?").getByText("Shared with")).toHaveCount(0);
  for (const one of [ana, ben, dan]) await one.leaves();
});
