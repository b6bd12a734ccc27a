// New users, and what helps them to find people.

import { type Locator, expect, test } from "@playwright/test";

import { drawn } from "./drawn";
import { type Person, named, phoneSized, signUpByForm, signUp, openGuest } from "./people";

/** Counts the presses of a person. */
class Presses {
  count = 0;

  async on(control: Locator): Promise<void> {
    await control.click();
    this.count += 1;
  }

  /** Fills in and sends the form of Sign Up, by a press on each field. */
  async signUp({ page, email, password, name }: Person): Promise<void> {
    for (const [box, words] of [
      [page.getByRole("textbox", { name: "Email" }), email],
      [page.getByLabel("Password", { exact: true }), password],
      [page.getByRole("textbox", { name: "What should people call you?" }), name],
    ] as const) {
      await this.on(box);
      await page.keyboard.type(words);
    }
    await this.on(page.getByRole("main").getByRole("button", { name: "Sign Up" }));
  }
}

test("People are listed under Search, followed there, and found by the beginning of a surname", async ({
  browser,
}) => {
  const word = `lind${process.pid}`;
  const ana = await signUp(browser, named("Ana"));
  const maya = await signUp(browser, `${named("Maya")} ${word.toUpperCase()}qvist`);
  const { page } = ana;
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "People" })).toBeVisible();
  const people = page.getByRole("list", { name: "People" }).getByRole("listitem");
  await expect(people.first().getByRole("link")).toBeVisible();

  // She is found by the beginning of her surname, in small letters.
  await page.getByRole("searchbox", { name: "Search by name" }).fill(word);
  await expect(page.getByText("Nobody by that name.")).toBeVisible();
  const close = page.getByRole("list", { name: "Close matches" }).getByRole("listitem");
  await expect(close).toHaveCount(1);
  await close.getByRole("button", { name: "Follow", exact: true }).click();
  await expect(close.getByRole("button", { name: "Unfollow" })).toBeVisible();

  // A person who is not listed is found only by the whole name.
  await maya.page.goto("/settings");
  await maya.page.getByRole("switch", { name: "List me under People" }).click();
  await expect(maya.page.getByRole("switch", { name: "List me under People" })).not.toBeChecked();
  await page.getByRole("searchbox", { name: "Search by name" }).fill(word.toUpperCase());
  await expect(page.getByText("Nobody by that name.")).toBeVisible();
  await expect(page.getByRole("list", { name: "Close matches" })).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Search by name" }).fill(maya.name);
  const results = page.getByRole("list", { name: "Results" }).getByRole("listitem");
  await expect(results.getByRole("link")).toHaveText([/^Maya/]);
  await results.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: maya.name })).toBeVisible();
  await expect(page.getByRole("button", { name: "Unfollow" })).toBeVisible();
  await ana.leaves();
  await maya.leaves();
});

test("A person who opens an invitation has posts on Home within eleven presses", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("The kettle is on.");
  await ana.page.goto("/settings");
  const invitations = ana.page.getByRole("region", { name: "Invitations" });
  await expect(invitations.getByText("No invitations yet.")).toBeVisible();
  await invitations.getByRole("button", { name: "Create Invitation" }).click();
  const item = invitations.getByRole("list", { name: "Invitations" }).getByRole("listitem");
  await expect(item.getByText("0 of 20 uses")).toBeVisible();
  await expect(item.getByText(/^Ends \d\d\/[A-Z][a-z]{2}\/\d\d$/)).toBeVisible();
  const link = (await item.getByText(/\/invite\//).textContent()) ?? "";

  const ben = await openGuest(browser, named("Ben"));
  const { page } = ben;
  const main = page.getByRole("main");
  const presses = new Presses();
  const begun = Date.now();
  await page.goto(link);
  await expect(
    page.getByRole("heading", { level: 1, name: `${ana.name} invites you to Mellow` }),
  ).toBeVisible();
  const inside = ["Newest first. Nothing is ranked.", "No numbers to chase.", "It ends. Then you can go."];
  await expect(main.getByRole("listitem")).toHaveText(inside);
  await presses.on(main.getByRole("link", { name: "Sign Up" }));
  await expect(main.getByText(`${ana.name} invites you to Mellow`)).toBeVisible();
  await expect(main.getByRole("listitem")).toHaveText(inside);
  await expect(main.getByRole("img")).toHaveCount(0);
  await presses.signUp(ben);
  await expect(page.getByRole("heading", { level: 1, name: ben.name })).toBeVisible();
  await expect(item.getByText("1 of 20 uses")).toBeVisible();

  // The step is on the profile and links to it. The photo is chosen by its button and in the system's own
  // window.
  const start = page.getByRole("region", { name: "Getting started" });
  const step = (name: string) =>
    start.getByRole("list", { name: "First steps" }).getByRole("listitem").filter({ hasText: name });
  await expect(step("Add a photo").getByRole("link")).toHaveAttribute(
    "href",
    `${new URL(page.url()).pathname}#change-photo`,
  );
  const chooser = page.waitForEvent("filechooser");
  await presses.on(page.getByRole("button", { name: "Change Photo" }));
  presses.count += 1;
  await (
    await chooser
  ).setFiles({ name: "me.png", mimeType: "image/png", buffer: await drawn(browser, "bread", [64, 64]) });
  await expect(step("Add a photo").getByText("Done")).toBeVisible();

  const ask = page.getByRole("region", { name: `Follow ${ana.name}?` });
  await presses.on(ask.getByRole("button", { name: "Follow" }));
  await expect(ask).toHaveCount(0);
  await expect(main.getByText(`You follow ${ana.name} now.`)).toBeVisible();
  await expect(main.getByRole("link", { name: "See their posts" })).toHaveAttribute(
    "href",
    `/profile/${ana.id}`,
  );
  await expect(step("Find people to follow").getByText("Done")).toBeVisible();
  await presses.on(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }));
  await expect(ben.post("The kettle is on.")).toBeVisible();
  expect(presses.count).toBeLessThanOrEqual(11);
  expect(Date.now() - begun).toBeLessThan(120_000);

  // The list is also on Your Space until it is dismissed. Then it is nowhere.
  await expect(start).toBeVisible();
  await start.getByRole("button", { name: "Dismiss" }).click();
  await expect(start).toHaveCount(0);
  await page.reload();
  await expect(ben.post("The kettle is on.")).toBeVisible();
  await expect(start).toHaveCount(0);

  // A person with an account sees a sentence about it. A revoked link has ended for everybody.
  await page.goto(link);
  await expect(main.getByText("You already have an account here.")).toBeVisible();
  await expect(main.getByRole("link", { name: ana.name })).toBeVisible();
  await item.getByRole("button", { name: "Revoke" }).click();
  await expect(ana.toast("Invitation revoked")).toBeVisible();
  await expect(item).toHaveCount(0);
  const guest = await openGuest(browser, "Guest");
  await guest.page.goto(link);
  await expect(guest.page.getByRole("heading", { level: 1, name: "This invite has expired." })).toBeVisible();
  await expect(guest.page.getByRole("main").getByRole("link", { name: "Log In" })).toBeVisible();
  await ana.leaves();
  await ben.leaves();
  await guest.leaves();
});

