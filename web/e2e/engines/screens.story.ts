// The main screens in every engine. With PICTURES=<folder> each is saved as a picture.

import { mkdirSync, writeFileSync } from "node:fs";

import { drawn } from "../drawn";
import { asked, name as key } from "../wire";
import { expect, test } from "./test";

const folder = process.env["PICTURES"];
const SIZES = { phone: [390, 844], desktop: [1280, 860] } as const;
const TEA = "The kettle is on.";

test("c43: @prove The main screens fit their window, on a phone and a desktop, in light and dark", async ({
  ana,
  ben,
  browser,
}) => {
  const alt = "A chair on a pier, facing the water.";
  await ana.posted("Walked to the harbour before work.", [{ bytes: await drawn(browser, "harbour"), alt }], {
    title: "Before work",
    tag: "slow mornings",
  });
  const post = await ana.posted(TEA);
  const group = (await asked(ana.tab, "groups.create", { key: key(), name: `Swimmers of ${ana.name}` }))
    .group;
  await asked(ana.tab, "polls.create", {
    key: key(),
    question: "What do you drink in the morning?",
    options: ["Tea", "Coffee from a pot older than I am"],
    audience: { type: "group", group_id: group.id },
  });
  await ben.follows(ana);
  await ben.comments(TEA, `Milk for me, please. ${"And a biscuit. ".repeat(8)}`);
  const screens: Record<string, [path: string, heading: string, then?: () => Promise<void>]> = {
    home: ["/", "Your Space", () => ana.post("Walked to").role("img", alt).isDrawn()],
    center: ["/?tab=community-center", "Community Center"],
    poll: [
      "/?tab=community-center",
      "Community Center",
      () => ana.role("region", "Community Polls").role("button", "Create Poll").presses(),
    ],
    vibes: ["/", "Your Space", () => ana.role("button", /^Set (Morning|Evening) Vibe$/).presses()],
    post: [`/post/${post}`, "", () => ana.post(TEA).with("Milk for me").isShown()],
    mention: [
      `/post/${post}`,
      "",
      async () => {
        await ana.post(TEA).role("textbox", "Write a comment").presses();
        await ana.tab.types("Ask @");
        await ana.role("listbox", "People").isShown();
      },
    ],
    viewer: ["/", "Your Space", () => ana.role("button", `Open picture 1 of 1: ${alt}`).presses()],
    composer: ["/create-post", "Create Post", () => ana.role("textbox", "Text").presses()],
    profile: [`/profile/${ana.id}`, ana.name],
    editing: [
      `/profile/${ana.id}`,
      ana.name,
      async () => {
        await ana.role("button", "Edit Profile").presses();
        await ana.role("textbox", "Bio").isShown();
      },
    ],
    notifications: ["/notifications", "Notifications"],
    saved: ["/saved", "Saved"],
    groups: ["/groups", "Manage Groups"],
    search: ["/search", "Search"],
    settings: ["/settings", "Settings"],
  };
  for (const theme of ["Light", "Dark"]) {
    await ana.tab.goesTo("/settings");
    await ana.role("radiogroup", "Theme").role("radio", theme).presses();
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      await ana.tab.resizes(width, height);
      for (const [screen, [path, heading, then]] of Object.entries(screens)) {
        await ana.tab.goesTo(path);
        if (heading) await ana.heading(heading).isShown();
        await then?.();
        const place = `${screen} ${size} ${theme}`;
        const wide = () => ana.tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(await wide(), `${place} scrolls sideways`).toBeLessThanOrEqual(0);
        if (folder === undefined) continue;
        mkdirSync(folder, { recursive: true });
        const name = `${ana.tab.engine}-${screen}-${size}-${theme.toLowerCase()}.png`;
        writeFileSync(`${folder}/${name}`, await ana.tab.screenshot());
      }
    }
  }
});
