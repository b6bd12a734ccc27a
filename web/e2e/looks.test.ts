// How pages look in detail: where their columns are on wide screens, what has the same look, and that focus
// rings are whole.

import { type Locator, type Page, expect, test } from "@playwright/test";

import { foldsTheme, setsTheme, themeCard } from "./homeScreen";
import { named, openGuest, phoneSized, signUp } from "./people";
import { asked, name as key, posted } from "./wire";

async function frame(part: Locator): Promise<{ left: number; right: number; width: number; height: number }> {
  const { x, width, height } = (await part.boundingBox()) ?? { x: Number.NaN, width: 0, height: 0 };
  return { left: x, right: x + width, width, height };
}

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("On a wide screen a page without an aside is in the middle, and logo and navigation stay where they are", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const postId = await posted(page, "One line.");
  const heading = page.getByRole("heading", { level: 1 });
  const fixed = [
    page.getByRole("navigation", { name: "Main" }),
    page.getByRole("banner").getByRole("link", { name: "Mellow" }),
    page.getByRole("button", { name: "Account menu" }),
  ];
  for (const width of [1_080, 1_240, 1_440, 1_920]) {
    await page.setViewportSize({ width, height: 900 });
    await ana.goesTo("/");
    await expect(page.getByRole("article")).toHaveCount(1);
    const atHome = await Promise.all(fixed.map(frame));
    const column = await frame(page.getByRole("article"));
    // The logo is above the navigation, and the account above the aside's far edge.
    expect(Math.abs((atHome[0]?.left ?? 0) - (atHome[1]?.left ?? 0)), `${width}`).toBeLessThanOrEqual(16);
    for (const [path, part] of [
      [`/profile/${ana.id}`, page.getByRole("article")],
      [`/post/${postId}`, page.getByRole("article")],
      ["/search", page.getByRole("searchbox")],
      ["/groups", page.getByRole("main").locator("> *")],
      ["/notifications", page.getByRole("main").locator("> *")],
      ["/create-post", page.getByRole("main").locator("> *")],
    ] as const) {
      await ana.goesTo(path);
      await expect(heading).toBeAttached();
      await expect(part).toBeVisible();
      const { left, right } = await frame(part);
      const window = await frame(page.locator("body"));
      // Where the aside has a little less room than it would like, the column is beside the middle by half of that.
      expect(Math.abs(left + right - window.width) / 2, `${path} at ${width}`).toBeLessThanOrEqual(8);
      expect(await Promise.all(fixed.map(frame)), `${path} at ${width}`).toEqual(atHome);
      expect(await sideways(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
    // Settings use the room of the aside, so they begin where the posts of Home begin.
    await ana.goesTo("/settings");
    await expect(heading).toHaveText("Settings");
    expect((await frame(heading)).left).toBe(column.left);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  }
  await ana.leaves();
});

test("A guest's pages have one edge, below the logo", async ({ browser }) => {
  const guest = await openGuest(browser, "Guest");
  const { page } = guest;
  const logo = page.getByRole("banner").getByRole("link", { name: "Mellow" });
  for (const width of [390, 820, 1_440, 1_920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/");
    const cards = page.getByRole("main").getByRole("listitem");
    await expect(cards).toHaveCount(4);
    const all = [await frame(themeCard(page))];
    for (const card of await cards.all()) all.push(await frame(card));
    const left = Math.min(...all.map((one) => one.left));
    const right = Math.max(...all.map((one) => one.right));
    // Each card begins or ends, in two columns, at the edge of the theme.
    expect(all[0], `${width}`).toMatchObject({ left, right });
    for (const one of all) expect(one.left === left || one.right === right).toBe(true);
    expect((await frame(logo)).left).toBe(left);
    await page.goto("/login");
    const form = page.getByRole("main").locator("> *");
    await expect(form).toBeVisible();
    if (width > 720) expect((await frame(form)).left, `${width}`).toBe((await frame(logo)).left);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  }
  await guest.leaves();
});

test("The tag of the theme looks like the tag of a post", async ({ browser }) => {
  setsTheme({ title: "Small joys", description: "What made you smile?", tag: "joys" });
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const { page } = ana;
  await posted(page, "Good bread.", [], { tag: "joys" });
  await ana.goesHome();
  const toggle = await foldsTheme(page);
  await toggle.click();
  const ofTheme = themeCard(page).getByRole("button", { name: "#joys" });
  const ofPost = ana.post("Good bread.").getByRole("link", { name: "#joys" });
  const look = (part: Locator) =>
    part.evaluate((node) => {
      const { backgroundColor, color, font, borderRadius } = getComputedStyle(node);
      return { backgroundColor, color, font, borderRadius };
    });
  expect(await look(ofTheme)).toEqual(await look(ofPost));
  expect((await frame(ofTheme)).height).toBeLessThanOrEqual(32);
  // On a phone it is in the line of the time.
  const middle = async (part: Locator) => {
    const at = await part.boundingBox();
    return (at?.y ?? 0) + (at?.height ?? 0) / 2;
  };
  const time = ana.post("Good bread.").getByRole("link", { name: "Just now" });
  expect(Math.abs((await middle(ofPost)) - (await middle(time)))).toBeLessThanOrEqual(2);
  // The area to press is as high as that of a button.
  const reach = await ofTheme.evaluate((node) => parseFloat(getComputedStyle(node, "::after").height));
  expect(reach).toBeGreaterThanOrEqual(44);
  await ana.leaves();
});

test("The focus ring of every control is whole", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const { page } = ana;
  const postId = await posted(ben.page, "https://example.com is the first word.", [], { title: "A title" });
  const everybody = { type: "public" } as const;
  for (const who of [ana, ben])
    await asked(who.page, "comments.create", {
      key: key(),
      post_id: postId,
      text: `@${ben.id}+${ben.name.replaceAll(" ", "_")} begins this.`,
      audience: everybody,
    });
  await asked(page, "follows.set", { key: key(), user_id: ben.id, following: true });
  await asked(ben.page, "follows.set", { key: key(), user_id: ana.id, following: true });
  const { group } = await asked(page, "groups.create", { key: key(), name: "Sunday walks" });
  await asked(page, "groups.add", { key: key(), group_id: group.id, user_ids: [ben.id] });
  await posted(page, "Mine, with https://example.com in it.", [], { tag: "bread" });
  for (const [path, heading] of [
    ["/", "Your Space"],
    [`/post/${postId}`, "A title"],
    [`/profile/${ana.id}`, ana.name],
    ["/groups", "Manage Groups"],
    ["/search", "Search"],
    ["/settings", "Settings"],
    ["/notifications", "Notifications"],
  ] as const) {
    await ana.goesTo(path);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await cutRings(page), `${path} at ${width}`).toEqual([]);
    }
  }
  await ana.leaves();
  await ben.leaves();
});

