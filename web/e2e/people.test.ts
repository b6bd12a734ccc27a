// Profiles, whose names, photos and colours change on every open screen at once; follows; and search.

import { type Browser, type Locator, type Page, expect, test } from "@playwright/test";

import { drawn, heavy } from "./drawn";
import { checkScreen } from "./checkScreen";
import { InterceptedConnection } from "./connection";
import { type Person, openOtherDevice, named, phoneSized, signUp } from "./people";
import { watchShifts } from "./shifts";

// A trace would fetch the previews of pictures. The content policy forbids this, and the console would show
// an error.
test.use({ trace: "off" });

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByRole("textbox", { name });
const color = (page: Page, end: "From color" | "To color", name: string) =>
  page.getByRole("radiogroup", { name: end }).getByRole("radio", { name });
const profileOf = (page: Page) =>
  page
    .getByRole("button", { name: "Account menu" })
    .click()
    .then(() => page.getByRole("menuitem", { name: "View Profile" }).click());

/** Ben has Ana's post open, and Ana has commented on a post of Ben. */
async function twoWhoTalk(browser: Browser): Promise<[Person, Person]> {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), phoneSized);
  await ben.follows(ana.name);
  await ben.publishes("Which pier was it?");
  await ana.page.goto(
    (await ben
      .post("Which pier was it?")
      .getByRole("link", { name: "View full post" })
      .getAttribute("href")) ?? "",
  );
  await ana.comments("Which pier was it?", "The one behind the ice house.");
  await ana.publishes("The kettle is on.");
  await ben.goesHome();
  await expect(ben.post("The kettle is on.")).toBeVisible();
  return [ana, ben];
}

/**
 * Opens the screens where Ben sees Ana: her post in his feed, her profile, and her comment in an open thread.
 */
