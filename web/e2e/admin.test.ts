// The page of admins: what it does, and what others see of it.

import { execFileSync } from "node:child_process";

import { expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { named, openGuest, signUp } from "./people";

/** Runs a command of the host. Returns its output. */
const host = (...words: string[]): string =>
  execFileSync("../target/debug/mellow", [...words, "--data", process.env["E2E_DATA"] ?? ""], {
    encoding: "utf8",
  });

test("a user becomes an admin while the page is open, suspends another and ends that", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana Admin"));
  const ben = await signUp(browser, named("Ben Pause"));
  const guest = await openGuest(browser, "Guest");
  const { page } = ana;
  const menu = () => page.getByRole("button", { name: "Account menu" }).click();
  for (const one of [page, guest.page]) {
    const response = await one.goto("/admin");
    expect(response?.status()).toBe(404);
    await expect(one.getByRole("heading", { name: "Page not found" })).toBeVisible();
  }
  host("user", "promote", ana.email);
  await expect(page.getByRole("heading", { name: "Admin", level: 1 })).toBeVisible();
  await page.goto("/");
  await menu();
  await page.getByRole("menuitem", { name: "Admin", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search people" }).fill("ben pau");
  const row = page.getByRole("list", { name: "People" }).getByRole("listitem").filter({ hasText: ben.name });
  await row.getByRole("button", { name: "Suspend", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Suspend", exact: true }).click();
  await expect(ana.toast("User suspended")).toBeVisible();
  await expect(row.getByText("Suspended")).toBeVisible();
  await expect(ben.page.getByRole("dialog", { name: "Log In" })).toBeVisible();
  await guest.page.goto("/login");
  await guest.page.getByRole("textbox", { name: "Email" }).fill(ben.email);
  await guest.page.getByLabel("Password", { exact: true }).fill(ben.password);
  await guest.page.getByRole("main").getByRole("button", { name: "Log In" }).click();
  await expect(guest.toast("This account is suspended.")).toBeVisible();
  await row.getByRole("button", { name: "Unsuspend" }).click();
  await expect(ana.toast("User unsuspended")).toBeVisible();
  await guest.page.getByRole("main").getByRole("button", { name: "Log In" }).click();
  await expect(guest.page.getByRole("button", { name: "Account menu" })).toBeVisible();
  await page.getByRole("tab", { name: "Log" }).click();
  const lines = page.getByRole("list", { name: "Admin log" }).getByRole("listitem");
  await expect(lines.first()).toContainText(`${ana.name} unsuspended ${ben.name}`);
  host("user", "demote", ana.email);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

test("each tab of the page of admins passes axe and fits", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const zoe = await signUp(browser, named("Zoë Bergström-Takahashi"));
  const { page } = ana;
  host("user", "promote", ana.email);
  host("invite", "--days", "3");
  await zoe.publishes("Cheap bowls, link in bio, message me for the code, ten left only!");
  await page.goto("/admin");
  const tab = (name: string) => page.getByRole("tab", { name, exact: true }).click();
  await expect(page.getByRole("list", { name: "People" })).toContainText(zoe.name);
  await checkScreen(page, "admin-people");
  const row = page.getByRole("list", { name: "People" }).getByRole("listitem").filter({ hasText: zoe.name });
  await row.getByRole("button", { name: "Reset Link" }).click();
  await expect(page.getByRole("textbox", { name: "Reset link" })).toHaveValue(/\/reset#/u);
  await checkScreen(page, "admin-reset-link");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await row.getByRole("button", { name: "Delete" }).click();
  await checkScreen(page, "admin-delete");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await tab("Reports");
  await expect(page.getByText("No open reports.")).toBeVisible();
  await checkScreen(page, "admin-reports");
  await tab("Invitations");
  await expect(page.getByText("By Command line")).toBeVisible();
  await checkScreen(page, "admin-invitations");
  await tab("Theme");
  const days = page.getByRole("list", { name: "Theme schedule" }).getByRole("listitem");
  await expect(days).toHaveCount(14);
  await days.nth(13).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Boats");
  await checkScreen(page, "admin-theme");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(days.nth(13)).toContainText("Boats");
  await days.nth(13).getByRole("button", { name: "Clear" }).click();
  await expect(days.nth(13)).not.toContainText("Boats");
  await tab("Health");
  await page.getByRole("button", { name: "Back Up Now" }).click();
  await expect(ana.toast("Backup made")).toBeVisible();
  await expect(page.getByRole("list", { name: "Backups" }).getByRole("listitem").first()).toBeVisible();
  await checkScreen(page, "admin-health");
  await tab("Log");
  await expect(page.getByRole("list", { name: "Admin log" })).toContainText("made a backup");
  await checkScreen(page, "admin-log");
});

test("a report appears on an admin's open page, and disappears when it is handled", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana Watch"));
  const ben = await signUp(browser, named("Ben Loud"));
  const zoe = await signUp(browser, named("Zoë Patient"));
  host("user", "promote", ana.email);
  await ana.page.goto("/admin?tab=reports");
  const reports = ana.page.getByRole("list", { name: "Reports" }).getByRole("listitem");
  const mine = reports.filter({ hasText: zoe.name });
  await expect(ana.page.getByRole("tab", { name: "Reports", selected: true })).toBeVisible();
  await ben.page.goto("/");
  await ben.page.getByRole("button", { name: "Account menu" }).click();
  await ben.page.getByRole("menuitem", { name: "View Profile" }).click();
  await ben.page.waitForURL(/\/profile\/\d+/u);
  await zoe.page.goto(new URL(ben.page.url()).pathname);
  await zoe.page.getByRole("main").locator("[aria-haspopup=menu]").first().click();
  await zoe.page.getByRole("menuitem", { name: `Report ${ben.name}` }).click();
  await zoe.page.getByRole("radio", { name: "Harassment" }).check();
  await zoe.page.getByRole("textbox", { name: "Details" }).fill("He keeps writing to me.");
  await zoe.page.getByRole("button", { name: "Send Report" }).click();
  await expect(mine).toContainText("He keeps writing to me.");
  await expect(mine).toContainText(`Profile of ${ben.name}`);
  await expect(mine.getByRole("button")).toHaveText(["Dismiss", "Suspend"]);
  await checkScreen(ana.page, "admin-reports-open");
  await ana.page.getByRole("button", { name: "Account menu" }).click();
  await expect(ana.page.getByRole("menuitem", { name: "Admin, new" })).toBeVisible();
  await ana.page.keyboard.press("Escape");
  await mine.getByRole("button", { name: "Dismiss" }).click();
  await expect(ana.toast("Report dismissed")).toBeVisible();
  await expect(mine).toHaveCount(0);
});
