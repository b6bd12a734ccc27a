// Writing a post: its text is never lost, its pictures are uploaded, and it is created once.

import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

import { type Page, expect, test } from "@playwright/test";

import { drawn, heavy } from "./drawn";
import { InterceptedConnection, killed } from "./connection";
import { checkScreen } from "./checkScreen";
import { named, signUp } from "./people";
import { SECRET, filesWith, withSecrets } from "./secrets";

// A trace would fetch the previews of pictures. The content policy forbids this, and the console would show
// an error.
test.use({ trace: "off" });

const jpeg = (name: string, buffer: Buffer) => ({ name, mimeType: "image/jpeg", buffer });
const field = (page: Page, name: string) => page.getByRole("textbox", { name });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const items = (page: Page) => page.getByRole("list", { name: "Chosen pictures" }).getByRole("listitem");
const progress = (page: Page) => page.getByRole("progressbar", { name: "Posting" });
const restored = (page: Page) => page.getByRole("region", { name: "Restored draft" });

/** Waits until the browser keeps a draft with these words, and this many pictures. */
async function isKept(page: Page, words: string, pictures: number): Promise<void> {
  const kept = () =>
    page.evaluate(async (text) => {
      const drafts = Object.entries(localStorage).filter(([key]) => key.startsWith("mellow.draft."));
      if (!drafts.some(([, draft]) => String(draft).includes(text))) return -1;
      const opening = indexedDB.open("mellow-drafts");
      const database = await new Promise<IDBDatabase | null>((resolve) => {
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => resolve(null);
        // The app has not made the database yet, and must make it itself.
        opening.onupgradeneeded = () => opening.transaction?.abort();
      });
      if (database === null) return 0;
      const counting = database.transaction("pictures").objectStore("pictures").count();
      const count = await new Promise<number>((resolve) => {
        counting.onsuccess = () => resolve(counting.result);
      });
      database.close();
      return count;
    }, words);
  await expect.poll(kept).toBe(pictures);
}

/** Notes each value of the progress bar from now on. Returns a function that reads them. */
async function progressOf(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const held = window as Window & { percents?: number[] };
    const percents = (held.percents = [] as number[]);
    new MutationObserver(() => {
      const now = document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow");
      if (typeof now === "string" && percents.at(-1) !== Number(now)) percents.push(Number(now));
    }).observe(document.body, { subtree: true, childList: true, attributeFilter: ["aria-valuenow"] });
  });
  return () => page.evaluate(() => (window as Window & { percents?: number[] }).percents ?? []);
}

const asked = (page: Page) => page.getByRole("alertdialog", { name: "Not Posted" });

const hex = (bytes: unknown) => Buffer.from(bytes as ArrayBuffer).toString("hex");

async function composes(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await expect(field(page, "Text")).toBeVisible();
}

test("A follower sees a new post with its pictures and their descriptions", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await ben.goesHome();
  const { page } = ana;
  await composes(page);
  await field(page, "Text").fill("Walked to the harbour before work.");
  const pictures = page.getByLabel("Add pictures");
  await pictures.setInputFiles([
    jpeg("harbour.jpg", await drawn(browser, "harbour")),
    jpeg("bread.jpg", await drawn(browser, "bread")),
    jpeg("plums.jpg", await drawn(browser, "plums")),
  ]);
  await expect(items(page)).toHaveCount(3);
  await field(page, "Description of picture 1").fill("A chair facing the water.");
  await field(page, "Description of picture 3").fill("Four plums.");
  await button(page, "Move picture 3 earlier").click();
  await expect(field(page, "Description of picture 2")).toHaveValue("Four plums.");
  await expect(button(page, "Move picture 2 earlier")).toBeFocused();

  // The question about descriptions is asked once.
  await button(page, "Share Post").click();
  const reminder = page.getByRole("alertdialog", { name: /^No description/ });
  await expect(reminder).toContainText("One picture has no description.");
  await reminder.getByRole("button", { name: "Add one" }).click();
  await expect(field(page, "Description of picture 3")).toBeFocused();
  await button(page, "Share Post").click();
  await reminder.getByRole("button", { name: "Post anyway" }).click();
  await expect(ana.post("Walked to the harbour")).toBeVisible();
  await expect(page).toHaveURL(/\/$/);

  await ben.page.getByRole("button", { name: "1 new post" }).click();
  const card = ben.post("Walked to the harbour");
  await expect(
    card.getByRole("button", { name: "Open picture 1 of 3: A chair facing the water." }),
  ).toBeVisible();
  await expect(card.getByRole("button", { name: "Open picture 2 of 3: Four plums." })).toBeAttached();
  await expect(card.getByRole("button", { name: "Open picture 3 of 3", exact: true })).toBeAttached();
  await ana.leaves();
  await ben.leaves();
});

