// Settings: hidden counts, the appearance on this device, and the export of the user's data.

import { readFileSync } from "node:fs";

import { type Page, expect, test } from "@playwright/test";

import { unpacked } from "./archive";
import { drawn } from "./drawn";
import { type Person, named, signUp } from "./people";
import { posted } from "./wire";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

async function opensSettings(who: Person): Promise<void> {
  await who.page.getByRole("button", { name: "Account menu" }).click();
  await who.page.getByRole("menuitem", { name: "Settings" }).click();
  await expect(who.page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
}

test("Hidden counts disappear from another user's open page at once, and their owner still sees them", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  const cleo = await signUp(browser, named("Cleo"));
  await ana.follows(ben.name);
  await ben.follows(ana.name);
  const counts = (page: Page) => page.getByRole("main").getByText(/^\d+ (follower|following)/);
  await expect(counts(ben.page)).toHaveText(["1 follower", "1 following"]);
  const own = await ana.opens("/");
  await own.getByRole("button", { name: "Account menu" }).click();
  await own.getByRole("menuitem", { name: "View Profile" }).click();
  await expect(counts(own)).toHaveText(["1 follower", "1 following"]);

  await ana.page.bringToFront();
  await opensSettings(ana);
  const hide = ana.page.getByRole("switch", { name: "Hide numbers" });
  await expect(hide).toHaveAttribute("aria-checked", "false");
  await hide.press("Space");
  await expect(hide).toHaveAttribute("aria-checked", "true");
  await expect(hide).toBeFocused();
  await expect(counts(ben.page)).toHaveCount(0);
  // Counts that change meanwhile change only for her, also on a page that is opened later.
  await cleo.follows(ana.name);
  await expect(counts(own)).toHaveText(["2 followers", "1 following"]);
  await expect(counts(cleo.page)).toHaveCount(0);
  await button(ben.page, "Unfollow").click();
  await expect(counts(own)).toHaveText(["1 follower", "1 following"]);
  await ben.page.reload();
  await expect(ben.page.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();
  await expect(counts(ben.page)).toHaveCount(0);
  await button(own, "1 follower").click();
  await expect(
    own.getByRole("dialog", { name: "Followers" }).getByRole("link", { name: cleo.name }),
  ).toBeVisible();

  await ana.page.reload();
  await expect(hide).toHaveAttribute("aria-checked", "true");
  await hide.click();
  await expect(hide).toHaveAttribute("aria-checked", "false");
  await expect(counts(ben.page)).toHaveText(["1 follower", "1 following"]);
  for (const one of [ana, ben, cleo]) await one.leaves();
});

test("The appearance is chosen per device, and applies at once, in every tab and from the first frame on", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), { colorScheme: "light", reducedMotion: "no-preference" });
  const { page } = ana;
  const other = await ana.opens("/");
  await opensSettings(ana);
  const look = region(page, "Look");
  const choice = (group: "Theme" | "Motion", name: string) =>
    look.getByRole("radiogroup", { name: group }).getByRole("radio", { name, exact: true });
  const ground = (of: Page) => of.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [light, dark] = ["rgb(250, 246, 240)", "rgb(26, 23, 20)"];
  for (const group of ["Theme", "Motion"] as const)
    await expect(choice(group, "Same as device")).toBeChecked();
  await expect.poll(() => ground(page)).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => ground(page)).toBe(dark);

  await choice("Theme", "Light").check();
  for (const one of [page, other]) await expect.poll(() => ground(one)).toBe(light);
  await choice("Theme", "Light").press("ArrowRight");
  await expect(choice("Theme", "Dark")).toBeChecked();
  await page.emulateMedia({ colorScheme: "light" });
  for (const one of [page, other]) await expect.poll(() => ground(one)).toBe(dark);

  // The appearance applies from the first painted frame.
  await page.addInitScript(() => {
    const held = window as Window & { grounds?: string[] };
    const grounds: string[] = (held.grounds = []);
    const note = () => {
      if (document.body !== null) grounds.push(getComputedStyle(document.documentElement).backgroundColor);
      if (grounds.length < 20) requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  const framed = async () => {
    await page.waitForFunction(() => (window as Window & { grounds?: string[] }).grounds?.length === 20);
    return new Set(await page.evaluate(() => (window as Window & { grounds?: string[] }).grounds));
  };
  await page.reload();
  expect(await framed()).toEqual(new Set([dark]));
  await expect(choice("Theme", "Dark")).toBeChecked();

  // The header hides while the page scrolls down, but not with reduced motion.
  const header = page.getByRole("banner");
  const readsOn = async () => {
    // A reloaded page restores its scroll position as soon as it is long enough, unless the reader scrolls
    // first.
    await page.mouse.wheel(0, -5_000);
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await expect(header).toBeInViewport();
    await page.mouse.wheel(0, 400);
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(400);
  };
  await readsOn();
  await expect(header).not.toBeInViewport();
  await choice("Motion", "Reduced").check();
  for (const one of [page, other])
    await expect(one.locator("html")).toHaveAttribute("data-motion", "reduced");
  await page.reload();
  await expect(choice("Motion", "Reduced")).toBeChecked();
  await readsOn();
  await expect(header).toBeInViewport();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await choice("Motion", "Full").check();
  await readsOn();
  await expect(header).not.toBeInViewport();

  // The appearance belongs to the device: logging out does not change it.
  await ana.goesHome();
  await ana.logsOut();
  await expect.poll(() => ground(page)).toBe(dark);
  await ana.leaves();
});

test("Settings begin with links to their regions, lead to what an address names, and end with Delete Account", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await opensSettings(ana);
  const links = page.getByRole("navigation", { name: "Sections" }).getByRole("link");
  await expect(links).toHaveText([
    "Privacy",
    "Quiet hours",
    "Blocked and muted",
    "Invitations",
    "Language",
    "Time here",
    "Look",
    "Your logins",
    "Passkeys",
    "Your data",
    "Help",
    "Account",
  ]);
  await links.filter({ hasText: "Look" }).click();
  await expect(region(page, "Look").getByRole("heading", { level: 2 })).toBeFocused();
  await expect(region(page, "Look").getByRole("heading", { level: 2 })).toBeInViewport();
  // On a wide screen the list stays in sight and says where she is.
  await expect(links.filter({ hasText: "Look" })).toBeInViewport();
  await expect(links.filter({ hasText: "Look" })).toHaveAttribute("aria-current", "location");
  const end = (await region(page, "Account").getByRole("button", { name: "Delete Account" }).boundingBox())
    ?.y;
  const all = await page.getByRole("main").getByRole("button").all();
  for (const one of all) expect((await one.boundingBox())?.y).toBeLessThanOrEqual(end ?? 0);

  await page.goto("/");
  await page.goto("/settings#invitations");
  await expect(region(page, "Invitations").getByRole("heading", { level: 2 })).toBeFocused();
  await expect(button(page, "Create Invitation")).toBeInViewport();

  // On a phone the list is at the top.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/settings");
  await expect(links).toHaveCount(12);
  await expect(links.last()).toBeInViewport();
  await links.last().click();
  await expect(button(page, "Delete Account")).toBeInViewport();
  await ana.leaves();
});