async function whereBenMeets(
  ana: Person,
  ben: Person,
): Promise<{ feed: Locator; profile: Page; thread: Locator }> {
  const feed = ben.post("The kettle is on.");
  const profile = await ben.opens(
    (await feed.getByRole("link", { name: ana.name }).getAttribute("href")) ?? "",
  );
  const page = await ben.opens(
    (await ben
      .post("Which pier was it?")
      .getByRole("link", { name: "View full post" })
      .getAttribute("href")) ?? "",
  );
  const thread = page.getByRole("list", { name: "Comments" }).getByRole("listitem");
  await expect(profile.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();
  await expect(thread).toContainText("The one behind the ice house.");
  return { feed, profile, thread };
}

test("A new name is on every open screen at once, and is kept in its field after a refusal and a lost connection", async ({
  browser,
}) => {
  const [ana, ben] = await twoWhoTalk(browser);
  const { feed, profile, thread } = await whereBenMeets(ana, ben);
  const was = ana.name;
  const connection = await InterceptedConnection.of(ana.page);
  const { page } = ana;
  await ana.goesToOwnProfile();
  await expect(page.getByRole("img", { name: "Banner from blue to blue" })).toBeVisible();

  // Cancel keeps nothing of the typed text.
  await button(page, "Edit Profile").click();
  await expect(field(page, "Display name")).toBeFocused();
  await field(page, "Display name").fill("Nobody");
  await field(page, "Bio").fill("Nothing.");
  await color(page, "From color", "Red").check();
  await expect(page.getByRole("img", { name: "Banner from red to blue" })).toBeVisible();
  await button(page, "Cancel").click();
  await expect(button(page, "Edit Profile")).toBeFocused();
  await expect(page.getByRole("img", { name: "Banner from blue to blue" })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: was })).toBeVisible();
  await expect(page.getByText("Nothing.")).toHaveCount(0);

  const next = named("Ana Lindqvist");
  await button(page, "Edit Profile").click();
  await expect(field(page, "Bio")).toHaveValue("");
  await field(page, "Display name").fill(next);
  await field(page, "Bio").fill("Tea, mostly.\nThe water, always: https://example.com/harbour");
  await color(page, "From color", "Green").focus();
  await page.keyboard.press("ArrowRight");
  await expect(color(page, "From color", "Yellow")).toBeChecked();
  await color(page, "To color", "Purple").check();
  connection.out = (request) => {
    if (request.op !== "profiles.update") return true;
    connection.answer(request, {
      err: {
        code: "internal",
        why: "internal",
        values: {},
        message: "That was not to be.",
        field: null,
        retry_ms: null,
      },
    });
    return false;
  };
  await button(page, "Save").click();
  await expect(ana.toast("Error updating profile. Please try again.")).toBeVisible();
  await expect(field(page, "Display name")).toHaveValue(next);
  await expect(field(page, "Bio")).toHaveValue(/^Tea, mostly\./);
  await expect(button(page, "Save")).toBeEnabled();

  // The reply is lost with the connection. The request is sent again and applied once.
  const shifts = await watchShifts(ben.page);
  let cuts = 0;
  connection.out = () => true;
  connection.in = (request) => {
    if (request?.op !== "profiles.update" || cuts > 0) return true;
    cuts += 1;
    void connection.cut();
    return false;
  };
  await button(page, "Save").click();
  await expect(page.getByRole("heading", { level: 1, name: next })).toBeVisible();
  // The event of the change may come before its reply.
  await expect.poll(() => cuts).toBe(1);
  ana.name = next;

  await expect(feed).toHaveAccessibleName(`Post by ${next}`);
  await expect(feed.getByRole("link", { name: next, exact: true })).toBeVisible();
  await expect(profile.getByRole("heading", { level: 1, name: next })).toBeVisible();
  await expect(profile.getByRole("img", { name: "Banner from yellow to purple" })).toBeVisible();
  await expect(profile.getByText("Tea, mostly.")).toBeVisible();
  await expect(profile.getByRole("link", { name: "https://example.com/harbour" })).toHaveAttribute(
    "rel",
    "nofollow ugc noopener noreferrer",
  );
  await expect(thread.getByRole("link", { name: next, exact: true })).toBeVisible();
  for (const page of ben.page.context().pages())
    await expect(page.getByText(was, { exact: true })).toHaveCount(0);
  expect(await shifts()).toBe(0);
  await ana.leaves();
  await ben.leaves();
});

test("An empty name is refused, and an untouched field does not revert a change of another device", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await button(page, "Edit Profile").click();
  await field(page, "Display name").fill("  ");
  await button(page, "Save").click();
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("Please enter a name.");
  await expect(field(page, "Display name")).toHaveAttribute("aria-invalid", "true");
  await field(page, "Display name").fill("A".repeat(51));
  await expect(page.getByText("51/50")).toBeVisible();
  await expect(button(page, "Save")).toBeDisabled();
  await field(page, "Display name").fill(ana.name);

  const laptop = await openOtherDevice(browser, ana);
  await laptop.goesToOwnProfile();
  await button(laptop.page, "Edit Profile").click();
  await field(laptop.page, "Bio").fill("Written on the laptop.");
  await button(laptop.page, "Save").click();
  await expect(laptop.page.getByText("Written on the laptop.")).toBeVisible();
  await expect(field(page, "Bio")).toHaveValue("Written on the laptop.");
  await color(page, "To color", "Green").check();
  await button(page, "Save").click();
  await expect(laptop.page.getByRole("img", { name: "Banner from blue to green" })).toBeVisible();
  await expect(page.getByText("Written on the laptop.")).toBeVisible();
  await ana.leaves();
  await laptop.leaves();
});

