// Checks of home, moods and polls; screens.test.ts checks the others.

import { expect, test } from "@playwright/test";

import { checkScreen } from "./checkScreen";
import {
  CENTER,
  asks,
  moods,
  poll,
  polls,
  setsTheme,
  shares,
  themeCard,
  timeZoneAt,
  vibes,
} from "./homeScreen";
import { named, signUp } from "./people";

test("Both home tabs, moods and polls pass axe and fit, on a phone and a desktop, in light and dark", async ({
  browser,
}) => {
  setsTheme({
    title: "Small joys",
    description: "What made you smile today, even for a moment? A song, a stranger, a good piece of bread?",
    tag: "Small Joys",
  });
  const ana = await signUp(browser, named("Ana Lindqvist"), { timezoneId: timeZoneAt(9) });
  const ben = await signUp(browser, named("Ben Okafor"), { timezoneId: timeZoneAt(9) });
  const { page } = ben;
  await ben.follows(ana.name);
  await ben.goesHome();
  await expect(themeCard(page).getByRole("heading")).toHaveText("Small joys");
  await expect(vibes(page).getByText("Nobody has shared a mood today.")).toBeVisible();
  await checkScreen(page, "space-first", "whole");
  await vibes(page).getByRole("button", { name: "Set Morning Vibe" }).click();
  await vibes(page).getByRole("radio", { name: "Productive" }).check();
  await checkScreen(page, "mood-grid", vibes(page).getByRole("radiogroup"));
  await themeCard(page).getByRole("button", { name: "Today's Theme" }).click();
  await expect(themeCard(page).getByRole("heading")).toHaveCount(0);
  await page.goto(CENTER);
  await expect(polls(page).getByText("No open polls. Ask something small.")).toBeVisible();
  await checkScreen(page, "center-empty", "whole");

  await ana.page.goto(CENTER);
  await shares(ana.page, "Morning", "Celebrating");
  await asks(ana.page, "Which walk on Sunday, if the weather holds?", [
    "The harbour and back",
    "Up to the old mill, slowly",
    "Nowhere: soup",
  ]);
  await asks(ana.page, "Tea or coffee?", ["Tea", "Coffee"]);
  await poll(ana.page, "Tea or coffee?").getByRole("button", { name: "Tea" }).click();
  await page.reload();
  await expect(poll(page, "Tea or coffee?")).toBeVisible();
  await poll(page, "Tea or coffee?").getByRole("button", { name: "Coffee" }).click();
  await expect(
    poll(page, "Tea or coffee?").getByRole("button", { name: "Coffee, 50%, your choice" }),
  ).toBeVisible();
  await checkScreen(page, "center", "whole");
  await poll(page, "Tea or coffee?").getByRole("button", { name: "Tea, 50%" }).click();
  await expect(page.getByRole("dialog").getByRole("link", { name: "Ana" })).toBeVisible();
  await checkScreen(page, "voters");
  await page.keyboard.press("Escape");
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Poll" });
  await dialog.getByRole("button", { name: "Add option" }).click();
  await dialog
    .getByRole("textbox", { name: "Question" })
    .fill("What did you notice today that nobody else did?");
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await checkScreen(page, "create-poll");
  await page.keyboard.press("Escape");
  await shares(page, "Morning", "Cozy");
  await expect(vibes(page).getByText("You've set your morning vibe.")).toBeVisible();
  await ben.goesHome();
  await expect(moods(page)).toHaveCount(1);
  await checkScreen(page, "space-later", "whole");
  await ben.logsOut();
  await expect(themeCard(page)).toBeVisible();
  await checkScreen(page, "welcome-theme", "whole");
  await ana.leaves();
  await ben.page.context().close();
});
