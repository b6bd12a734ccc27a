// The parts of a post on each screen: where they stand, what its author may do, and that nothing moves below it.

import { type Locator, type Page, expect, test } from "@playwright/test";

import { drawn } from "./drawn";
import { box, dismissFirstSteps, foldsTheme, top } from "./homeScreen";
import { named, phoneSized, signUp } from "./people";
import { asked, name as key, posted, withConnection } from "./wire";

const LAPTOP = { viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" } as const;
const STILL = { ...phoneSized, reducedMotion: "reduce" } as const;
const everyone = { type: "public" } as const;

const rect = async (part: Locator) => {
  const at = await part.boundingBox();
  if (at === null) throw new Error("not drawn");
  return { ...at, right: at.x + at.width, bottom: at.y + at.height, middle: at.y + at.height / 2 };
};
const button = (where: Locator | Page, name: string) => where.getByRole("button", { name, exact: true });

test("A typo is mended where it is seen: at home, and on the post's own page", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"), STILL);
  const { page } = ana;
  await posted(page, "The ketle is on.");
  await ana.goesHome();
  const menu = (card: Locator) => button(card, "Post menu");
  await menu(ana.post("The ketle is on.")).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("The kettle is on.");
  await button(page, "Save").click();
  const card = ana.post("The kettle is on.");
  await expect(card.getByText("(edited)")).toBeVisible();
  await expect(menu(card)).toBeFocused();
  await card.getByRole("link", { name: "View full post" }).click();
  await menu(page.getByRole("article")).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page
    .getByRole("alertdialog", { name: "Delete Post" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(page.getByText("Removed", { exact: true })).toBeVisible();
  await ana.leaves();
});

test("An own post on a phone has its vibes in one row and what its author does in the next", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  await posted(ana.page, "My towel is still at the pier.");
  await dismissFirstSteps(ana.page);
  for (const width of [390, 360]) {
    await ana.page.setViewportSize({ width, height: 844 });
    await ana.page.reload();
    const card = ana.post("My towel is still at the pier.");
    const middle = async (part: Locator) => Math.round((await rect(part)).middle);
    const vibe = await middle(button(card, "Positive Vibes"));
    const view = await middle(card.getByRole("link", { name: "View full post" }));
    // On a narrower phone the link is in the row of the comments.
    if (width === 390) expect(Math.abs(vibe - view)).toBeLessThanOrEqual(2);
    const edit = await middle(button(card, "Edit"));
    expect(edit).toBe(await middle(button(card, "Delete")));
    expect(Math.abs(edit - (await middle(card.getByText("0 positive vibes"))))).toBeLessThanOrEqual(2);
    expect(edit - vibe).toBeLessThanOrEqual(48);
  }
  await ana.leaves();
});

test("The group of a post is in the line of its time, and the time beside or below the name, in comments too", async ({
  browser,
}) => {
  const long = "Wilhelmina van der Meer-Bergström";
  const ana = await signUp(browser, named(long), LAPTOP);
  const { page } = ana;
  const { group } = await asked(page, "groups.create", {
    key: key(),
    name: "Winter swimmers of the northern pier",
  });
  const audience = { type: "group", group_id: group.id } as const;
  const post_id = await posted(page, "Four degrees.", [], { tag: "slow mornings", audience });
  await asked(page, "comments.create", { key: key(), post_id, text: "I counted nine.", audience });
  await ana.goesHome();
  const card = ana.post("Four degrees.");
  const comment = card.getByRole("listitem");
  for (const width of [320, 390, 820, 1080, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    // The time is in the line of the name, or below its beginning, and so it is in a comment.
    for (const [part, time] of [
      [card, card.getByRole("link", { name: "Just now" })],
      [comment, comment.getByText("Just now")],
    ] as const) {
      const name = await rect(part.getByRole("link", { name: ana.name, exact: true }).first().locator("bdi"));
      const when = await rect(time);
      if (when.middle > name.bottom)
        expect(
          Math.abs(when.x - (part === card ? name.x : (await rect(comment.getByText("I counted"))).x)),
          `${width} pixels`,
        ).toBeLessThanOrEqual(1);
      else expect(when.x, `${width} pixels`).toBeGreaterThanOrEqual(name.right);
    }
    // The group follows the time in the same line.
    const [when, words] = [
      await rect(card.getByRole("link", { name: "Just now" })),
      await rect(card.getByText("Shared with")),
    ];
    expect(words.y, `${width} pixels`).toBeLessThan(when.bottom);
    expect(words.bottom).toBeGreaterThan(when.y);
  }
  await ana.leaves();
});

test("Pictures keep their shapes, the next one looks in, and one alone ends where the text ends", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), STILL);
  const { page } = ana;
  const [wide, high, panorama, tower] = [
    await drawn(browser, "harbour"),
    await drawn(browser, "bread"),
    await drawn(browser, "hills", [1_800, 300]),
    await drawn(browser, "hills", [400, 1_600]),
  ];
  await posted(page, "A tower.", [{ bytes: tower }]);
  await posted(page, "A panorama.", [{ bytes: panorama }]);
  await posted(page, "One alone.", [{ bytes: wide }]);
  await posted(page, "Three shapes.", [{ bytes: wide }, { bytes: high }, { bytes: panorama }]);
  await dismissFirstSteps(page);
  await ana.goesHome();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const picture = (text: string, n = 1) =>
      ana.post(text).getByRole("button", { name: `Open picture ${n} of` });
    const shape = async (text: string, n = 1) => {
      const { width: wide, height } = await rect(picture(text, n));
      return wide / height;
    };
    await expect(picture("Three shapes.")).toHaveAttribute("data-picture", "here");
    expect(await shape("Three shapes.", 2)).toBeCloseTo(0.75, 1);
    if (width === 1280) expect(await shape("Three shapes.", 1)).toBeCloseTo(1.5, 1);
    const [first, second] = [await rect(picture("Three shapes.")), await rect(picture("Three shapes.", 2))];
    expect(second.x - first.right).toBeCloseTo(8, 0);
    expect(second.x).toBeLessThan((await rect(ana.post("Three shapes."))).right - 12);
    expect(await shape("A panorama.")).toBeCloseTo(6, 0);
    expect(await shape("A tower.")).toBeCloseTo(0.25, 1);
    const alone = await rect(picture("One alone."));
    const view = await rect(ana.post("One alone.").getByRole("link", { name: "View full post" }));
    expect(Math.abs(alone.right - view.right), `${width} pixels wide`).toBeLessThanOrEqual(1);
  }
  await ana.leaves();
});