test("A new photo is on every open screen at once, although the connection was cut during its upload", async ({
  browser,
}) => {
  const [ana, ben] = await twoWhoTalk(browser);
  const { feed, profile, thread } = await whereBenMeets(ana, ben);
  const faces = [
    feed.locator("img[data-here]"),
    profile.getByRole("button", { name: "Enlarge photo" }).locator("img[data-here]"),
    thread.locator("img[data-here]"),
  ];
  await ana.goesToOwnProfile();
  const connection = await InterceptedConnection.of(ana.page);
  const { page } = ana;
  const enlarge = button(page, "Enlarge photo");
  await expect(enlarge).toBeDisabled();
  const shifts = await watchShifts(ben.page);
  let chunks = 0;
  connection.out = ({ op }) => {
    if (op === "uploads.chunk" && (chunks += 1) === 5) void connection.cut();
    return true;
  };
  const photo = await heavy(page, 3, [800, 600]);
  await page
    .getByLabel("Change Photo")
    .setInputFiles({ name: "me.jpg", mimeType: "image/jpeg", buffer: photo });
  for (const face of faces) await expect(face).toHaveCount(1);
  expect(await shifts()).toBe(0);
  // The upload continued where it was.
  const sent = connection.asked
    .filter(({ op }) => op === "uploads.chunk")
    .reduce((sum, { bytes }) => sum + (bytes as ArrayBuffer).byteLength, 0);
  expect(sent).toBeLessThan(photo.length + 6 * 64 * 1024);
  expect(connection.asked.filter(({ op }) => op === "uploads.begin").length).toBeGreaterThan(1);
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await expect(button(page, "Account menu").locator("img[data-here]")).toHaveCount(1);

  // Both users open the whole photo. Escape closes it.
  for (const at of [page, profile]) {
    await at.bringToFront();
    const opener = button(at, "Enlarge photo");
    await expect(opener.getByRole("img")).toBeVisible();
    await opener.click();
    const viewer = at.getByRole("dialog", { name: "Picture viewer" });
    await expect(viewer.getByRole("img", { name: `Photo of ${ana.name}` })).toBeFocused();
    await at.keyboard.press("Escape");
    await expect(viewer).toHaveCount(0);
    await expect(opener).toBeFocused();
  }

  // A second photo replaces the first.
  const before = await faces[0]?.getAttribute("src");
  await page
    .getByLabel("Change Photo")
    .setInputFiles({ name: "plums.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "plums") });
  await expect.poll(() => feed.locator("img[data-here]").last().getAttribute("src")).not.toBe(before);
  await ana.leaves();
  await ben.leaves();
});

test("A file that is too large or no picture is refused with a reason, and a failed photo can be sent again", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const connection = await InterceptedConnection.of(ana.page);
  const { page } = ana;
  const alert = page.getByRole("main").getByRole("alert");
  const plums = await drawn(browser, "plums", [400, 400]);
  const chooser = page.getByLabel("Change Photo");
  const chooses = (name: string, mimeType: string, buffer: Buffer) =>
    chooser.setInputFiles({ name, mimeType, buffer });
  await chooses("huge.jpg", "image/jpeg", Buffer.concat([plums, Buffer.alloc(5 * 1024 * 1024)]));
  await expect(alert).toHaveText("File size must be less than 5MB");
  await expect(chooser).toHaveAttribute("aria-invalid", "true");
  await chooses("notes.jpg", "image/jpeg", Buffer.from("milk, bread, plums"));
  await expect(alert).toHaveText("notes.jpg is not a valid image file");
  // The file begins like a picture but is none.
  await chooses("torn.jpg", "image/jpeg", Buffer.concat([plums.subarray(0, 20), Buffer.alloc(2_000)]));
  await expect(alert).toHaveText("torn.jpg is not a valid image file");
  await ana.goesHome();
  await ana.goesToOwnProfile();
  await expect(alert).toHaveCount(0);
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await expect(button(page, "Enlarge photo")).toBeDisabled();
  expect(connection.asked.some(({ op }) => op === "profiles.set_photo")).toBe(false);

  connection.out = (request) => {
    if (request.op !== "uploads.commit") return true;
    connection.answer(request, {
      err: {
        code: "storage_full",
        why: "storage_full",
        values: {},
        message: "The disk here is full. Nothing was saved.",
        field: null,
        retry_ms: 1_000,
      },
    });
    return false;
  };
  await chooses("plums.jpg", "image/jpeg", plums);
  await expect(ana.toast("Error uploading image. Please try again.")).toBeVisible();
  await expect(alert).toHaveText("The disk here is full. Nothing was saved.");
  connection.out = () => true;
  await button(page, "Try again").click();
  await expect(button(page, "Enlarge photo").locator("img[data-here]")).toHaveCount(1);
  await expect(alert).toHaveCount(0);
  await ana.leaves();
});

test("Open lists of followers stay correct, and each press shows the message of the specification", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), { permissions: ["clipboard-read", "clipboard-write"] });
  const ben = await signUp(browser, named("Ben"), phoneSized);
  const { page } = ana;
  await button(page, "0 followers").click();
  const followers = page.getByRole("dialog", { name: "Followers" });
  await expect(followers.getByText("Nobody follows you yet.")).toBeVisible();
  await ben.follows(ana.name);
  await expect(ben.toast("Following successfully")).toBeVisible();
  const his = followers.getByRole("link", { name: ben.name, exact: true });
  await expect(his).toBeVisible();
  await expect(ben.page.getByText("1 follower", { exact: true })).toBeVisible();
  // For others than the owner the counts are text.
  await expect(ben.page.getByRole("button", { name: "1 follower" })).toHaveCount(0);
  const is = ben.name;
  await ben.renames(named("Benno"));
  await expect(followers.getByRole("link", { name: ben.name, exact: true })).toBeVisible();
  await expect(followers.getByText(is)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(followers).toHaveCount(0);
  await expect(button(page, "1 follower")).toBeFocused();

  await ben.finds(ana.name);
  await button(ben.page, "Unfollow").click();
  await expect(ben.toast("Unfollowed successfully")).toBeVisible();
  await expect(ben.page.getByText("0 followers", { exact: true })).toBeVisible();
  await expect(button(page, "0 followers")).toBeVisible();

  // The list of users whom she follows is open in two tabs. She unfollows one of them in one tab.
  await ana.follows(ben.name);
  const other = await ana.opens(page.url());
  await page.bringToFront();
  await profileOf(page);
  await button(page, "1 following").click();
  const following = page.getByRole("dialog", { name: "Following" });
  await expect(following.getByRole("link", { name: ben.name, exact: true })).toBeVisible();
  await other.bringToFront();
  await button(other, "Unfollow").click();
  await page.bringToFront();
  await expect(following.getByText("You follow nobody yet.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(button(page, "0 following")).toBeFocused();
  await other.bringToFront();
  await button(other, "Follow").click();
  await page.bringToFront();
  await button(page, "1 following").click();
  await following.getByRole("link", { name: ben.name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: ben.name })).toBeVisible();
  await expect(following).toHaveCount(0);

  await button(page, "Share Profile").click();
  await expect(ana.toast("Profile link copied to clipboard!")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
  });
  await button(page, "Share Profile").click();
  await expect(ana.toast(`Unable to copy link. Please copy manually: ${page.url()}`)).toBeVisible();
  await page.goto("/profile/7");
  await expect(page.getByText("User not found")).toBeVisible();
  await ana.leaves();
  await ben.leaves();
});

