// A browser that lacks something that Mellow needs gets a page that says so. Chromium is made older before any script of
// the page runs.

import { expect, test } from "@playwright/test";

const OLDER: [lacks: string, make: () => void][] = [
  ["Intl.Segmenter", () => Reflect.deleteProperty(Intl, "Segmenter")],
  ["toWellFormed", () => Reflect.deleteProperty(String.prototype, "toWellFormed")],
  ["light-dark()", () => Object.assign(CSS, { supports: () => false })],
  ["Intl", () => Reflect.deleteProperty(globalThis, "Intl")],
];

for (const [lacks, make] of OLDER)
  test(`a browser without ${lacks} says that Mellow needs a newer one, and runs nothing`, async ({
    page,
  }) => {
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.addInitScript(make);
    for (const path of ["/", "/login", "/post/5"]) {
      await page.goto(path);
      await expect(page.getByRole("heading")).toHaveText("Mellow needs a newer browser");
      await expect(page.getByText("Firefox 125")).toBeVisible();
      expect(await page.locator("#app, script[type=module]").count()).toBe(0);
    }
    expect(faults).toEqual([]);
  });

test("a browser that has all of them shows Mellow", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
});
