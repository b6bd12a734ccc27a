// Access to an account: forgotten passwords, changed and restored addresses, and logins ended from another device.

import { type Browser, type Page, expect, test } from "@playwright/test";

import { letters, link } from "./letters";
import { type Person, openOtherDevice, named, phone, signUp, openGuest } from "./people";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const email = (page: Page) => page.getByRole("textbox", { name: "Email", exact: true });
const password = (page: Page) => page.getByLabel("Password", { exact: true });
const ended = (page: Page) => page.getByRole("dialog", { name: "Log In" });
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const main = (page: Page) => page.getByRole("main");
const home = (page: Page) => page.getByRole("heading", { level: 1, name: "Your Space" });

/** Signs up a user who has begun a comment. */
async function writing(browser: Browser): Promise<Person> {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("The kettle is on.");
  await thinks(ana.page);
  return ana;
}

async function thinks(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Write a comment" }).fill("half a thought");
}

const hasThought = (page: Page) =>
  expect(page.getByRole("textbox", { name: "Write a comment" })).toHaveValue("half a thought");

async function logsIn(page: Page, who: Person, secret = who.password): Promise<void> {
  await email(page).fill(who.email);
  await password(page).fill(secret);
  await main(page).getByRole("button", { name: "Log In" }).click();
}

/** Records everything that a page sends from now on. Frames of its sockets are recorded apart. */
function recordsSent(page: Page): { plain: string[]; socket: string[] } {
  const sent = { plain: [] as string[], socket: [] as string[] };
  page.on("request", (request) => {
    if (request.isNavigationRequest()) return;
    sent.plain.push([request.url(), JSON.stringify(request.headers()), request.postData()].join(" "));
  });
  page.on("websocket", (socket) => {
    sent.plain.push(socket.url());
    socket.on("framesent", ({ payload }) => sent.socket.push(payload.toString("latin1")));
  });
  return sent;
}

test("A forgotten password is replaced through a mailed link, the answer is the same for every address, and every earlier login ends", async ({
  browser,
}) => {
  const ana = await writing(browser);
  const guest = await openGuest(browser, "Ana", phone);
  const { page } = guest;
  await page.goto("/login");
  await main(page).getByRole("link", { name: "Forgot your password?" }).tap();
  await expect(page.getByRole("heading", { level: 1, name: "Reset your password" })).toBeVisible();
  const answer = main(page).getByRole("status");
  for (const address of ["nobody.at.all@example.com", ana.email.toUpperCase()]) {
    await email(page).fill(address);
    await expect(answer).toHaveText("");
    await button(page, "Send Reset Link").tap();
    await expect(answer).toHaveText("If that address has an account, a link is on its way.");
  }
  const address = await link(ana.email, "Reset your password");
  expect(letters().map(({ to }) => to)).not.toContain("nobody.at.all@example.com");

  // The link's token is gone from the address at once, and nothing is sent before a press.
  const token = new URL(address).hash.slice(1);
  const sent = recordsSent(page);
  await page.goto(new URL(address).pathname + new URL(address).hash);
  await expect(page.getByRole("heading", { level: 1, name: "Choose a new password" })).toBeVisible();
  await expect(page).toHaveURL(/\/reset$/);
  const box = page.getByLabel("New password", { exact: true });
  await box.fill("short");
  expect(sent.socket).toEqual([]);
  await button(page, "Save Password").tap();
  await expect(main(page).getByRole("alert")).toHaveText("Please use at least 10 characters.");
  await box.fill("password123");
  await expect(main(page).getByRole("alert")).toHaveCount(0);
  await button(page, "Save Password").tap();
  await expect(main(page).getByRole("alert")).toHaveText("That password is too easy to guess.");
  await expect(box).toHaveAttribute("aria-invalid", "true");
  await expect(box).toBeFocused();
  await hasThought(ana.page);
  await expect(ended(ana.page)).toHaveCount(0);

  await box.fill("three plain new words");
  await button(page, "Save Password").tap();
  await expect(guest.toast("Password changed. Please log in.")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  expect(sent.socket.some((frame) => frame.includes(token))).toBe(true);
  expect(sent.plain.filter((words) => words.includes(token))).toEqual([]);
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.referrer]),
  );
  expect(kept).not.toContain(token);

  // In the tab that was signed in, her text waits behind a dialog.
  await expect(ended(ana.page)).toBeVisible();
  await hasThought(ana.page);
  await logsIn(page, ana);
  await expect(guest.toast("Incorrect email or password. Please try again.")).toBeVisible();
  await logsIn(page, ana, "three plain new words");
  await expect(home(page)).toBeVisible();
  await password(ana.page).fill(ana.password);
  await ended(ana.page).getByRole("button", { name: "Log In" }).click();
  await expect(ana.toast("Incorrect email or password. Please try again.")).toBeVisible();
  await password(ana.page).fill("three plain new words");
  await ended(ana.page).getByRole("button", { name: "Log In" }).click();
  await expect(ended(ana.page)).toHaveCount(0);
  await hasThought(ana.page);
  await button(ana.page, "Post Comment").click();
  await expect(ana.page.getByRole("list", { name: "Comments" })).toContainText("half a thought");

  // A link works once.
  await page.goto(new URL(address).pathname + new URL(address).hash);
  await box.fill("four other plain words");
  await button(page, "Save Password").tap();
  await expect(main(page).getByText("This link has expired.")).toBeVisible();
  await main(page).getByRole("link", { name: "Ask for another link" }).tap();
  await expect(page).toHaveURL(/\/forgot$/);
  await page.reload();
  await page.goto("/");
  await expect(home(page)).toBeVisible();
  await ana.leaves();
  await guest.leaves();
});

