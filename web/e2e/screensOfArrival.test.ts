// Checks of what somebody sees who comes by an invitation, and of a page whose connection is lost; screens.test.ts checks
// the others.

import { expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import { named, openGuest, signUp } from "./people";

test("An invitation, the sign-up by it and what follows pass axe and fit, on a phone and a desktop, in light and dark", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  await ana.publishes("Walked to the harbour before work. The boats were already in.");
  await ana.page.goto("/settings");
  const invitations = ana.page.getByRole("region", { name: "Invitations" });
  await invitations.getByRole("button", { name: "Create Invitation" }).click();
  const link = (await invitations.getByText(/\/invite\//).textContent()) ?? "";

  const ben = await openGuest(browser, named("Ben Okafor"));
  const { page } = ben;
  const main = page.getByRole("main");
  await page.goto(link);
  await expect(
    page.getByRole("heading", { level: 1, name: `${ana.name} invites you to Mellow` }),
  ).toBeVisible();
  await checkScreen(page, "invitation", "whole");
  await main.getByRole("link", { name: "Sign Up" }).click();
  await checkScreen(page, "invitation-signup", "whole");
  await page.getByRole("textbox", { name: "Email" }).fill(ben.email);
  await page.getByLabel("Password", { exact: true }).fill(ben.password);
  await page.getByRole("textbox", { name: "What should people call you?" }).fill(ben.name);
  await main.getByRole("button", { name: "Sign Up" }).click();
  const ask = page.getByRole("region", { name: `Follow ${ana.name}?` });
  await expect(ask).toBeVisible();
  await checkScreen(page, "invitation-follow", "whole");
  await ask.getByRole("button", { name: "Follow" }).click();
  await expect(main.getByRole("link", { name: "See their posts" })).toBeVisible();
  await checkScreen(page, "invitation-followed", "whole");

  await invitations.getByRole("button", { name: "Revoke" }).click();
  await expect(ana.toast("Invitation revoked")).toBeVisible();
  const guest = await openGuest(browser, "Guest");
  await guest.page.goto(link);
  await expect(guest.page.getByRole("heading", { level: 1, name: "This invite has expired." })).toBeVisible();
  await checkScreen(guest.page, "invitation-expired");
  for (const one of [ana, ben, guest]) await one.leaves();
});

test("A page that cannot reach the server passes axe and fits, on a phone and a desktop, in light and dark", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana Lindqvist"));
  const ben = await signUp(browser, named("Ben Okafor"));
  await ana.publishes("Is anyone else keeping their sourdough alive out of pure stubbornness?", {
    tag: "Kitchen",
  });
  await ben.follows(ana.name);
  await ben.goesHome();
  const { page } = ben;
  await expect(ben.post("sourdough")).toBeVisible();
  let isAway = false;
  let cut = async (): Promise<void> => undefined;
  await page.routeWebSocket(/\/ws$/, (route) => {
    if (isAway) return route.close({ code: 4100 });
    const server = route.connectToServer();
    cut = async () => {
      await route.close({ code: 4100 });
      await server.close({ code: 4100 });
    };
  });
  await page.reload();
  await expect(ben.post("sourdough")).toBeVisible();
  isAway = true;
  await cut();
  const connection = page.getByRole("status", { name: "Connection" });
  await expect(connection).toHaveText("Reconnecting");
  await checkScreen(page, "reconnecting");
  const comment = ben.post("sourdough").getByRole("textbox", { name: "Write a comment" });
  await comment.fill("Mine is called Doughlores.");
  await ben.post("sourdough").getByRole("button", { name: "Post Comment" }).click();
  await checkScreen(page, "reconnecting-comment");
  await page.goto("/notifications");
  await checkScreen(page, "reconnecting-notifications");
  isAway = false;
  await expect(connection).toHaveText("Live", { timeout: 30_000 });
  for (const one of [ana, ben]) await one.leaves();
});