/** Returns the controls whose focus ring is cut off at a side by what is around them. */
async function cutRings(page: Page): Promise<string[]> {
  // From now on a focus that a script sets has a ring.
  await page.keyboard.press("Tab");
  return page.evaluate(() => {
    const controls = [...document.querySelectorAll<HTMLElement>("main :is(a[href], button, input, select)")]
      .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      // Rows of pictures scroll sideways, and what is hidden for the eye has no ring.
      .filter((control) => control.closest("[data-sideways], .visually-hidden") === null);
    return controls.flatMap((control) => {
      control.focus({ preventScroll: true });
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(control);
      if (outlineStyle === "none") return [];
      const reach = parseFloat(outlineWidth) + parseFloat(outlineOffset);
      const lines = [...control.getClientRects()];
      for (let around = control.parentElement; around !== null; around = around.parentElement) {
        if (around.tagName === "MAIN") break;
        const { overflowX, display } = getComputedStyle(around);
        // Nothing is cut off by a part of a line.
        if (overflowX === "visible" || display === "inline") continue;
        const { left, right } = around.getBoundingClientRect();
        if (lines.some((line) => line.left - reach < left - 0.5 || line.right + reach > right + 0.5))
          return [`${control.outerHTML.slice(0, 120)} in ${around.outerHTML.slice(0, 80)}`];
      }
      return [];
    });
  });
}
