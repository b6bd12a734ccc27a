// Signing up, following, reading and commenting, with every change live in the other browser.

import { expect, test } from "@playwright/test";

import { named, signUpByForm, signUp, openGuest } from "./people";

test("Ben finds Ana, follows her, and sees what she does next", async ({ browser }) => {
  const ana = await signUpByForm(browser, named("Ana"));
  const ben = await signUpByForm(browser, named("Ben"));

  // The feed is empty and says so.
  await ben.goesHome();
  await expect(ben.page.getByRole("heading", { name: "It's quiet here." })).toBeVisible();
  await ben.follows(ana.name);
  await expect(ben.page.getByText("1 follower", { exact: true })).toBeVisible();
  await expect(ana.page.getByText("1 follower", { exact: true })).toBeVisible();
  await ben.goesHome();
  await expect(ben.page.getByRole("heading", { name: "Nothing new." })).toBeVisible();

  // Her post waits behind the new posts button. Nothing moves until he presses it.
  await ana.publishes("The kettle is on.", { title: "Tea", tag: "Slow Mornings" });
  const newPosts = ben.page.getByRole("button", { name: "1 new post" });
  await expect(newPosts).toBeVisible();
  await expect(ben.post("The kettle is on.")).toHaveCount(0);
  await newPosts.click();
  const card = ben.post("The kettle is on.");
  await expect(card).toBeVisible();
  await expect(card).toHaveAccessibleName(`Post by ${ana.name}`);
  await expect(card.getByRole("heading", { name: "Tea" })).toBeVisible();
  await expect(card.getByText("Just now")).toBeVisible();
  await expect(card.getByText("No comments yet")).toBeVisible();

  // Only he sees his vote, and only she sees the count.
  const positive = card.getByRole("button", { name: "Positive Vibes" });
  const negative = card.getByRole("button", { name: "Negative Vibes" });
  await positive.click();
  await expect(positive).toHaveAttribute("aria-pressed", "true");
  await ana.page.getByRole("button", { name: "Account menu" }).click();
  await ana.page.getByRole("menuitem", { name: "View Profile" }).click();
  await expect(ana.post("The kettle is on.").getByText("1 positive vibe", { exact: true })).toBeVisible();
  await negative.click();
  await expect(negative).toHaveAttribute("aria-pressed", "true");
  await expect(positive).toHaveAttribute("aria-pressed", "false");
  await expect(ana.post("The kettle is on.").getByText("0 positive vibes", { exact: true })).toBeVisible();
  await negative.click();
  await expect(negative).toHaveAttribute("aria-pressed", "false");
  await expect(card.getByText(/positive vibe/)).toHaveCount(0);

  // He comments. She sees the comment and removes it.
  await card.getByRole("textbox", { name: "Write a comment" }).fill("Milk, please.");
  await expect(card.getByText("13/500")).toBeVisible();
  await card.getByRole("button", { name: "Post Comment" }).click();
  const hers = ana.post("The kettle is on.");
  await expect(hers.getByRole("list", { name: "Comments" }).getByText("Milk, please.")).toBeVisible();
  await expect(hers.getByRole("button", { name: "1 comment", exact: true })).toBeVisible();
  await hers.getByRole("button", { name: "Delete comment" }).click();
  const dialog = ana.page.getByRole("alertdialog", { name: "Delete Comment" });
  await expect(dialog).toContainText(
    "Are you sure you want to delete this comment? This action cannot be undone.",
  );
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(card.getByText("Milk, please.")).toHaveCount(0);
  await expect(card.getByText("No comments yet")).toBeVisible();

  // She deletes the post. His card becomes one line.
  await hers.getByRole("button", { name: "Delete", exact: true }).click();
  await ana.page
    .getByRole("alertdialog", { name: "Delete Post" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(ana.page.getByText("Post deleted successfully").first()).toBeVisible();
  await expect(ben.post("The kettle is on.")).toHaveCount(0);
  await expect(ben.page.getByText("Removed", { exact: true })).toBeVisible();

  // She logs out. Every tab of her browser shows the welcome page, and his page stays.
  const second = await ana.page.context().newPage();
  await second.goto("/");
  await expect(second.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await ana.logsOut();
  await expect(second.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  await expect(ben.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await ana.logsIn();
  await ana.leaves();
  await ben.leaves();
});

test("The back link on the page of a post stays in Mellow, also after a link from another site", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("A post with an address of its own");
  await ana.post("A post with an address of its own").getByRole("link", { name: "View full post" }).click();
  await expect(ana.page).toHaveURL(/\/post\/\d+$/);
  const address = ana.page.url();
  await ana.page.getByRole("button", { name: "Back" }).click();
  await expect(ana.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();

  await ana.page.goto("about:blank");
  await ana.page.goto(address);
  await expect(ana.post("A post with an address of its own")).toBeVisible();
  await ana.page.getByRole("button", { name: "Back" }).click();
  await expect(ana.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await ana.page.goto("/post/7");
  await expect(ana.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await ana.leaves();
});

test("A guest reads the welcome page without a socket, and other pages ask for a login", async ({
  browser,
}) => {
  const visitor = await openGuest(browser, "Visitor");
  await visitor.page.goto("/");
  await expect(visitor.page.getByRole("heading", { level: 1, name: "Welcome to Mellow" })).toBeVisible();
  for (const name of ["Chronological feed", "Chill vibes", "Quality over quantity", "Digital well-being"]) {
    await expect(visitor.page.getByRole("heading", { name })).toBeVisible();
  }
  for (const path of ["/search", "/create-post"]) {
    await visitor.page.goto(path);
    await expect(visitor.page).toHaveURL(`/login?next=${encodeURIComponent(path)}`);
  }
  await visitor.page.goto("/profile/1");
  await expect(
    visitor.page.getByRole("main").getByText("You need to be logged in to view this page"),
  ).toBeVisible();
  expect(visitor.sockets).toEqual([]);
  await visitor.leaves();
});

test("Sign-up and login refuse with the messages the specification names", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const other = await openGuest(browser, "Other");
  const main = other.page.getByRole("main");
  await other.page.goto("/signup");
  const email = other.page.getByRole("textbox", { name: "Email" });
  const password = other.page.getByLabel("Password", { exact: true });
  await email.fill(ana.email);
  await password.fill("a long enough one");
  await main.getByRole("button", { name: "Sign Up" }).click();
  await expect(main.getByRole("alert")).toHaveText(
    "This email is already in use. Please use a different email.",
  );
  await email.fill("other@example.com");
  await password.fill("short");
  await main.getByRole("button", { name: "Sign Up" }).click();
  await expect(main.getByRole("alert")).toHaveText("Please use at least 10 characters.");
  await password.fill("password123");
  await main.getByRole("button", { name: "Sign Up" }).click();
  await expect(main.getByRole("alert")).toHaveText("That password is too easy to guess.");

  await other.page.goto("/login");
  const messages = other.page.getByRole("region", { name: /^Messages/ });
  await email.fill("nobody.here@example.com");
  await password.fill("a long enough one");
  await main.getByRole("button", { name: "Log In" }).click();
  await expect(
    messages.getByRole("listitem").filter({ hasText: "No user found with this email." }),
  ).toBeVisible();
  await email.fill(ana.email);
  await main.getByRole("button", { name: "Log In" }).click();
  await expect(
    messages.getByRole("listitem").filter({ hasText: "Incorrect email or password. Please try again." }),
  ).toBeVisible();
  await expect(email).toHaveValue(ana.email);
  await other.leaves();
  await ana.leaves();
});

test("A lost connection is restored by itself, missed events arrive, and typed text is kept", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await ana.publishes("Before the tunnel");
  await ben.goesHome();
  const card = ben.post("Before the tunnel");
  await expect(card).toBeVisible();
  await card.getByRole("textbox", { name: "Write a comment" }).fill("half a thou");

  await ben.page.context().setOffline(true);
  await expect(ben.page.getByRole("status", { name: "Connection" })).toContainText("You're offline.");
  await ana
    .post("Before the tunnel")
    .getByRole("textbox", { name: "Write a comment" })
    .fill("Into the tunnel");
  await ana.post("Before the tunnel").getByRole("button", { name: "Post Comment" }).click();
  const commentOf = (of: typeof ana) =>
    of.post("Before the tunnel").getByRole("list", { name: "Comments" }).getByText("Into the tunnel");
  await expect(commentOf(ana)).toBeVisible();
  await ana.publishes("In the tunnel");
  await ben.page.context().setOffline(false);

  await expect(ben.page.getByRole("button", { name: "1 new post" })).toBeVisible();
  await expect(commentOf(ben)).toHaveCount(1);
  await expect(card.getByRole("textbox", { name: "Write a comment" })).toHaveValue("half a thou");
  await expect(ben.page.getByRole("status", { name: "Connection" })).toHaveText("Live");
  await ben.page.getByRole("button", { name: "1 new post" }).click();
  await expect(ben.post("In the tunnel")).toHaveCount(1);
  await ana.leaves();
  await ben.page.context().close();
});

test("Chromium runs without the features that Playwright turns off, although it obeys only the last list", async ({
  browser,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "it is about Chromium");
  const session = await browser.newBrowserCDPSession();
  const { commandLine } = await session.send("SystemInfo.getInfo");
  const lists = [...commandLine.matchAll(/--disable-features=(\S+)/g)].map(
    ([, names]) => names?.split(",") ?? [],
  );
  expect(lists.length).toBeGreaterThan(1);
  expect(lists.at(-1)).toEqual(expect.arrayContaining(lists.flat()));
  await session.detach();
});