test("Photographs of several megabytes are uploaded despite three lost connections, as one post without metadata", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const connection = await InterceptedConnection.of(page);
  await composes(page);
  const [one, two] = [withSecrets(await heavy(page, 1)), withSecrets(await heavy(page, 2))];
  expect(one.length + two.length).toBeGreaterThan(4_000_000);
  await page.getByLabel("Add pictures").setInputFiles([jpeg("one.jpg", one), jpeg("two.jpg", two)]);
  await field(page, "Description of picture 1").fill("Noise.");
  await field(page, "Description of picture 2").fill("More noise.");
  await field(page, "Text").fill("Through three tunnels");
  const percents = await progressOf(page);
  let chunks = 0;
  connection.out = ({ op }) => {
    if (op !== "uploads.chunk") return true;
    chunks += 1;
    // The connection is lost three times.
    if (chunks % 12 === 6 && chunks < 40) void connection.cut();
    return true;
  };
  await button(page, "Share Post").click();
  await expect(page).toHaveURL(/\/$/u, { timeout: 90_000 });
  const seen = await percents();
  expect(seen.filter((percent) => percent > 0 && percent < 80).length).toBeGreaterThan(2);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  const card = ana.post("Through three tunnels");
  await expect(card).toHaveCount(1);
  await expect(card.getByRole("button", { name: "Open picture 1 of 2: Noise." })).toBeVisible();
  // The upload continued each time, and only few bytes were sent twice.
  const sent = connection.asked.filter(({ op }) => op === "uploads.chunk");
  const bytes = sent.reduce((sum, { bytes }) => sum + (bytes as ArrayBuffer).byteLength, 0);
  expect(bytes).toBeLessThan(one.length + two.length + 3 * 5 * 64 * 1024);
  expect(connection.asked.filter(({ op }) => op === "uploads.begin").length).toBeGreaterThanOrEqual(4);
  expect(
    new Set(connection.asked.filter(({ op }) => op === "posts.create").map(({ key }) => hex(key))).size,
  ).toBe(1);
  await ana.page.reload();
  await ana.goesHome();
  await expect(ana.post("Through three tunnels")).toHaveCount(1);
  // Pictures keep their orientation and order, and their metadata is stored nowhere.
  for (const name of ["Noise.", "More noise."]) {
    const picture = card.getByRole("img", { name, exact: true });
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalHeight / image.naturalWidth))
      .toBeCloseTo(4 / 3, 1);
  }
  const data = process.env["E2E_DATA"] ?? "";
  expect(filesWith(join(data, "media", "posts"), ["JFIF"]).length).toBeGreaterThanOrEqual(4);
  expect(filesWith(data, [SECRET])).toEqual([]);
  expect(filesWith(join(data, "media"), ["Exif", "ns.adobe.com"])).toEqual([]);
  await page.context().close();
});