test("A user is found by the beginning of the name, in any case, with the keyboard only", async ({
  browser,
}) => {
  const tag = `${process.pid}`;
  const ana = await signUp(browser, `zora ${tag}`);
  const ben = await signUp(browser, `Zora ${tag} the Second`);
  const cleo = await signUp(browser, named("Cleo"), phoneSized);
  const { page } = cleo;
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Search" }).click();
  await expect(page.getByText("Who are you looking for?")).toBeVisible();
  const box = page.getByRole("searchbox", { name: "Search by name" });
  const results = page.getByRole("list", { name: "Results" });
  await box.fill(`ZORA ${tag}`);
  await expect(page.getByText("Nobody by that name.")).toBeVisible();
  await button(page, `Try "Zora ${tag}"`).click();
  await expect(box).toHaveValue(`Zora ${tag}`);
  await expect(box).toBeFocused();
  await expect(results.getByRole("link")).toHaveText([ben.name]);
  // The search in the other case.
  await box.fill(`Zora ${tag}x`);
  await button(page, `Try "zora ${tag}x"`).click();
  await expect(button(page, `Try "Zora ${tag}x"`)).toBeVisible();
  await box.fill(`zora ${tag}`);
  await expect(results.getByRole("link")).toHaveText([ana.name]);
  // A changed name, and a term that no name begins with.
  const next = `zora ${tag} with another name`;
  await ana.renames(next);
  await expect(results.getByRole("link")).toHaveText([next]);
  await box.fill(`Cleo`);
  await expect(results.getByRole("link", { name: cleo.name, exact: true })).toHaveCount(0);
  await box.press("Escape");
  await expect(box).toHaveValue("");
  await expect(page.getByText("Who are you looking for?")).toBeVisible();

  await box.pressSequentially("zora");
  await box.press("Enter");
  await expect(results.getByRole("link", { name: next })).toBeVisible();
  await box.press("ArrowDown");
  await expect(results.getByRole("link").first()).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(box).toBeFocused();
  await box.fill(next);
  await expect(results.getByRole("link")).toHaveText([next]);
  await box.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: next })).toBeVisible();
  await ana.leaves();
  await ben.leaves();
  await cleo.leaves();
});

