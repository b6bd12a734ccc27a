// Nothing moves between what a person sees and presses: at both ends of each list, on every way there, also on
// slow devices.

import { readFileSync } from "node:fs";

import { type Locator, type Page, expect, test } from "@playwright/test";

import { named, phoneSized, signUp } from "./people";
import { arrivesLate, jump, movesOf, pressesAt, throttled, watchControls, whereSeen } from "./shifts";
import { asked, name as key, posted, withConnection } from "./wire";

const still = { ...phoneSized, reducedMotion: "reduce" } as const;

/** Publishes posts of many heights, of which the longest are folded. */
async function writes(page: Page, count: number): Promise<void> {
  await withConnection(page, (connection) =>
    connection.askAll(
      Array.from({ length: count }, (_, at) => ({
        op: "posts.create",
        key: key(),
        title: null,
        text: `Page ${at + 1} of the diary. ${"And on it went. ".repeat(((at + 1) * 7) % 60)}`,
        tag: null,
        content_note: null,
        audience: { type: "public" },
        pictures: null,
      })),
    ),
  );
}

const centres = (part: Locator) =>
  part.evaluate((node) => node.scrollIntoView({ block: "center", behavior: "instant" }));

const END = Number.MAX_SAFE_INTEGER;

/** How many times slower the device is, and how many frames are between pressing and releasing. */
for (const [rate, frames] of [
  [1, [0, 4]],
  [4, [1]],
  [6, [2]],
] as const)
  test(`Older posts load at a press on the button where it was first seen, on a device that is ${rate} times slower`, async ({
    browser,
    browserName,
  }) => {
    test.skip(rate > 1 && browserName !== "chromium", "only Chromium can be slowed down");
    const ben = await signUp(browser, named("Ben"), still);
    const { page } = ben;
    await writes(page, 62);
    await watchControls(page);
    const older = page.getByRole("button", { name: "Show older posts" });
    const cards = page.getByRole("article");
    const opens = async (path: string) => {
      await page.goto(path);
      await expect(older).toBeAttached();
    };
    // Each ends at the button, and the last step is the way to it.
    const ways: Record<string, () => Promise<() => Promise<unknown>>> = {
      "a jump": async () => {
        await opens("/");
        return () => jump(page, END);
      },
      "the End key": async () => {
        await opens("/");
        return () => page.keyboard.press("End");
      },
      Back: async () => {
        await opens("/");
        await jump(page, END);
        await cards.last().getByRole("link", { name: "View full post" }).click();
        await expect(page).toHaveURL(/\/post\//u);
        return () => page.goBack();
      },
      "the end of a profile": async () => {
        await opens(`/profile/${ben.id}`);
        return () => jump(page, END);
      },
      "a jump half way": async () => {
        await opens("/");
        await jump(page, 3_000);
        return () => jump(page, END);
      },
      "g h": async () => {
        await opens(`/profile/${ben.id}`);
        // The shortcuts are loaded right after the first screen.
        await expect(async () => {
          await page.keyboard.press("g");
          await page.keyboard.press("h");
          await expect(page).toHaveURL(/\/$/u, { timeout: 500 });
        }).toPass();
        await expect(older).toBeAttached();
        return () => jump(page, END);
      },
    };
    const slowDown = await throttled(page);
    // The last ways end like the first. A slow device takes long for each.
    for (const [way, begins] of Object.entries(ways).slice(0, rate === 1 ? 6 : 4))
      for (const between of frames) {
        const goes = await begins();
        await slowDown(rate);
        const [point] = await Promise.all([whereSeen(page, "Show older posts"), goes()]);
        await pressesAt(page, point, between);
        await slowDown(1);
        await expect(cards, `${way}, ${between} frames`).toHaveCount(60);
        expect((await movesOf(page)).filter((what) => what.includes("ResizeObserver"))).toEqual([]);
        await page.mouse.move(0, 0);
      }

    // At the other end: the button for new posts, and the posts below it.
    await opens("/");
    const ana = await signUp(browser, named("Ana"));
    await ben.follows(ana.name);
    await ben.goesHome();
    await expect(older).toBeAttached();
    for (const from of [0, 2_000]) {
      await slowDown(rate);
      await jump(page, from);
      await posted(ana.page, `News from ${from}.`);
      await pressesAt(page, await whereSeen(page, "1 new post"), 2);
      await slowDown(1);
      await expect(ben.post(`News from ${from}.`)).toBeInViewport();
    }
    await ana.leaves();
    await ben.leaves();
  });

test("The buttons at the end of notifications, polls and comments are pressed where they were first seen", async ({
  browser,
}) => {
  const ben = await signUp(browser, named("Ben"), still);
  const { page } = ben;
  const to = { type: "public" } as const;
  const posts: number[] = [];
  for (let at = 0; at < 35; at += 1)
    posts.push(await posted(page, `Page ${at}. ${"And so on. ".repeat(at % 9)}`));
  for (let nth = 0; nth < 5; nth += 1) {
    const ana = await signUp(browser, named("Ana"));
    await ben.follows(ana.name);
    await withConnection(ana.page, async (connection) => {
      for (let at = 0; at < 5; at += 1)
        await connection.ask("polls.create", {
          key: key(),
          question: `Which, the ${nth}th of the ${at}th? ${"And why? ".repeat(at * 2)}`,
          options: ["This", "That"],
          audience: to,
        });
      for (const [at, post_id] of posts.entries())
        if (nth === 0 || at === 34)
          for (let times = at === 34 ? 12 : 1; times > 0; times -= 1)
            await connection.ask("comments.create", {
              key: key(),
              post_id,
              text: `Yes. ${"And so on. ".repeat(times * 3)}`,
              audience: to,
            });
    });
    await ana.leaves();
  }
  const slowDown = await throttled(page);
  for (const [path, name, counted, count] of [
    ["/notifications", "Show older", "li:has(> [data-place])", 30],
    ["/?tab=community-center", "Show older polls", "[data-poll]", 20],
    ["/", "Show 58 more comments", "[data-item]:first-child ul[aria-label=Comments] li", 2],
  ] as const)
    for (const between of [0, 1, 4]) {
      await page.goto(path);
      const button = page.getByRole("button", { name, exact: true });
      await expect(button).toBeAttached();
      // A button in the first window is seen before the page scrolls, so the page scrolls first.
      if (count === 2) await centres(button);
      await slowDown(4);
      const [point] = await Promise.all([whereSeen(page, name), count === 2 ? null : jump(page, END)]);
      await pressesAt(page, point, between);
      await slowDown(1);
      await expect
        .poll(() => page.locator(counted).count(), { message: `${name}, ${between} frames` })
        .toBeGreaterThan(count);
      await page.mouse.move(0, 0);
    }
  await ben.leaves();
});

const screens = [...readFileSync("src/app/Routes.tsx", "utf8").matchAll(/<Route path="([^"]+)"/gu)].map(
  ([, path]) => path ?? "",
);