test("Files that are too large, too many or no pictures are refused with a reason, and the others are accepted", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await composes(page);
  const plums = await drawn(browser, "plums", [80, 80]);
  const pictures = page.getByLabel("Add pictures");
  const alert = page.getByRole("main").getByRole("alert");
  await pictures.setInputFiles(jpeg("huge.jpg", Buffer.concat([plums, Buffer.alloc(10 * 1024 * 1024)])));
  await expect(alert).toHaveText("Image huge.jpg is too large. Maximum size is 10MB");
  await pictures.setInputFiles([
    { name: "holiday.jpg", mimeType: "image/jpeg", buffer: Buffer.from("milk, bread, plums") },
    jpeg("plums.jpg", plums),
  ]);
  await expect(alert).toHaveText("holiday.jpg is not a valid image file");
  await expect(items(page)).toHaveCount(1);
  // The file begins like a picture but is none.
  await pictures.setInputFiles(jpeg("torn.jpg", Buffer.concat([plums.subarray(0, 20), Buffer.alloc(2_000)])));
  await expect(alert).toHaveText("torn.jpg is not a valid image file");
  await expect(items(page)).toHaveCount(1);
  await pictures.setInputFiles(["2", "3", "4", "5"].map((name) => jpeg(`${name}.jpg`, plums)));
  await expect(alert).toHaveText("You can only upload up to 4 images per post");
  await expect(items(page)).toHaveCount(4);
  await expect(pictures).toHaveAttribute("aria-invalid", "true");
  await button(page, "Remove picture 4").click();
  await expect(alert).toHaveCount(0);
  await expect(button(page, "Remove picture 3")).toBeFocused();

  // A format that the browser can draw and the server does not accept is sent as a JPEG. The name stays.
  const avif =
    "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A=";
  await pictures.setInputFiles({
    name: "small.avif",
    mimeType: "image/avif",
    buffer: Buffer.from(avif, "base64"),
  });
  await expect(items(page)).toHaveCount(4);
  await field(page, "Text").fill("Of all kinds");
  await button(page, "Share Post").click();
  await button(page, "Post anyway").click();
  await expect(ana.post("Of all kinds").getByRole("button", { name: "Open picture 4 of 4" })).toBeAttached();
  await ana.leaves();
});

/** A white PNG. */
function blank(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    const body = Buffer.concat([Buffer.from(name), data]);
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits of grey.
  head[8] = 8;
  // Each row begins with its filter, which is none.
  const row = Buffer.alloc(width + 1, 255).fill(0, 0, 1);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

test("A panorama with too many pixels is scaled down and posted", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await composes(page);
  await page
    .getByLabel("Add pictures")
    .setInputFiles({ name: "panorama.png", mimeType: "image/png", buffer: blank(12_001, 600) });
  await expect(items(page)).toHaveCount(1);
  await field(page, "Text").fill("The whole bay");
  await button(page, "Share Post").click();
  await button(page, "Post anyway").click();
  await expect(ana.post("The whole bay").getByRole("button", { name: /^Open picture/u })).toBeAttached();
  await ana.leaves();
});

test("If one picture fails, only that one is sent again", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const connection = await InterceptedConnection.of(page);
  await composes(page);
  await field(page, "Text").fill("Three of a kind");
  const names = ["harbour", "bread", "plums"] as const;
  await page
    .getByLabel("Add pictures")
    .setInputFiles(
      await Promise.all(names.map(async (name) => jpeg(`${name}.jpg`, await drawn(browser, name)))),
    );
  for (const [at, name] of names.entries())
    await field(page, `Description of picture ${at + 1}`).fill(`It is ${name}`);
  let commits = 0;
  connection.out = (request) => {
    if (request.op !== "uploads.commit") return true;
    commits += 1;
    if (commits !== 2) return true;
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
  await button(page, "Share Post").click();
  const failed = items(page).nth(1);
  await expect(failed.getByRole("alert")).toHaveText("The disk here is full. Nothing was saved.");
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(1);
  await expect(progress(page)).toHaveCount(0);
  await expect(field(page, "Text")).toHaveValue("Three of a kind");
  await expect(field(page, "Description of picture 2")).toHaveValue("It is bread");
  expect(connection.asked.some(({ op }) => op === "posts.create")).toBe(false);
  await expect(button(page, "Try picture 2 again")).toBeFocused();
  const before = connection.asked.length;
  await button(page, "Try picture 2 again").click();
  await expect(
    ana.post("Three of a kind").getByRole("button", { name: "Open picture 2 of 3: It is bread" }),
  ).toBeAttached();
  const again = connection.asked.slice(before).filter(({ op }) => op?.startsWith("uploads."));
  expect(new Set(again.map(({ upload }) => hex(upload))).size).toBe(1);
  await page.context().close();
});