test("d-u12: Ana finds her own posts by their words on her profile, where they stay live, and nobody else has the box", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"), phoneSized);
  const ben = await signUp(browser, named("Ben"));
  await ana.publishes("A heron by the lake.", { title: "Slow mornings" });
  await ana.publishes("The H\u00c9RONS are back.", { tag: "Lake" });
  await ana.publishes("Nothing but fog.");
  const other = await openOtherDevice(browser, ana);
  await other.goesToOwnProfile();
  await ana.goesToOwnProfile();
  const { page } = ana;
  const address = page.url();
  const box = page.getByRole("searchbox", { name: "Search your posts" });
  const posts = page.getByRole("list", { name: "Posts" }).getByRole("article");
  await expect(posts).toHaveCount(3);

  // With the keyboard alone, while it is typed.
  await box.focus();
  await page.keyboard.type("heron");
  await expect(posts).toHaveCount(2);
  await expect(posts.nth(0)).toContainText("The H\u00c9RONS are back.");
  await expect(posts.nth(1)).toContainText("A heron by the lake.");
  await page.keyboard.type(" lake slow");
  await expect(posts).toHaveCount(1);
  await page.keyboard.type("er");
  await expect(page.getByText("None of your posts has these words.", { exact: true }).first()).toBeVisible();
  await expect(page.getByRole("list", { name: "Posts" })).toHaveCount(0);
  await expect(box).toBeFocused();
  await checkScreen(page, "own-posts-none-found", box);
  await page.keyboard.press("Escape");
  await expect(box).toHaveValue("");
  await expect(posts).toHaveCount(3);

  // What another device does to a found post is seen, and so is an edit in its place.
  await box.fill("#lake");
  await expect(posts).toHaveCount(1);
  const card = other.page.getByRole("list", { name: "Posts" }).getByRole("article").nth(1);
  await card.getByRole("button", { name: "Edit", exact: true }).click();
  await card.getByRole("textbox", { name: "Text" }).fill("They left again.");
  await card.getByRole("button", { name: "Save" }).click();
  await expect(posts).toContainText("They left again.");
  await other.post("They left again.").getByRole("button", { name: "Delete", exact: true }).click();
  await other.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(posts).toHaveCount(0);
  await expect(page.getByText("Removed", { exact: true }).first()).toBeVisible();

  // The words are in no address, and in nothing that the browser keeps.
  await box.press("Enter");
  await expect(page.getByText("None of your posts has these words.", { exact: true }).first()).toBeVisible();
  expect(page.url()).toBe(address);
  const kept = await page.evaluate(() =>
    JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }]),
  );
  expect(kept).not.toContain("lake");

  // The key for Search leads to Search, although this screen has a box too.
  await box.fill("");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search by name" })).toBeFocused();

  await ben.goesTo(new URL(address).pathname);
  await expect(ben.post("A heron by the lake.")).toBeVisible();
  await expect(ben.page.getByRole("searchbox")).toHaveCount(0);
  for (const person of [ana, other, ben]) await person.leaves();
});