for (const [size, viewport] of Object.entries({
  phone: { width: 390, height: 844 },
  laptop: { width: 1280, height: 860 },
}))
  test(`No control of any screen moves after it was seen, on a ${size}`, async ({ browser }) => {
    const here = { viewport, reducedMotion: "reduce" } as const;
    const ana = await signUp(browser, named("Ana"));
    const ben = await signUp(browser, named("Ben"), here);
    const { page } = ben;
    await ben.follows(ana.name);
    await ana.follows(ben.name);
    for (const at of [3, 2, 0]) {
      await posted(page, `Page ${at}. ${"And on it went. ".repeat(at * 30)}`);
      const post_id = await posted(ana.page, `Letter ${at}. ${"And on it went. ".repeat(at * 30)}`);
      for (const text of ["One.", "Two.", "Three. ".repeat(40), "Four."])
        await asked(ana.page, "comments.create", { key: key(), post_id, text, audience: { type: "public" } });
      await asked(ana.page, "polls.create", {
        key: key(),
        question: `Which, the ${at}th?`,
        options: ["This", "That"],
        audience: { type: "public" },
      });
    }
    const { group } = await asked(page, "groups.create", { key: key(), name: "Choir" });
    await asked(page, "groups.add", { key: key(), group_id: group.id, user_ids: [ana.id] });
    // A box with an unsent comment is higher than the others.
    await ben.goesHome();
    await ben.post("Letter 0.").getByRole("textbox", { name: "Write a comment" }).fill("Half a thought.");
    // A page that is opened again is scrolled to where it was left.
    await page.goto("/settings");
    await watchControls(page);
    const allIsHere = await arrivesLate(page);
    await page.goto("/");
    await allIsHere();
    const post = await page.getByRole("link", { name: "View full post" }).first().getAttribute("href");
    const places = screens.flatMap((path) =>
      path.includes("profile/:id")
        ? [`/profile/${ben.id}`, `/profile/${ana.id}`]
        : [
            path
              .replace("/post/:id", post ?? "")
              .replace(":id", `${ana.id}`)
              .replace(":code", "none"),
          ],
    );
    const moved: string[] = [];
    for (const path of [...places, "/?tab=community-center", "/search?q=Ana", "/nowhere"]) {
      await page.goto(path);
      await allIsHere();
      moved.push(...(await movesOf(page)).map((what) => `${path} ${what}`));
    }
    expect(moved).toEqual([]);
    await ana.leaves();
    await ben.leaves();
  });