test("A draft is restored after the tab was killed, and another user never sees it", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  let { page } = ana;
  await composes(page);
  await page
    .getByLabel("Add pictures")
    .setInputFiles([
      jpeg("plums.jpg", await drawn(browser, "plums")),
      jpeg("bread.jpg", await drawn(browser, "bread")),
    ]);
  await field(page, "Description of picture 2").fill("A loaf of bread.");
  await field(page, "Title").fill("On keeping");
  await field(page, "Text").fill("half a thought");
  await field(page, "Tag").fill("Slow Mornings");
  await isKept(page, "Slow Mornings", 2);

  page = await killed(page);
  await page.goto("/create-post?tag=tea");
  await expect(restored(page)).toBeVisible();
  await expect(field(page, "Title")).toHaveValue("On keeping");
  await expect(field(page, "Text")).toHaveValue("half a thought");
  await expect(field(page, "Tag")).toHaveValue("Slow Mornings");
  await expect(items(page)).toHaveCount(2);
  await expect(field(page, "Description of picture 2")).toHaveValue("A loaf of bread.");
  await expect
    .poll(() =>
      items(page)
        .nth(0)
        .locator("img")
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    )
    .toBe(1_200);
  await expect(restored(page).getByRole("button", { name: "Start fresh with #tea" })).toBeVisible();

  // Logging out asks about the draft once. A kept draft is restored after the next log-in.
  await button(page, "Account menu").click();
  await page.getByRole("menuitem", { name: "Log Out" }).click();
  await asked(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  const logsIn = async (who: typeof ana) => {
    await page.goto("/login?next=/create-post");
    await field(page, "Email").fill(who.email);
    await page.getByLabel("Password", { exact: true }).fill(who.password);
    await page.getByRole("main").getByRole("button", { name: "Log In" }).click();
    await expect(field(page, "Text")).toBeVisible();
  };
  await logsIn(ben);
  await expect(field(page, "Text")).toHaveValue("");
  await expect(restored(page)).toHaveCount(0);
  await button(page, "Account menu").click();
  await page.getByRole("menuitem", { name: "Log Out" }).click();
  await expect(page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  await logsIn(ana);
  await expect(field(page, "Text")).toHaveValue("half a thought");

  // Logging out asks on other pages too. A discarded draft is deleted.
  await page.goto("/");
  await button(page, "Account menu").click();
  await page.getByRole("menuitem", { name: "Log Out" }).click();
  await asked(page).getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  await logsIn(ana);
  await expect(field(page, "Text")).toHaveValue("");
  await expect(restored(page)).toHaveCount(0);
  await page.context().close();
  await ben.leaves();
});

test("d-r4: a post whose tab was killed before the reply is stored once, without another press", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const connection = await InterceptedConnection.of(ana.page);
  await composes(ana.page);
  await ana.page.getByLabel("Add pictures").setInputFiles(jpeg("plums.jpg", await drawn(browser, "plums")));
  await field(ana.page, "Description of picture 1").fill("Four plums.");
  await field(ana.page, "Text").fill("Said once");
  const stands = new Promise<void>((resolve) => {
    connection.in = (request) => {
      if (request?.op !== "posts.create") return true;
      resolve();
      return false;
    };
  });
  await button(ana.page, "Share Post").click();
  await stands;
  const page = await killed(ana.page);
  await page.goto("/create-post");
  await expect(button(page, "Share Post")).toBeVisible();
  await expect(field(page, "Text")).toHaveValue("");
  await expect(items(page)).toHaveCount(0);
  await expect(restored(page)).toHaveCount(0);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
  const post = page.getByRole("article").filter({ hasText: "Said once" });
  await expect(post.getByRole("button", { name: "Open picture 1 of 1: Four plums." })).toBeAttached();
  await expect(post).toHaveCount(1);
  await page.reload();
  await expect(post).toHaveCount(1);
  await page.context().close();
});