test("On a phone the name, the numbers, one row of buttons and the first post are on the first screen of a profile", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"), phoneSized);
  await ana.publishes("The kettle is on.");
  await ben.follows(ana.name);
  const { page } = ben;
  const box = async (of: Locator) => (await of.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  const row = ["Unfollow", "Add to Group", "Share Profile", "Profile menu"];
  const tops = await Promise.all(row.map(async (name) => (await box(button(page, name))).y));
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4);
  const post = await box(ben.post("The kettle is on."));
  const bar = await box(page.getByRole("navigation", { name: "Main" }));
  expect(post.y + post.height).toBeLessThanOrEqual(bar.y);

  await page.setViewportSize({ width: 320, height: 640 });
  for (const name of row) await expect(button(page, name)).toBeInViewport({ ratio: 1 });
  const narrow = await Promise.all(row.map(async (name) => (await box(button(page, name))).y));
  expect(Math.max(...narrow) - Math.min(...narrow)).toBeLessThan(4);
  for (const one of [ana, ben]) await one.leaves();
});

test("On a phone a menu above the bottom bar opens upwards, is whole, and closes when the page is scrolled", async ({
  browser,
}) => {
  const ana = await signUp(browser, "Anastasia of the very long and winding Ice House");
  const ben = await signUp(browser, named("Ben"), { viewport: { width: 320, height: 640 } });
  for (const text of ["Which pier was it?", "The kettle is on.", "Bread at noon."]) await ana.publishes(text);
  await ben.follows(ana.name);
  await ben.goesHome();
  const { page } = ben;
  const post = ben.post("The kettle is on.");
  const box = async (of: Locator) => (await of.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  const bar = await box(page.getByRole("navigation", { name: "Main" }));
  const menuButton = post.getByRole("button", { name: "Post menu" });
  const placeAboveBar = () =>
    menuButton.evaluate((it, end) => {
      window.scrollBy({ top: it.getBoundingClientRect().bottom - end, behavior: "instant" });
    }, bar.y - 24);
  // A toast stands above the bar for a while.
  await expect(ben.toast("Following successfully")).toHaveCount(0);
  await placeAboveBar();
  await menuButton.click();
  const items = page.getByRole("menuitem");
  await expect(items).toHaveCount(4);
  const menu = await box(page.getByRole("menu"));
  const place = await box(menuButton);
  expect(place.y + place.height).toBeGreaterThan(bar.y - 40);
  expect(menu.y + menu.height).toBeLessThanOrEqual(place.y);
  expect(menu.x).toBeGreaterThanOrEqual(0);
  expect(menu.x + menu.width).toBeLessThanOrEqual(320);
  for (const icon of await items.locator("svg").all()) expect((await box(icon)).width).toBe(20);

  await page.mouse.move(10, place.y);
  await page.mouse.wheel(0, 200);
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(menuButton).toBeFocused();

  await placeAboveBar();
  await menuButton.click();
  await page.getByRole("menuitem", { name: "Block" }).click();
  await button(page, "Block").click();
  await expect(ben.toast("User blocked")).toBeVisible();
  for (const one of [ana, ben]) await one.leaves();
});
