// Notices about the account: a log-in from a new browser is told on the other ones, until it is answered there.

import { type Page, expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { letters } from "./letters";
import { named, openUnknownDevice, phone, signUp } from "./people";
import { asked, name as key } from "./wire";

const line = (page: Page) => page.getByRole("region", { name: "Account notice" });
const button = (page: Page, name: string) => line(page).getByRole("button", { name, exact: true });
/** What is announced of it. It is gone from the page after ten seconds. */
const announced = (page: Page) => page.getByRole("status").filter({ hasText: /^New login: / });
const ended = (page: Page) => page.getByRole("dialog", { name: "Log In" });

/** The mails about a log-in to this address. */
const mails = (to: string) =>
  letters().filter((letter) => letter.to === to && letter.subject === "New login to your account");

test("d-v6: A log-in from a new browser is told to Ana in all her tabs, and Log It Out ends it at once", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const other = await ana.opens("/settings");
  await expect(other.getByRole("region", { name: "Your logins" }).getByRole("listitem")).toHaveCount(1);
  await page.goto("/create-post");
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("Half a thought");
  for (const tab of [page, other]) await expect(line(tab)).toHaveCount(0);
  expect(mails(ana.email)).toEqual([]);

  const isAnnounced = expect(announced(page)).toHaveCount(1);
  const stranger = await openUnknownDevice(browser, ana, phone);
  for (const tab of [page, other]) await expect(line(tab)).toContainText(/^New login: .+\./u);
  await isAnnounced;
  await expect(text).toBeFocused();
  await expect(line(stranger.page)).toHaveCount(0);
  await checkScreen(page, "account-notice");
  await expect.poll(() => mails(ana.email).length).toBe(1);
  expect(mails(ana.email)[0]?.text).toMatch(/^http:\/\/\S+\/settings$/mu);
  expect(mails(ana.email)[0]?.text).not.toContain(ana.name);

  await text.focus();
  await button(page, "Log It Out").press("Enter");
  await expect(ana.toast("Login ended")).toBeVisible();
  await expect(ended(stranger.page)).toBeVisible();
  for (const tab of [page, other]) await expect(line(tab)).toHaveCount(0);
  await expect(text).toBeFocused();
  await expect(text).toHaveValue("Half a thought");
  await ana.leaves();
  await stranger.leaves();
});

test("d-v6: The line stays until it is answered on each device, and a browser that is known makes none", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await ana.publishes("The kettle is on.");
  const laptop = await openUnknownDevice(browser, ana);
  await expect(line(ana.page)).toBeVisible();
  await ana.page.reload();
  await expect(line(ana.page)).toContainText("New login:");
  const pocket = await openUnknownDevice(browser, ana, phone);
  // Each device has the lines about the others that came after it. The older one comes first.
  await expect(line(laptop.page)).toContainText("New login:");
  await button(ana.page, "That was me").click();
  await expect(button(ana.page, "That was me")).toBeEnabled();
  await button(ana.page, "That was me").click();
  await expect(line(ana.page)).toHaveCount(0);
  await expect(line(laptop.page)).toContainText("New login:");
  await button(laptop.page, "That was me").click();
  await expect(line(laptop.page)).toHaveCount(0);

  await pocket.logsOut();
  await pocket.logsIn();
  await pocket.comments("The kettle is on.", "Two sugars.");
  await ana.goesTo(`/profile/${String(ana.id)}`);
  await expect(ana.page.getByText("Two sugars.")).toBeVisible();
  for (const { page } of [ana, laptop, pocket]) await expect(line(page)).toHaveCount(0);
  for (const one of [ana, laptop, pocket]) await one.leaves();
});

test("d-v6: The line gives a page that fits in the window nothing to scroll", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await ana.goesTo("/notifications");
  await expect(page.getByText("All quiet.")).toBeVisible();
  /** How far the page scrolls on a laptop and on an old phone. */
  const scrolls = async (): Promise<number[]> => {
    const all: number[] = [];
    for (const [width, height] of [
      [1280, 860],
      [320, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      all.push(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight));
    }
    return all;
  };
  const before = await scrolls();
  const other = await openUnknownDevice(browser, ana, phone);
  await expect(line(page)).toBeVisible();
  expect(await scrolls()).toEqual(before);
  await ana.leaves();
  await other.leaves();
});

test("d-v6: In quiet hours the line is there, and no voice reads it", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const now = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  await asked(ana.page, "quiet.set", {
    key: key(),
    on: true,
    from: now(-2),
    to: now(2),
    days: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    zone: "UTC",
  });
  const other = await openUnknownDevice(browser, ana);
  await expect(line(ana.page)).toContainText("New login:");
  await expect(announced(ana.page)).toHaveCount(0);
  await ana.leaves();
  await other.leaves();
});
