// Checks of settings, their dialogs and the pages behind a mailed link; screens.test.ts checks the others.

import { devices, expect, test } from "@playwright/test";

import { link } from "./letters";
import { checkScreen } from "./checkScreen";
import { openOtherDevice, named, signUp, openGuest } from "./people";

test("settings, their dialogs and the pages behind a mailed link pass axe and fit", async ({ browser }) => {
  const { userAgent } = devices["Pixel 7"];
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const pocket = await openOtherDevice(browser, ana, { userAgent });
  const guest = await openGuest(browser, "Guest");
  const { page } = ana;
  const main = guest.page.getByRole("main");
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await ana.publishes("The kettle is on.", { title: "Tea", tag: "Slow Mornings" });
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await expect(page.getByRole("region", { name: "Your logins" }).getByRole("listitem")).toHaveCount(2);
  await checkScreen(page, "settings", "whole");

  await press("Change Email");
  const dialog = page.getByRole("dialog");
  await checkScreen(page, "change-email");
  const news = `a.longer.name.for.the.same.old.ana.who.walks.${process.pid}@letters.example.com`;
  await dialog.getByRole("textbox", { name: "New email" }).fill("ana at home");
  await dialog.getByLabel("Current password", { exact: true }).fill(ana.password);
  await dialog.getByRole("button", { name: "Change Email" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await checkScreen(page, "change-email-refused");
  await dialog.getByRole("textbox", { name: "New email" }).fill(news);
  await dialog.getByRole("button", { name: "Change Email" }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("switch", { name: "Hide numbers" }).click();
  await expect(page.getByRole("switch", { name: "Hide numbers" })).toHaveAttribute("aria-checked", "true");
  await page
    .getByRole("region", { name: "Your data" })
    .getByRole("button", { name: "Export My Data" })
    .click();
  await expect(page.getByText("Your archive is being downloaded.")).toBeVisible();
  await press("Log Out Other Devices");
  await expect(page.getByText("Your other devices are logged out.")).toBeVisible();
  await checkScreen(page, "settings-changed", "whole");
  await press("Delete Account");
  await checkScreen(page, "delete-account");
  await dialog.getByLabel("Current password", { exact: true }).fill("kettle on the floor");
  await dialog.getByRole("button", { name: "Delete Account" }).click();
  await expect(ana.toast("Incorrect password. Please try again.")).toBeVisible();
  await ana.toast("Incorrect password. Please try again.").hover();
  await checkScreen(page, "delete-account-refused");
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await expect(pocket.page.getByRole("dialog", { name: "Log In" })).toBeVisible();
  await checkScreen(pocket.page, "login-ended");

  const goes = async (address: string) => {
    await guest.page.goto("about:blank");
    await guest.page.goto(new URL(address).pathname + new URL(address).hash);
  };
  await guest.page.goto("/forgot");
  await guest.page.getByRole("textbox", { name: "Email" }).fill(ana.email);
  await guest.page.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(main.getByText("If that address has an account, a link is on its way.")).toBeVisible();
  await checkScreen(guest.page, "forgot");
  await goes(await link(news, "Confirm your new email"));
  await expect(guest.page.getByRole("button", { name: "Confirm Email" })).toBeVisible();
  await checkScreen(guest.page, "verify");
  await guest.page.getByRole("button", { name: "Confirm Email" }).click();
  await expect(main.getByText("Your email is updated.")).toBeVisible();
  await checkScreen(guest.page, "verify-done");
  await goes(await link(ana.email, "Your email is about to change"));
  await checkScreen(guest.page, "verify-undo");
  await guest.page.getByRole("button", { name: "Keep my old email" }).click();
  await expect(main.getByText("Your old email is back.")).toBeVisible();
  await checkScreen(guest.page, "verify-undo-done");
  await goes(`http://here/reset#${"t".repeat(43)}`);
  await guest.page.getByLabel("New password", { exact: true }).fill("password123");
  await checkScreen(guest.page, "reset");
  await guest.page.getByRole("button", { name: "Save Password" }).click();
  await expect(main.getByText("This link has expired.")).toBeVisible();
  await checkScreen(guest.page, "reset-expired");
  await pocket.page.context().close();
  await ana.leaves();
  await guest.leaves();
});