test("A signed-in user chooses a new password without a dialog here, and the other tab signs in again by itself", async ({
  browser,
}) => {
  const ana = await writing(browser);
  const { page } = ana;
  const other = await ana.opens("/");
  await thinks(other);
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await button(page, "Send Password Reset Email").click();
  await expect(ana.toast("Password reset email sent successfully!")).toBeVisible();
  const first = await link(ana.email, "Reset your password");
  await button(page, "Send Password Reset Email").click();
  const second = await link(ana.email, "Reset your password", 2);

  // A newer link ends the older one.
  await page.goto(new URL(first).pathname + new URL(first).hash);
  await page.getByLabel("New password", { exact: true }).fill("three plain new words");
  await button(page, "Save Password").click();
  await expect(main(page).getByText("This link has expired.")).toBeVisible();
  await page.goto("/");
  await expect(home(page)).toBeVisible();

  await page.goto(new URL(second).pathname + new URL(second).hash);
  await page.getByLabel("New password", { exact: true }).fill("three plain new words");
  await button(page, "Save Password").click();
  await expect(ana.toast("Password changed. Please log in.")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await expect(ended(page)).toHaveCount(0);
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign Up" })).toBeVisible();
  await expect(ended(other)).toBeVisible();
  // The waiting tab keeps its text, whatever happens in the other.
  await page.reload();
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign Up" })).toBeVisible();
  await expect(ended(other)).toBeVisible();
  await hasThought(other);
  await logsIn(page, ana, "three plain new words");
  await expect(home(page)).toBeVisible();
  await expect(ended(other)).toHaveCount(0);
  await hasThought(other);
  await expect(other.getByRole("status", { name: "Connection" })).toHaveText("Live");
  await ana.leaves();
});

test("An email changes when the new address confirms it, and the old address may undo it", async ({
  browser,
}) => {
  const ana = await writing(browser);
  const ben = await signUp(browser, named("Ben"));
  const { page } = ana;
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  const account = region(page, "Account");
  const dialog = page.getByRole("dialog", { name: "Change Email" });
  const next = dialog.getByRole("textbox", { name: "New email" });
  const proof = dialog.getByLabel("Current password", { exact: true });
  const send = dialog.getByRole("button", { name: "Change Email" });
  const news = `new.${ana.email}`;
  await expect(account.getByText(ana.email)).toBeVisible();
  await button(page, "Change Email").click();
  await expect(next).toBeFocused();

  await next.fill("ana at home");
  await proof.fill(ana.password);
  await send.click();
  await expect(dialog.getByRole("alert")).toHaveText("Please enter a valid email address.");
  await expect(next).toHaveAttribute("aria-invalid", "true");
  await next.fill(news);
  await expect(dialog.getByRole("alert")).toHaveCount(0);
  await proof.fill("kettle on the floor");
  await send.click();
  await expect(ana.toast("Incorrect password. Please try again.")).toBeVisible();
  await expect(proof).toBeFocused();
  await expect(next).toHaveValue(news);
  await next.fill(ben.email);
  await proof.fill(ana.password);
  await send.click();
  await expect(ana.toast("This email is already in use. Please use a different email.")).toBeVisible();
  await next.fill(ana.email);
  await send.click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await next.fill(news);
  await proof.press("Enter");
  await expect(
    ana.toast("Verification email sent! Please check your new email to complete the update."),
  ).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(button(page, "Change Email")).toBeFocused();
  await expect(account.getByText(`Waiting for you to confirm ${news}`)).toBeVisible();
  await page.reload();
  await expect(account.getByText(`Waiting for you to confirm ${news}`)).toBeVisible();
  await expect(account.getByText(ana.email, { exact: true })).toBeVisible();

  // The new address confirms, in a browser that is not signed in.
  const guest = await openGuest(browser, "Ana", phone);
  const open = async (address: string) => {
    await guest.page.goto("about:blank");
    await guest.page.goto(new URL(address).pathname + new URL(address).hash);
    await expect(guest.page).toHaveURL(/\/verify$/);
  };
  const confirm = await link(news, "Confirm your new email");
  const undo = await link(ana.email, "Your email is about to change");
  await open(confirm);
  await expect(guest.page.getByRole("heading", { level: 1, name: "Confirm your new email" })).toBeVisible();
  expect(guest.sockets).toEqual([]);
  await button(guest.page, "Confirm Email").tap();
  await expect(main(guest.page).getByText("Your email is updated.")).toBeVisible();
  await expect(account.getByText(news, { exact: true })).toBeVisible();
  await expect(account.getByText(/^Waiting for you/)).toHaveCount(0);
  await open(confirm);
  await button(guest.page, "Confirm Email").tap();
  await expect(main(guest.page).getByText("This link has expired.")).toBeVisible();

  // She did not make the change. The link to the old address undoes it, and every login ends.
  await ana.goesHome();
  await thinks(page);
  await open(undo);
  await expect(guest.page.getByRole("heading", { level: 1, name: "Undo the email change" })).toBeVisible();
  await button(guest.page, "Keep my old email").tap();
  await expect(main(guest.page).getByText("Your old email is back.")).toBeVisible();
  await expect(ended(page)).toBeVisible();
  await hasThought(page);
  await guest.page.goto("/login");
  await email(guest.page).fill(news);
  await password(guest.page).fill(ana.password);
  await main(guest.page).getByRole("button", { name: "Log In" }).tap();
  await expect(guest.toast("No user found with this email.")).toBeVisible();
  await logsIn(guest.page, ana);
  await expect(home(guest.page)).toBeVisible();
  await password(page).fill(ana.password);
  await ended(page).getByRole("button", { name: "Log In" }).click();
  await expect(ended(page)).toHaveCount(0);
  await hasThought(page);
  await ana.leaves();
  await ben.leaves();
  await guest.leaves();
});

test("Other devices are listed and logged out with one press, and this one stays signed in", async ({
  browser,
}) => {
  const ana = await writing(browser);
  const pocket = await openOtherDevice(browser, ana, phone);
  await thinks(pocket.page);
  await ana.page.getByRole("button", { name: "Account menu" }).click();
  await ana.page.getByRole("menuitem", { name: "Settings" }).click();
  const list = region(ana.page, "Your logins").getByRole("listitem");
  await expect(list).toHaveCount(2);
  await expect(list.filter({ hasText: "This device" })).toHaveCount(1);
  await expect(list.filter({ hasText: "Android" })).toContainText("just now");
  await button(ana.page, "Log Out Other Devices").click();
  await expect(ended(pocket.page)).toBeVisible();
  await hasThought(pocket.page);
  await expect(pocket.page.getByText("Live", { exact: true })).toHaveCount(0);
  await expect(list).toHaveCount(1);
  await expect(list).toContainText("This device");
  await expect(region(ana.page, "Your logins").getByRole("status")).toHaveText(
    "Your other devices are logged out.",
  );
  await ana.goesHome();
  await expect(ana.page.getByRole("status", { name: "Connection" })).toHaveText("Live");

  // A closed dialog opens again at the next press. Its Log Out works too, and asks about an unsent comment.
  await pocket.page.keyboard.press("Escape");
  await expect(ended(pocket.page)).toHaveCount(0);
  await button(pocket.page, "Post Comment").tap();
  await expect(ended(pocket.page)).toBeVisible();
  await ended(pocket.page).getByRole("button", { name: "Log Out" }).tap();
  const question = pocket.page.getByRole("alertdialog", { name: "Not sent yet" });
  await expect(question).toContainText("1 thing will be lost.");
  await question.getByRole("button", { name: "Log Out" }).tap();
  await expect(pocket.page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  await expect(home(ana.page)).toBeVisible();
  await ana.leaves();
  await pocket.leaves();
});

test("After Log Out on Home the heading of the first screen has the focus, and not the top of the page", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.goesHome();
  await ana.logsOut();
  await expect(ana.page.getByRole("heading", { level: 1, name: "Welcome to Mellow" })).toBeFocused();
  await ana.leaves();
});