test("An invitation on a phone leads to a first post to read with seven presses, and to an own post with twelve", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("The kettle is on.");
  await ana.page.goto("/settings");
  const invitations = ana.page.getByRole("region", { name: "Invitations" });
  await invitations.getByRole("button", { name: "Create Invitation" }).click();
  const link = (await invitations.getByText(/\/invite\//).textContent()) ?? "";

  const ben = await openGuest(browser, named("Ben"), phoneSized);
  const { page } = ben;
  const main = page.getByRole("main");
  const presses = new Presses();
  await page.goto(link);
  await presses.on(main.getByRole("link", { name: "Sign Up" }));
  await presses.signUp(ben);
  await presses.on(
    page.getByRole("region", { name: `Follow ${ana.name}?` }).getByRole("button", { name: "Follow" }),
  );
  await presses.on(main.getByRole("link", { name: "See their posts" }));
  await expect(ben.post("The kettle is on.")).toBeVisible();
  expect(presses.count).toBeLessThanOrEqual(7);

  await presses.on(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }));
  await expect(page.getByRole("textbox", { name: "Text" })).toBeFocused();
  await page.keyboard.type("So is mine.");
  await presses.on(page.getByRole("button", { name: "Share Post" }));
  await expect(ben.post("So is mine.")).toBeVisible();
  expect(presses.count).toBeLessThanOrEqual(12);
  for (const one of [ana, ben]) await one.leaves();
});

test("Getting started says when all is done, and is not shown at the next load", async ({ browser }) => {
  const cleo = await signUpByForm(browser, named("Cleo"));
  const other = await signUp(browser, named("Dan"));
  const { page } = cleo;
  const start = page.getByRole("region", { name: "Getting started" });
  await expect(start.getByRole("link")).toHaveCount(4);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Change Photo" }).click();
  await (
    await chooser
  ).setFiles({ name: "me.png", mimeType: "image/png", buffer: await drawn(browser, "bread", [64, 64]) });
  await expect(start.getByText("Done")).toHaveCount(1);
  await start.getByRole("link", { name: "Find people to follow" }).click();
  await page.getByRole("searchbox", { name: "Search by name" }).fill(other.name);
  await page.getByRole("button", { name: "Follow", exact: true }).click();
  await cleo.goesHome();
  await start.getByRole("link", { name: "Invite someone" }).click();
  await page.getByRole("button", { name: "Create Invitation" }).click();
  await expect(page.getByText("0 of 20 uses")).toBeVisible();
  await cleo.goesHome();
  await expect(start.getByText("Done")).toHaveCount(3);
  await start.getByRole("link", { name: "Answer today's theme" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("Mine is a small one.");
  await page.getByRole("button", { name: "Share Post" }).click();
  await expect(start.getByText("You're all set.")).toBeVisible();
  await page.reload();
  await expect(cleo.post("Mine is a small one.")).toBeVisible();
  await expect(start).toHaveCount(0);
  await cleo.leaves();
  await other.leaves();
});

test("Each first step leads to the control that it needs", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  const steps = page.getByRole("region", { name: "Getting started" }).getByRole("link");
  const leads = async (step: string, control: Locator) => {
    await steps.filter({ hasText: step }).click();
    await expect(control).toBeFocused();
    await expect(control).toBeInViewport({ ratio: 1 });
  };
  const photo = page.getByRole("button", { name: "Change Photo" });
  // She is on her own profile already. In a low window the photo is above what she sees.
  await page.setViewportSize({ width: 390, height: 400 });
  await steps.last().scrollIntoViewIfNeeded();
  await expect(photo).not.toBeInViewport();
  await leads("Add a photo", photo);
  await page.setViewportSize(phoneSized.viewport);
  await ana.goesHome();
  await leads("Add a photo", photo);
  await expect(page).toHaveURL(`/profile/${ana.id}`);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await leads("Invite someone", page.getByRole("button", { name: "Create Invitation" }));
  await ana.goesHome();
  await leads("Answer today's theme", page.getByRole("textbox", { name: "Text" }));
  await ana.leaves();
});