test("A user's data is exported as one archive, and Help for phones is below it", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await ben.publishes("Only Ben said this.");
  await posted(
    ana.page,
    "The kettle is on.",
    [{ bytes: await drawn(browser, "plums", [300, 300]), alt: "Four plums." }],
    { title: "Tea" },
  );
  await ben.goesHome();
  await ben.comments("The kettle is on.", "Ben's own words.");
  await ana.goesHome();
  await ana.comments("The kettle is on.", "Ana's own words.");
  await opensSettings(ana);
  const { page } = ana;
  const data = region(page, "Your data");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Export My Data").click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^mellow-export-.*\.zip$/);
  await expect(data.getByRole("status")).toContainText("Your archive is being downloaded.");
  await expect(page).toHaveURL(/\/settings$/);
  const files = unpacked(readFileSync(await download.path()));
  const text = (name: string) => files.get(name)?.toString("utf8") ?? "";
  expect(text("posts.json")).toContain("The kettle is on.");
  expect(text("comments.json")).toContain("Ana's own words.");
  expect(text("profile.json")).toContain(ana.email);
  expect(text("followers.json")).toContain(ben.name);
  const pictures = [...files].filter(([name]) => name.startsWith("media/"));
  expect(pictures).toHaveLength(1);
  expect(pictures[0]?.[1].subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  const all = [...files.values()].map((bytes) => bytes.toString("latin1")).join();
  for (const his of ["Only Ben said this.", "Ben's own words.", ben.email, ana.password])
    expect(all).not.toContain(his);
  // The address of the archive works once, and only for this user.
  const response = await page.request.get(download.url());
  expect(response.status()).toBe(404);

  const help = region(page, "Help");
  for (const title of ["iPhone", "Android", "About"])
    await expect(help.getByRole("heading", { name: title, exact: true })).toBeVisible();
  await expect(help).toContainText("Add to Home Screen");
  await expect(help).toContainText("Add to Home screen");
  await expect(help.getByRole("list")).toHaveCount(2);
  await ana.leaves();
  await ben.leaves();
});
