// Deleting an account: what its owner reads before, and what everybody else sees afterwards.

import { type Page, expect, test } from "@playwright/test";

import { drawn } from "./drawn";
import { letters, link } from "./letters";
import { openOtherDevice, named, phone, signUp } from "./people";
import { posted } from "./wire";

// A trace would fetch the previews of pictures. The content policy forbids this, and the console would show
// an error.
test.use({ trace: "off" });

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const comments = (page: Page) => page.getByRole("list", { name: "Comments" }).getByRole("listitem");

/** Returns every name and value this browser stores for the site. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const found = [...Object.entries(localStorage), ...Object.entries(sessionStorage)].map((entry) =>
      entry.join("="),
    );
    for (const { name = "" } of await indexedDB.databases()) {
      const opening = indexedDB.open(name);
      const base = await new Promise<IDBDatabase>((resolve, reject) => {
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(new Error(name));
      });
      for (const shelf of base.objectStoreNames) {
        const asking = base.transaction(shelf).objectStore(shelf).getAllKeys();
        await new Promise((resolve) => (asking.onsuccess = resolve));
        found.push(...asking.result.map((key) => `${name}/${shelf}/${JSON.stringify(key)}`));
      }
      base.close();
    }
    return found;
  });

test("A deleted account disappears from every open screen, and from its own browser", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Lind"));
  const ben = await signUp(browser, named("Ben"));
  const cleo = await signUp(browser, named("Cleo"));
  const id = new URL(ana.page.url()).pathname.split("/")[2] ?? "";
  const label = `@${ana.name}`;

  // There are follows, a post with a picture, comments, a mention and a mail.
  await ana.follows(ben.name);
  await ben.publishes("Which pier was it?");
  await cleo.follows(ben.name);
  await cleo.goesHome();
  await ana.goesHome();
  for (const words of ["Behind the ice house.", "I could draw a map.", "A bad one."])
    await ana.comments("Which pier was it?", words);
  await cleo.comments("Which pier was it?", "I know that one, too.");
  await expect(ben.post("Which pier was it?").getByRole("button", { name: "4 comments" })).toBeVisible();
  await ben.follows(ana.name);
  await posted(ana.page, "The kettle is on.", [{ bytes: await drawn(browser, "plums", [300, 300]) }]);
  await ben.goesHome();
  await expect(ben.post("The kettle is on.")).toBeVisible();
  const thread = ben.post("Which pier was it?");
  await thread.getByRole("button", { name: "Show 2 more comments" }).click();
  await thread
    .getByRole("listitem")
    .filter({ hasText: "A bad one." })
    .getByRole("button", { name: "Delete comment" })
    .click();
  await ben.page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  const box = thread.getByRole("textbox", { name: "Write a comment" });
  await box.pressSequentially("@ana");
  await ben.page
    .getByRole("listbox", { name: "People" })
    .getByRole("option", { name: ana.name, exact: true })
    .click();
  await box.pressSequentially("please do.");
  await thread.getByRole("button", { name: "Post Comment" }).click();
  await expect(thread.getByRole("link", { name: label, exact: true })).toBeVisible();

  // Open screens: her profile, his profile with its counts, his notifications, and her phone.
  const hers = await ben.opens(`/profile/${id}`);
  await expect(hers.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();
  const his = await ben.opens("/");
  await his.getByRole("button", { name: "Account menu" }).click();
  await his.getByRole("menuitem", { name: "View Profile" }).click();
  await expect(button(his, "2 followers")).toBeVisible();
  await expect(button(his, "1 following")).toBeVisible();
  const news = await ben.opens("/notifications");
  const notifications = news.getByRole("list", { name: "Notifications" }).getByRole("listitem");
  await expect(notifications.filter({ hasText: ana.name }).first()).toBeVisible();
  const pocket = await openOtherDevice(browser, ana, phone);
  await pocket.page
    .getByRole("article")
    .first()
    .getByRole("textbox", { name: "Write a comment" })
    .fill("half a thought");

  // Her browser keeps a draft with a picture, and typed text in a second tab.
  const { page } = ana;
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("For another day.");
  await page.getByLabel("Add pictures").setInputFiles({
    name: "plums.jpg",
    mimeType: "image/jpeg",
    buffer: await drawn(browser, "plums", [300, 300]),
  });
  await expect(page.getByRole("list", { name: "Chosen pictures" }).getByRole("listitem")).toHaveCount(1);
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await page.getByRole("alertdialog", { name: "Not Posted" }).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  const second = await ana.opens("/");
  await second
    .getByRole("article")
    .first()
    .getByRole("textbox", { name: "Write a comment" })
    .fill("half a thought");
  // In Firefox only the tab in front has the focus.
  await page.bringToFront();
  await button(page, "Send Password Reset Email").click();
  await link(ana.email, "Reset your password");
  const names = (await kept(page)).filter((one) => one.includes(id)).join();
  for (const one of ["mellow.signed-in=", "mellow.draft.", "mellow-drafts/pictures/"])
    expect(names).toContain(one);

  // She reads what a deletion means, and is asked for her password.
  await button(page, "Delete Account").click();
  const dialog = page.getByRole("dialog", { name: "Delete Account" });
  for (const words of [
    "your posts with their pictures",
    "your comments on other people's posts",
    "your notifications, your logins and your drafts",
    "as plain text",
    "age out after 30 days",
  ])
    await expect(dialog).toContainText(words);
  await expect(dialog.getByRole("button", { name: "Export My Data" })).toBeVisible();
  const go = dialog.getByRole("button", { name: "Delete Account" });
  const proof = dialog.getByLabel("Current password", { exact: true });
  await expect(go).toBeDisabled();
  await proof.fill("kettle on the floor");
  await proof.press("Enter");
  await expect(dialog).toBeVisible();
  await go.click();
  await expect(ana.toast("Incorrect password. Please try again.")).toBeVisible();
  await expect(proof).toBeFocused();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(button(page, "Delete Account")).toBeFocused();
  await button(page, "Delete Account").click();
  await expect(proof).toHaveValue("");
  await proof.fill(ana.password);
  await go.click();
  await expect(ana.toast("Account deleted successfully")).toBeVisible();
  for (const one of [page, second, pocket.page]) {
    await expect(one.getByRole("heading", { level: 1, name: "Welcome to Mellow" })).toBeVisible();
    expect(new URL(one.url()).pathname).toBe("/");
    await expect(one.getByRole("dialog")).toHaveCount(0);
  }

  // Ben's screens change without a press.
  await expect(ben.post("The kettle is on.")).toHaveCount(0);
  await expect(ben.page.getByText("Removed", { exact: true })).toBeVisible();
  await expect(thread.getByRole("button", { name: "2 comments" })).toBeVisible();
  await expect(comments(ben.page)).toHaveCount(2);
  await expect(comments(ben.page).first()).toContainText("I know that one, too.");
  await expect(comments(ben.page).last()).toContainText(`${label} please do.`);
  await expect(ben.page.getByRole("link", { name: label, exact: true })).toHaveCount(0);
  await expect(hers.getByText("User not found")).toBeVisible();
  await expect(button(his, "1 follower")).toBeVisible();
  await expect(button(his, "0 following")).toBeVisible();
  await expect(notifications.filter({ hasText: ana.name })).toHaveCount(0);
  await expect(notifications.filter({ hasText: cleo.name }).first()).toBeVisible();
  await expect(cleo.post("Which pier was it?").getByRole("button", { name: "2 comments" })).toBeVisible();
  // A page that is opened later shows the same.
  await ben.page.reload();
  await expect(thread.getByRole("button", { name: "2 comments" })).toBeVisible();
  await expect(thread).toContainText(`${label} please do.`);
  await expect(ben.page.getByRole("link", { name: label, exact: true })).toHaveCount(0);
  await expect(ben.page.getByText("Removed", { exact: true })).toHaveCount(0);

  // Neither of her browsers keeps any data of her, and her address can be used again.
  for (const one of [page, pocket.page])
    await expect.poll(async () => (await kept(one)).filter((name) => name.includes(id))).toEqual([]);
  await expect.poll(() => letters().filter(({ to }) => to === ana.email)).toEqual([]);
  await page.goto("/login");
  await page.getByRole("textbox", { name: "Email" }).fill(ana.email);
  await page.getByLabel("Password", { exact: true }).fill(ana.password);
  await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
  await expect(ana.toast("No user found with this email.")).toBeVisible();
  for (const one of [ana, ben, cleo, pocket]) await one.leaves();
});