test("Share Post is in sight from the first word to the last picture, and above a phone's keyboard", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), STILL);
  const { page } = ana;
  await ana.goesHome();
  await page.getByRole("main").getByRole("link", { name: "Create Post" }).click();
  const text = page.getByRole("textbox", { name: "Text" });
  await expect(text).toBeFocused();
  const share = button(page, "Share Post");
  const [title, audience] = [page.getByRole("textbox", { name: "Title" }), page.getByRole("combobox")];
  // The other fields are one row below the text.
  expect((await rect(title)).y).toBe((await rect(audience)).y);
  const plums = { name: "plums.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "plums") };
  for (const viewport of [
    { width: 390, height: 844 },
    // With a keyboard.
    { width: 390, height: 480 },
    { width: 320, height: 480 },
    { width: 1280, height: 900 },
  ]) {
    await page.setViewportSize(viewport);
    for (const pictures of [0, 3]) {
      if (pictures > 0 && viewport.height === 844)
        await page.getByLabel("Add pictures").setInputFiles([plums, plums, plums]);
      for (const field of [
        text,
        title,
        page.getByRole("textbox", { name: "Tag" }),
        page.getByRole("textbox").last(),
      ]) {
        await field.focus();
        await expect(share).toBeInViewport({ ratio: 1 });
        // It covers no field that has the focus.
        const [bar, at] = [await rect(share), await rect(field)];
        expect(at.bottom).toBeGreaterThan(bar.bottom);
      }
    }
  }
  await title.fill("On asking");
  await page.setViewportSize({ width: 390, height: 844 });
  expect((await rect(title)).width).toBeGreaterThan(300);

  // The name of a chosen group is whole, and the number of its members moves no box beside it.
  const { group } = await asked(page, "groups.create", { key: key(), name: "Winter swimmers" });
  await audience.selectOption(group.name);
  await expect(page.getByText("1 member", { exact: true })).toBeVisible();
  expect((await rect(audience)).width).toBeGreaterThan(300);
  await page.setViewportSize(LAPTOP.viewport);
  const note = page.getByRole("textbox", { name: "Content note" });
  expect((await rect(audience)).y).toBe((await rect(note)).y);
  await page.context().close();
});