test("Only one tab edits a draft at a time, and the text moves from one tab to the other", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page: first } = ana;
  await composes(first);
  await first.getByLabel("Add pictures").setInputFiles(jpeg("plums.jpg", await drawn(browser, "plums")));
  await field(first, "Text").fill("half a thought");
  await isKept(first, "half a thought", 1);

  const second = await first.context().newPage();
  await second.goto("/create-post");
  await expect(second.getByText("You're writing this in another tab.")).toBeVisible();
  await expect(field(second, "Text")).toHaveCount(0);
  await field(first, "Text").fill("half a thought, and the other half");
  await button(second, "Continue here").click();
  await expect(field(second, "Text")).toHaveValue("half a thought, and the other half");
  await expect(items(second)).toHaveCount(1);
  await expect(first.getByText("You're writing this in another tab.")).toBeVisible();
  await expect(first.getByText("half a thought, and the other half")).toBeVisible();

  await field(second, "Text").fill("whole");
  await button(first, "Continue here").click();
  await expect(field(first, "Text")).toHaveValue("whole");
  await expect(second.getByText("You're writing this in another tab.")).toBeVisible();
  // The tab with the draft posts. The other tab then has an empty composer.
  await field(first, "Description of picture 1").fill("Four plums.");
  await button(first, "Share Post").click();
  await expect(ana.post("whole")).toBeVisible();
  await expect(field(second, "Text")).toHaveValue("");
  await expect(restored(second)).toHaveCount(0);
  await ana.leaves();
});