/** Returns how far a part is from where it was. */
const farthest = (places: readonly number[], before: readonly number[]) =>
  Math.max(...before.map((place, at) => Math.abs(place - (places[at] ?? Infinity))));

/** Makes the next page as it is in a browser that does not keep the reading position, such as Safari before 27. */
async function withoutAnchoring(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const supports = CSS.supports.bind(CSS);
    CSS.supports = (what: string, value?: string) =>
      what !== "overflow-anchor" && (value === undefined ? supports(what) : supports(what, value));
    const none = new CSSStyleSheet();
    none.replaceSync("* { overflow-anchor: none !important; }");
    document.adoptedStyleSheets = [none];
  });
}

for (const has of [true, false])
  for (const width of [390, 1_080, 1_280])
    test(`What is read stays where it is when somebody comments on a post above, ${width} pixels wide, in a browser ${has ? "with" : "without"} scroll anchoring`, async ({
      browser,
    }) => {
      const ana = await signUp(browser, named("Ana"));
      const ben = await signUp(browser, named("Ben"), {
        viewport: { width, height: 800 },
        reducedMotion: "reduce",
      });
      const { page } = ben;
      await ben.follows(ana.name);
      await writes(ana.page, 12);
      if (!has) await withoutAnchoring(page);
      const first = ben.post("Page 12 of");
      const read = page.getByRole("heading", { level: 1 }).or(page.getByRole("article"));
      for (const path of ["/", `/profile/${ana.id}`]) {
        await page.goto(path);
        await expect(page.getByRole("article")).toHaveCount(12);
        await jump(page, 1_500);
        await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(1_000);
        const tops = async () => {
          const places = await read.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
          return places.filter((top) => top > 0 && top < 800).map(Math.round);
        };
        const before = await tops();
        const post_id = Number(await first.getAttribute("data-post"));
        for (const text of ["One.", `Two. ${"And on it went. ".repeat(20)}`]) {
          await asked(ana.page, "comments.create", {
            key: key(),
            post_id,
            text,
            audience: { type: "public" },
          });
          await expect(first.getByText(text.trim().slice(0, 4)).first()).toBeAttached();
          await expect.poll(async () => farthest(await tops(), before)).toBeLessThanOrEqual(1);
        }
        // So it does after a reload, while the posts come one after another.
        const at = await page.evaluate(() => scrollY);
        await page.reload();
        await expect(page.getByRole("article")).toHaveCount(12);
        // Firefox scrolls to half pixels.
        await expect.poll(() => page.evaluate((to) => Math.abs(scrollY - to), at)).toBeLessThan(1);
      }
      await ana.leaves();
      await ben.leaves();
    });
