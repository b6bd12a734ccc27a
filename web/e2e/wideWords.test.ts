// Words that cannot be broken, in every text that people write: no screen becomes wider than its window.

import { execFileSync } from "node:child_process";

import { type Page, expect, test } from "@playwright/test";

import { CENTER, setsTheme, shares, timeZoneAt } from "./homeScreen";
import { drawn } from "./drawn";
import { signUp } from "./people";
import { asked, name as key, posted } from "./wire";

/** So many fish, joined to one character. No browser breaks it. */
const fish = (characters: number) => "🐟\u{200d}".repeat(Math.floor(characters / 2)).slice(0, -1);
const WIDTHS = [320, 390, 1_280];

test("words that cannot be broken make no screen wider than its window", async ({ browser }) => {
  const host = (...words: string[]) =>
    execFileSync("../target/debug/mellow", [...words, "--data", process.env["E2E_DATA"] ?? ""]);
  setsTheme({ title: fish(100), description: fish(500), tag: fish(30) });
  const zone = { timezoneId: timeZoneAt(9) };
  const ana = await signUp(browser, fish(46), zone);
  const ben = await signUp(browser, fish(48), zone);
  const { page } = ben;
  const everybody = { type: "public" } as const;
  for (const [who, whom] of [
    [ben, ana],
    [ana, ben],
  ] as const)
    await asked(who.page, "follows.set", { key: key(), user_id: whom.id, following: true });
  for (const who of [ana, ben])
    await asked(who.page, "profiles.update", {
      key: key(),
      name: who.name,
      bio: fish(300),
      from_color: "red",
      to_color: "blue",
    });
  const { group } = await asked(ana.page, "groups.create", { key: key(), name: fish(50) });
  await asked(ana.page, "groups.add", { key: key(), group_id: group.id, user_ids: [ben.id] });
  await asked(page, "groups.create", { key: key(), name: fish(40) });
  const picture = { bytes: await drawn(browser, "plums"), alt: fish(300) };
  const postId = await posted(ana.page, fish(1_000), [picture], {
    title: fish(100),
    tag: fish(30),
    audience: { type: "group", group_id: group.id },
  });
  const mine = await posted(page, `${fish(200)} ${"w".repeat(300)}`, [], { tag: fish(30), title: fish(90) });
  for (const post_id of [postId, mine])
    for (const who of [ana, ben])
      await asked(who.page, "comments.create", {
        key: key(),
        post_id,
        text: `@${who === ana ? ben.id : ana.id}+${fish(40)} ${fish(399)}`,
        audience: post_id === mine ? everybody : { type: "group", group_id: group.id },
      });
  await asked(ana.page, "polls.create", {
    key: key(),
    question: fish(140),
    options: [fish(40), fish(38)],
    audience: { type: "group", group_id: group.id },
  });
  await asked(page, "reports.create", {
    key: key(),
    about: { type: "user", user_id: ana.id },
    reason: "other",
    details: fish(500),
  });
  await ana.page.goto("/");
  await shares(ana.page, "Morning", "Cozy");
  host("user", "promote", ben.email);

  await page.goto("/");
  await expect(page.getByRole("article")).toHaveCount(2);
  await fits(page, "feed");
  await page.goto(`/?tag=${encodeURIComponent(fish(30))}`);
  await expect(page.getByRole("article").first()).toBeVisible();
  await fits(page, "tag");
  await page.goto(CENTER);
  const poll = page.getByRole("article");
  await expect(poll).toHaveCount(1);
  await fits(page, "polls");
  await poll.locator("[data-option]").first().click();
  await expect(poll).toContainText("1 vote");
  await fits(page, "poll-voted");
  await poll.locator("[data-option]").first().click();
  await expect(page.getByRole("dialog").getByRole("link")).toBeVisible();
  await fits(page, "voters");
  await ben.goesTo(`/post/${postId}`);
  await expect(page.getByRole("list", { name: "Comments" }).getByRole("listitem")).toHaveCount(2);
  await fits(page, "post");
  await page
    .getByRole("button", { name: /^Open picture|^🐟/u })
    .first()
    .click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await fits(page, "viewer");
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Write a comment" }).fill(fish(399));
  await fits(page, "comment-box");
  await page.getByRole("textbox", { name: "Write a comment" }).fill("");
  await ben.goesTo(`/post/${mine}`);
  await expect(page.getByRole("list", { name: "Comments" }).getByRole("listitem")).toHaveCount(2);
  await fits(page, "own-post");
  await ben.goesTo(`/profile/${ana.id}`);
  await expect(page.getByRole("button", { name: "Unfollow" })).toBeVisible();
  await fits(page, "profile");
  await page.getByRole("button", { name: "Add to Group" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await fits(page, "add-to-group");
  await page.keyboard.press("Escape");
  await page.getByRole("main").locator("[aria-haspopup=menu]").first().click();
  await fits(page, "person-menu");
  await page.getByRole("menuitem", { name: /^Block/u }).click();
  await fits(page, "block");
  await page.keyboard.press("Escape");
  await ben.goesTo(`/profile/${ben.id}`);
  await expect(page.getByRole("button", { name: "Edit Profile" })).toBeVisible();
  await fits(page, "own-profile");
  await page.getByRole("button", { name: "1 follower" }).click();
  await expect(page.getByRole("dialog").getByRole("link")).toBeVisible();
  await fits(page, "followers");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Edit Profile" }).click();
  await expect(page.getByRole("textbox", { name: "Bio" })).toBeVisible();
  await fits(page, "edit-profile");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).first().click();
  await fits(page, "edit-post");
  await page.getByRole("button", { name: "Cancel" }).click();
  await ben.goesTo("/notifications");
  await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
  await fits(page, "notifications");
  await ben.goesTo("/groups");
  await expect(page.getByRole("article")).toHaveCount(2);
  await fits(page, "groups");
  await page.getByRole("button", { name: "Add to Group" }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await fits(page, "add-members");
  await page.keyboard.press("Escape");
  await ben.goesTo("/search");
  await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
  await fits(page, "people");
  await page.getByRole("searchbox", { name: "Search by name" }).fill(ana.name);
  await fits(page, "search");
  await ben.goesTo("/settings");
  await expect(page.getByRole("region", { name: "Your logins" }).getByRole("listitem")).toHaveCount(1);
  await fits(page, "settings");
  await ben.goesTo("/create-post");
  await page.getByRole("textbox", { name: "Text" }).fill(fish(1_000));
  await page.getByRole("textbox", { name: "Title" }).fill(fish(100));
  await page.getByRole("textbox", { name: "Tag" }).fill(fish(30));
  await fits(page, "create-post");
  for (const tab of ["people", "reports", "theme", "log"]) {
    await page.goto(`/admin?tab=${tab}`);
    await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
    await fits(page, `admin-${tab}`);
  }
  await ben.goesTo("/create-post");
});

/** Checks that nothing scrolls sideways or leaves its dialog, and that every button is in the window. */
async function fits(page: Page, screen: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const found = await page.evaluate(() => {
      const wide = document.documentElement.scrollWidth - innerWidth;
      const outside = [...document.querySelectorAll("button, input, textarea, select")]
        .filter((control) => control.checkVisibility({ visibilityProperty: true }))
        // Rows of pictures and moods scroll sideways, and what is hidden for the eye has no place.
        .filter((control) => control.closest("[data-sideways], .visually-hidden") === null)
        .filter((control) => {
          const { left, right } = control.getBoundingClientRect();
          return right > innerWidth + 1 || left < -1;
        })
        .map((control) => control.outerHTML.slice(0, 160));
      // A layer over the page does not make the page wider.
      const cuts = (part: Element) => ["hidden", "clip"].includes(getComputedStyle(part).overflowX);
      const isCut = (part: Element): boolean =>
        cuts(part) || (part.parentElement?.closest("[role*=dialog]") ? isCut(part.parentElement) : false);
      const spilled = [...document.querySelectorAll("[role*=dialog] *")]
        .filter(
          (part) => part.clientWidth > 0 && part.closest("svg, [data-sideways], .visually-hidden") === null,
        )
        // The button that closes a dialog is in the margin.
        .filter((part) => part.scrollWidth > part.clientWidth + 12 && !isCut(part))
        .map((part) => part.outerHTML.slice(0, 160));
      return { wide: Math.max(0, wide), outside, spilled };
    });
    expect.soft(found, `${screen} at ${width} pixels`).toEqual({ wide: 0, outside: [], spilled: [] });
  }
}