test("Leaving an unsent post always asks first", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const main = page.getByRole("navigation", { name: "Main" });
  await ana.goesHome();
  await main.getByRole("link", { name: "Search" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Search" })).toBeVisible();
  await composes(page);
  // An empty post is left without a question.
  await page.goBack();
  await expect(page).toHaveURL(/\/search$/);
  await page.goForward();
  await expect(page).toHaveURL(/\/create-post$/);
  await main.getByRole("link", { name: "Search" }).click();
  await page.goBack();
  await field(page, "Text").fill("half a thought");

  const ways: [string, () => Promise<unknown>, RegExp][] = [
    ["a link", () => page.getByRole("link", { name: "Mellow" }).click(), /\/$/],
    ["the bottom bar", () => main.getByRole("link", { name: "Search" }).click(), /\/search$/],
    ["Cancel", () => button(page, "Cancel").click(), /\/$/],
    ["Back", () => page.goBack(), /\/search$/],
    ["Forward", () => page.goForward(), /\/search$/],
    ["Back by two", () => page.evaluate(() => history.go(-2)), /\/$/],
  ];
  for (const [way, leave] of ways) {
    await leave();
    await expect(asked(page), way).toBeVisible();
    await expect(page, way).toHaveURL(/\/create-post$/);
    await asked(page).getByRole("button", { name: "Cancel" }).click();
    await expect(asked(page)).toHaveCount(0);
    await expect(field(page, "Text"), way).toHaveValue("half a thought");
  }
  // Escape stays too. After Save, Back leads to the same text at the same place in the history.
  for (const [way, leave, to] of ways.slice(3)) {
    await leave();
    await expect(asked(page), way).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(asked(page), way).toHaveCount(0);
    await leave();
    await asked(page).getByRole("button", { name: "Save" }).click();
    await expect(page, way).toHaveURL(to);
    await expect(field(page, "Text"), way).toHaveCount(0);
    await page.evaluate((steps) => history.go(steps), way === "Back" ? 1 : way === "Forward" ? -1 : 2);
    await expect(page, way).toHaveURL(/\/create-post$/);
    await expect(restored(page), way).toBeVisible();
    await expect(field(page, "Text"), way).toHaveValue("half a thought");
  }
  // The same for Log Out and for closing the tab.
  await button(page, "Account menu").click();
  await page.getByRole("menuitem", { name: "Log Out" }).click();
  await asked(page).getByRole("button", { name: "Cancel" }).click();
  await expect(field(page, "Text")).toHaveValue("half a thought");
  const closing = page.waitForEvent("dialog");
  const reloading = page.reload().catch(() => undefined);
  const dialog = await closing;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await reloading;
  await expect(field(page, "Text")).toHaveValue("half a thought");

  // After Discard nothing is left.
  await button(page, "Cancel").click();
  await asked(page).getByRole("button", { name: "Discard" }).click();
  await expect(page).toHaveURL(/\/$/);
  await composes(page);
  await expect(field(page, "Text")).toHaveValue("");
  await expect(restored(page)).toHaveCount(0);
  await ana.leaves();
});

test("The composer passes axe and fits in every state, on a phone and a desktop, in light and dark", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const connection = await InterceptedConnection.of(page);
  await composes(page);
  await checkScreen(page, "composing");
  await field(page, "Text").fill(
    "Walked to the harbour before work. Somebody had left a chair facing the water. I sat in it for as long as one coffee lasts.",
  );
  await field(page, "Tag").fill("Slow Mornings");
  const long = "The picture that somebody took at the harbour before work, with the chair, second try.jpg";
  const three = [
    jpeg("harbour.jpg", await drawn(browser, "harbour")),
    jpeg(long, await drawn(browser, "bread")),
    jpeg("plums.jpg", await drawn(browser, "plums")),
  ];
  await page.getByLabel("Add pictures").setInputFiles(three);
  await field(page, "Description of picture 1").fill("A chair facing the water.");
  await checkScreen(page, "composing-pictures");
  await page
    .getByLabel("Add pictures")
    .setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("milk") }, ...three]);
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(2);
  await checkScreen(page, "composing-refused");
  await button(page, "Remove picture 4").click();
  await button(page, "Share Post").click();
  await expect(page.getByRole("alertdialog", { name: /^No description/ })).toBeVisible();
  await checkScreen(page, "composing-no-description");

  connection.out = (request) => {
    if (request.op !== "uploads.commit") return true;
    const isSecond = connection.asked.filter(({ op }) => op === "uploads.commit").length === 2;
    if (isSecond)
      connection.answer(request, {
        err: {
          code: "storage_full",
          why: "storage_full",
          values: {},
          message: `${long} found no room: Mellow is full.`,
          field: null,
          retry_ms: null,
        },
      });
    return false;
  };
  await button(page, "Post anyway").click();
  await expect(button(page, "Try picture 2 again")).toBeVisible();
  await checkScreen(page, "composing-sending");
  await button(page, "Cancel").click();
  await expect(asked(page)).toBeVisible();
  await checkScreen(page, "composing-leaving");
  await asked(page).getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.goto("/create-post?tag=tea%20and%20bread");
  await expect(restored(page)).toBeVisible();
  await checkScreen(page, "composing-restored");

  const second = await page.context().newPage();
  await second.goto("/create-post");
  await expect(button(second, "Continue here")).toBeVisible();
  await checkScreen(second, "composing-elsewhere");
  await restored(page).getByRole("button", { name: "Delete" }).click();
  await expect(button(page, "Undo")).toBeFocused();
  await checkScreen(page, "composing-deleted");
  await page.context().close();
});
