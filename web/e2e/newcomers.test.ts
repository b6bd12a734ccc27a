// Who is new here, and what helps them to find people.

import { expect, test } from "@playwright/test";

import { named, someone } from "./people";

test("People are listed under Search, followed there, and found by the beginning of a surname", async ({
  browser,
}) => {
  const word = `lind${process.pid}`;
  const ana = await someone(browser, named("Ana"));
  const maya = await someone(browser, `${named("Maya")} ${word.toUpperCase()}qvist`);
  const { page } = ana;
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "People" })).toBeVisible();
  const people = page.getByRole("list", { name: "People" }).getByRole("listitem");
  await expect(people.first().getByRole("link")).toBeVisible();

  // By the beginning of her surname, in small letters.
  await page.getByRole("searchbox", { name: "Search by name" }).fill(word);
  await expect(page.getByText("Nobody by that name.")).toBeVisible();
  const close = page.getByRole("list", { name: "Close matches" }).getByRole("listitem");
  await expect(close).toHaveCount(1);
  await close.getByRole("button", { name: "Follow", exact: true }).click();
  await expect(close.getByRole("button", { name: "Unfollow" })).toBeVisible();

  // Who does not want to be listed is found by the whole name alone.
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