test("On the page of a post with 28 comments its box is on the first screen, and Back and Share Post have no rows", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), STILL);
  await ben.follows(ana.name);
  const post_id = await posted(ana.page, "The pier is open again.");
  await withConnection(ana.page, async (connection) => {
    for (let nth = 1; nth <= 28; nth += 1)
      await connection.ask("comments.create", {
        key: key(),
        post_id,
        text: `The ${nth}th. ${"And so on. ".repeat(nth % 5)}`,
        audience: everyone,
      });
  });
  for (const viewport of [STILL.viewport, LAPTOP.viewport]) {
    await ben.page.setViewportSize(viewport);
    await ben.page.goto(`/post/${post_id}`);
    const card = ben.page.getByRole("article");
    await expect(card.getByRole("listitem")).toHaveCount(28);
    await expect(box(card)).toBeInViewport({ ratio: 1 });
    await expect(button(card, "Post Comment")).toBeInViewport({ ratio: 1 });
    const [back, author] = [
      await rect(button(ben.page, "Back")),
      await rect(card.getByRole("link", { name: ana.name }).first()),
    ];
    expect(back.y).toBeLessThan(author.bottom);
    expect(back.bottom).toBeGreaterThan(author.y);
    expect(back.right).toBeLessThanOrEqual(author.x);
    const [share, vibe] = [
      await rect(button(card, "Share Post")),
      await rect(button(card, "Positive Vibes")),
    ];
    expect(Math.abs(share.middle - vibe.middle)).toBeLessThanOrEqual(2);
  }
  // A new comment is the last, and its author sees it.
  await box(ben.page.getByRole("article")).fill("And the 29th.");
  await button(ben.page, "Post Comment").click();
  await expect(ben.page.getByRole("listitem").filter({ hasText: "And the 29th." })).toBeInViewport();
  await ana.leaves();
  await ben.leaves();
});

for (const viewport of [STILL.viewport, LAPTOP.viewport])
  test(`What is below a post stays when others comment on it, edit it or delete it in sight, ${viewport.width} pixels wide`, async ({
    browser,
  }) => {
    const ana = await signUp(browser, named("Ana"));
    const ben = await signUp(browser, named("Ben"), { viewport, reducedMotion: "reduce" });
    const { page } = ben;
    await ben.follows(ana.name);
    for (let n = 8; n >= 2; n -= 1) await posted(ana.page, `Page ${n} of the diary.`);
    const post_id = await posted(ana.page, "Page 1 of the diary.");
    await dismissFirstSteps(page);
    await page.goto("/");
    await foldsTheme(page);
    const [first, second] = [ben.post("Page 1 of"), ben.post("Page 2 of")];
    await expect(page.getByRole("article")).toHaveCount(8);
    await expect(box(second)).toBeVisible();
    const before = await top(second);
    expect(before).toBeLessThan(viewport.height);
    const stays = async (what: string) => {
      expect(Math.abs((await top(second)) - before), what).toBeLessThanOrEqual(1);
    };
    for (const text of ["One.", `Two. ${"And on it went. ".repeat(4)}`, "Three."]) {
      await asked(ana.page, "comments.create", { key: key(), post_id, text, audience: everyone });
      await expect(
        text === "Three." ? button(first, "3 comments") : first.getByText(text.slice(0, 4)),
      ).toBeAttached();
      await stays(text);
    }
    for (const text of ["Page 1 of the diary. ".repeat(8).trim(), "Page 1 of the diary, once more."]) {
      await asked(ana.page, "posts.update", {
        key: key(),
        post_id,
        title: null,
        text,
        content_note: null,
        audience: everyone,
      });
      await expect(first.getByText(text)).toBeAttached();
      await stays(text);
    }
    await asked(ana.page, "posts.delete", { key: key(), post_id });
    await expect(page.getByText("Removed", { exact: true })).toBeAttached();
    await stays("Removed");
    await ana.leaves();
    await ben.leaves();
  });

test("A screen reader is told that a post was shared, and that a comment was sent and deleted", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const said = (words: string) =>
    expect(page.getByRole("status").filter({ hasText: new RegExp(`^${words}$`, "u") })).toHaveCount(1);
  await ana.publishes("The kettle is on.");
  await said("Post shared");
  await ana.comments("The kettle is on.", "Two sugars.");
  await said("Comment posted");
  await ana.post("The kettle is on.").getByRole("button", { name: "Delete comment" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await said("Comment deleted");
  await ana.leaves();
});
