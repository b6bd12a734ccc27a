// Without a network: what is shown, what is sent later, and what a new build does not change.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Browser, type BrowserContext, type Page, expect, test } from "@playwright/test";
import { createCodec, decode, encode } from "msgpack-lite";

import { killed } from "./connection";
import { checkScreen } from "./checkScreen";
import { drawn } from "./drawn";
import { Person, named, signUp } from "./people";
import { RestartableServer } from "./restartableServer";
import { posted, signedUp } from "./wire";

const codec = createCodec({ binarraybuffer: true });
const connection = (page: Page) => page.getByRole("status", { name: "Connection" });
const OFFLINE = "You're offline. What you see may be old.";
const SAVED = "Saved. It will go out when you're back online.";
/** Requests are repeated after a pause when the network returns, so these expectations wait longer. */
const AGAIN = { timeout: 60_000 };

/** Returns the names in this browser's database and text storage, and the values of the text storage. */
const keptIn = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const open = indexedDB.open("mellow-kept");
      open.onsuccess = () => resolve(open.result);
      open.onerror = () => reject(open.error);
    });
    if (!database.objectStoreNames.contains("things")) {
      database.close();
      return [];
    }
    const keys = await new Promise<IDBValidKey[]>((resolve, reject) => {
      const all = database.transaction("things").objectStore("things").getAllKeys();
      all.onsuccess = () => resolve(all.result);
      all.onerror = () => reject(all.error);
    });
    database.close();
    return [...keys.map(String), ...Object.entries(localStorage).flat()];
  });

const unsentIn = async (page: Page) =>
  (await keptIn(page)).filter((name) => name.includes("/unsent/")).length;

/** Makes the page offline and cuts its socket, which the browser's offline mode does not do. */
async function cable(page: Page): Promise<() => Promise<void>> {
  let cut = async (): Promise<void> => undefined;
  await page.routeWebSocket(/\/ws$/, (route) => {
    const server = route.connectToServer();
    cut = async () => {
      await route.close({ code: 4100 });
      await server.close({ code: 4100 });
    };
  });
  return async () => {
    await page.context().setOffline(true);
    await cut();
    await expect(connection(page)).toHaveText(OFFLINE, AGAIN);
  };
}

/** Starts a browser with a folder that stays after the browser is closed. */
function started(browser: Browser, folder: string, offline = false): Promise<BrowserContext> {
  const { baseURL, launchOptions } = test.info().project.use;
  return browser.browserType().launchPersistentContext(folder, { ...launchOptions, baseURL, offline });
}

/** Signs a user up in this page. */
async function signedUpIn(page: Page, name: string): Promise<Person> {
  const email = `${name.toLowerCase().replace(/[^a-z0-9]/g, "")}@example.com`;
  const person = new Person(name, email, "kettle on the stove", page, []);
  await page.goto("/metrics");
  person.id = await signedUp(page, person);
  await page.goto("/");
  return person;
}

/**
 * Returns Ana, Ben and a function that cuts Ben's connection. Ben's browser keeps the posts of Ana that he
 * has read.
 */
async function readers(
  browser: Browser,
  texts: string[],
  bens?: Page,
): Promise<[Person, Person, () => Promise<void>]> {
  const ana = await signUp(browser, named("Ana"));
  const ben = await (bens ? signedUpIn(bens, named("Ben")) : signUp(browser, named("Ben")));
  await ben.follows(ana.name);
  for (const text of texts) await posted(ana.page, text);
  const goOffline = await cable(ben.page);
  await ben.page.goto("/");
  for (const text of texts) await expect(ben.post(text)).toBeVisible();
  await isKept(ben.page);
  await expect.poll(() => keptIn(ben.page)).toContain(`${ben.id}/feed`);
  return [ana, ben, goOffline];
}

/** Returns the same user with another tab of the browser. */
const anew = ({ name, email, password }: Person, page: Page) => new Person(name, email, password, page, []);

/** Waits until this browser could open Mellow without a network. */
async function isKept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
}

test("d-r1: Mellow can be installed, and its worker keeps the app's files and no data of users", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]");
    return (await (await fetch(link?.href ?? "")).json()) as Record<string, unknown>;
  });
  expect(manifest).toMatchObject({
    name: "Mellow",
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
  });
  expect(manifest["icons"]).toMatchObject([
    { sizes: "192x192", type: "image/png" },
    { sizes: "512x512", type: "image/png" },
    { sizes: "512x512", type: "image/png", purpose: "maskable" },
  ]);
  await posted(page, "The kettle is on.");
  await isKept(page);
  await page.goto("/");
  await expect(ana.post("The kettle is on.")).toBeVisible();
  const kept = await page.evaluate(async () => {
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    const requests = (await Promise.all(caches.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => new URL(url).pathname);
  });
  expect(kept).toContain("/");
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.filter((path) => !/^\/(?:assets\/|icons\/|favicon|manifest|$)/.test(path))).toEqual([]);
  await ana.leaves();
});

test("d-u8: the kept Your Space covers a post with a content note, and shows it without a network", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  await posted(ana.page, "We buried her by the sea.", [], { content_note: "Grief, a funeral" });
  await ben.page.goto("/");
  const card = ben.page.getByRole("article", { name: `Post by ${ana.name}` });
  const show = card.getByRole("button", { name: "Show post" });
  await expect(show).toBeVisible();
  await isKept(ben.page);
  await expect.poll(() => keptIn(ben.page)).toContain(`${ben.id}/feed`);
  await ben.page.context().setOffline(true);
  await ben.page.goto("/");
  await expect(card.getByText("Grief, a funeral")).toBeVisible();
  await expect(card.getByText("We buried her by the sea.")).toHaveCount(0);
  await show.click();
  await expect(card.getByText("We buried her by the sea.")).toBeVisible();
  await ben.page.context().close();
  await ana.leaves();
});

test("d-r2, d-r3: without a network the kept Your Space is shown, and it becomes live without a reload", async ({
  browser,
}) => {
  const [ana, ben] = await readers(browser, ["The kettle is on."]);
  const context = ben.page.context();
  await context.setOffline(true);
  await ben.page.goto("/");
  const card = ben.post("The kettle is on.");
  await expect(card).toBeVisible();
  await expect(ben.page.getByText(/^Saved .+\. It will update when you're back online\.$/)).toBeVisible();
  await expect(connection(ben.page)).toHaveText(OFFLINE);
  await expect(card.getByRole("button", { name: "Positive Vibes" })).toBeDisabled();
  await expect(card.getByRole("textbox", { name: "Write a comment" })).toBeDisabled();

  await checkScreen(ben.page, "kept-feed");

  await ben.page.goto("/search");
  await expect(ben.page.getByRole("heading", { level: 1, name: "You're offline" })).toBeVisible();
  await checkScreen(ben.page, "offline");
  await ben.page.getByRole("main").getByRole("link", { name: "Back to Home" }).click();
  await expect(card).toBeVisible();

  // A post can be written without a network.
  await ben.page.goto("/create-post");
  await ben.page.getByRole("textbox", { name: "Text" }).fill("Written in the tunnel.");
  await ben.page.getByRole("button", { name: "Share Post" }).click();
  await expect(ben.page.getByRole("main").getByText(SAVED)).toBeVisible();
  await ben.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
  await expect(card).toBeVisible();

  await posted(ana.page, "Tea is ready.");
  await ben.page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await context.setOffline(false);
  await expect(ben.post("Tea is ready.")).toBeVisible(AGAIN);
  await expect(ben.post("Written in the tunnel.")).toHaveCount(1);
  await expect(card.getByRole("button", { name: "Positive Vibes" })).toBeEnabled();
  await expect(connection(ben.page)).toHaveText("Live");
  expect(await ben.page.evaluate(() => "isSamePage" in window)).toBe(true);
  await ana.leaves();
  await context.close();
});

test("d-r4: requests without a network are sent once, in order, after the browser was closed and started again", async ({
  browser,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "mellow-browser-"));
  const before = await started(browser, folder);
  const texts = ["The kettle is on.", "The bread is cut."];
  const [ana, ben, goOffline] = await readers(browser, texts, await before.newPage());
  await goOffline();
  await ben.post("The kettle is on.").getByRole("button", { name: "Positive Vibes" }).click();
  for (const [post, words] of [
    ["The kettle is on.", "Two sugars."],
    ["The bread is cut.", "One slice."],
  ] as const) {
    await ben.post(post).getByRole("textbox", { name: "Write a comment" }).fill(words);
    await ben.post(post).getByRole("button", { name: "Post Comment" }).click();
    await expect(
      ben.post(post).getByRole("listitem").filter({ hasText: words }).getByText(SAVED),
    ).toBeVisible();
  }
  await ben.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await ben.page.getByRole("textbox", { name: "Text" }).fill("Written in the tunnel.");
  await ben.page.getByRole("button", { name: "Share Post" }).click();
  await expect(ben.page.getByRole("main").getByText(SAVED)).toBeVisible();
  await expect.poll(() => unsentIn(ben.page)).toBe(4);
  await before.close();

  const context = await started(browser, folder, true);
  const page = await context.newPage();
  const sent: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      const { op, key } = decode(Buffer.from(payload), { codec }) as { op: string; key?: unknown };
      if (key !== undefined) sent.push(op);
    }),
  );
  await page.goto("/");
  const vote = page.getByRole("article").filter({ hasText: "The kettle is on." });
  await expect(vote.getByRole("button", { name: "Positive Vibes" })).toHaveAttribute("aria-pressed", "true");
  await context.setOffline(false);
  const commentOn = (post: string, words: string) =>
    page
      .getByRole("article")
      .filter({ hasText: post })
      .getByRole("list", { name: "Comments" })
      .getByRole("listitem")
      .filter({ hasText: words });
  await expect(page.getByRole("article").filter({ hasText: "Written in the tunnel." })).toHaveCount(1, AGAIN);
  await expect.poll(() => unsentIn(page)).toBe(0);
  await expect(commentOn("The kettle is on.", "Two sugars.")).toHaveCount(1);
  await expect(commentOn("The bread is cut.", "One slice.")).toHaveCount(1);
  expect(sent).toEqual(["votes.set", "comments.create", "comments.create", "posts.create"]);
  // The draft of the post was deleted with it.
  await page.goto("/create-post");
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("");

  await ana.page.goto("/");
  await expect(
    ana.post("The kettle is on.").getByRole("list", { name: "Comments" }).getByText("Two sugars."),
  ).toHaveCount(1);
  await page.goto("/");
  await expect(vote.getByRole("button", { name: "Positive Vibes" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("article").filter({ hasText: "Written in the tunnel." })).toHaveCount(1);
  await ana.leaves();
  await context.close();
});

test("d-r4: a post with a picture that was shared without a network is sent once after the browser was closed", async ({
  browser,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "mellow-browser-"));
  const before = await started(browser, folder);
  const [ana, ben, goOffline] = await readers(browser, ["The kettle is on."], await before.newPage());
  await ana.follows(ben.name);
  await ana.goesHome();
  await ben.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await ben.page.getByRole("textbox", { name: "Text" }).fill("By the harbour.");
  const picture = { name: "harbour.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "harbour") };
  await ben.page.getByLabel("Add pictures").setInputFiles(picture);
  await ben.page.getByRole("textbox", { name: "Description of picture 1" }).fill("A harbour.");
  await goOffline();
  await ben.page.getByRole("button", { name: "Share Post" }).click();
  await expect(ben.page.getByRole("main").getByText("It goes on when you're back online.")).toBeVisible(
    AGAIN,
  );
  await before.close();

  // He opens home, not the composer.
  const context = await started(browser, folder);
  const page = await context.newPage();
  await page.goto("/");
  const out = (where: Page) =>
    where
      .getByRole("article")
      .filter({ hasText: "By the harbour." })
      .getByRole("img", { name: "A harbour." });
  await expect(out(page)).toHaveCount(1, AGAIN);
  await ana.page.getByRole("button", { name: "1 new post" }).click();
  await expect(out(ana.page)).toHaveCount(1);
  await page.goto("/create-post");
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("");
  await page.goto("/");
  await expect(out(page)).toHaveCount(1);
  await ana.leaves();
  await context.close();
});

test("d-r4: a post that is kept without a network says that one may leave, and its note covers no control", async ({
  browser,
}) => {
  const [ana, ben, goOffline] = await readers(browser, ["The kettle is on."]);
  const { page } = ben;
  await page.setViewportSize({ width: 390, height: 844 });
  const nav = page.getByRole("navigation", { name: "Main" });
  await nav.getByRole("link", { name: "Post" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("Written in the tunnel.");
  await goOffline();
  await page.getByRole("button", { name: "Share Post" }).click();
  await expect(page.getByRole("main").getByText(SAVED)).toBeVisible();
  await expect(page.getByText("You can leave this page.")).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  for (const control of [
    page.getByRole("button", { name: "Cancel" }),
    page.getByRole("button", { name: "Share Post" }),
    page.getByRole("button", { name: "Try now" }),
    ...(await nav.getByRole("link").all()),
  ]) {
    const isOnTop = await control.evaluate((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      const corners = [0.1, 0.9].flatMap((x) => [0.1, 0.9].map((y) => [x, y] as const));
      return corners.every(([x, y]) =>
        one.contains(document.elementFromPoint(left + width * x, top + height * y)),
      );
    });
    expect(isOnTop, String(control)).toBe(true);
  }
  await nav.getByRole("link", { name: "Home" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await page.context().setOffline(false);
  await expect(ben.post("Written in the tunnel.")).toHaveCount(1, AGAIN);
  await ana.leaves();
  await page.context().close();
});

test("d-r5: a comment on a post that was deleted meanwhile waits under Not sent, and Log Out asks about it", async ({
  browser,
}) => {
  const [ana, ben, goOffline] = await readers(browser, ["The kettle is on."]);
  const context = ben.page.context();
  await goOffline();
  const card = ben.post("The kettle is on.");
  await card.getByRole("textbox", { name: "Write a comment" }).fill("Two sugars.");
  await card.getByRole("button", { name: "Post Comment" }).click();
  await expect.poll(() => unsentIn(ben.page)).toBe(1);
  await ben.page.close();
  await ana.goesToOwnProfile();
  await ana.post("The kettle is on.").getByRole("button", { name: "Delete", exact: true }).click();
  await ana.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(ana.page.getByText("Removed", { exact: true })).toBeVisible();

  await context.setOffline(false);
  const page = await context.newPage();
  const back = anew(ben, page);
  await page.goto("/");
  const region = page.getByRole("region", { name: "Not sent" });
  const item = region.getByRole("list", { name: "Not sent" }).getByRole("listitem");
  await expect(item).toHaveCount(1, AGAIN);
  await expect(item).toContainText("Two sugars.");
  // The theme's card has its own style, so it is checked too.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Today's Theme", expanded: false }).click();
  await checkScreen(page, "not-sent");
  // The comment also waits on the next page, and is not sent by itself.
  await page.reload();
  await expect(item).toHaveCount(1);
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Log Out" }).click();
  const question = page.getByRole("alertdialog", { name: "Not sent yet" });
  await expect(question).toContainText("1 thing will be lost.");
  await checkScreen(page, "not-sent-yet");
  await question.getByRole("button", { name: "Cancel" }).click();
  await item.getByRole("button", { name: "Send" }).click();
  await expect(item).toHaveCount(1);
  await item.getByRole("button", { name: "Delete" }).click();
  await expect(region).toHaveCount(0);
  await expect.poll(() => unsentIn(page)).toBe(0);
  await back.logsOut();
  await ana.leaves();
  await context.close();
});

test("d-r6: an unsent comment is restored after the tab was killed, and the next user does not find it", async ({
  browser,
}) => {
  const [ana, ben] = await readers(browser, ["The kettle is on."]);
  const box = (page: Page) =>
    page
      .getByRole("article")
      .filter({ hasText: "The kettle is on." })
      .getByRole("textbox", { name: "Write a comment" });
  await box(ben.page).fill("half a thou");
  await expect.poll(async () => (await keptIn(ben.page)).join(" ")).toContain("half a thou");
  const page = await killed(ben.page);
  await page.goto("/");
  await expect(box(page)).toHaveValue("half a thou");
  await page.getByRole("link", { name: "View full post" }).click();
  await expect(box(page)).toHaveValue("half a thou");

  await anew(ben, page).logsOut();
  await expect
    .poll(async () => (await keptIn(page)).filter((kept) => /half a thou|^\d+\/|mellow\.comment/.test(kept)))
    .toEqual([]);
  // The offline mode of a crashed page cannot be changed, so the page is closed.
  await ben.page.close();
  await page.context().setOffline(true);
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  await expect(page.getByText("The kettle is on.")).toHaveCount(0);
  await ana.leaves();
  await page.context().close();
});

test("d-r2: kept data of one user is never shown to the next user of the browser, even without a log-out", async ({
  browser,
}) => {
  const [ana, ben, goOffline] = await readers(browser, ["The kettle is on."]);
  const context = ben.page.context();
  const cleo = await signUp(browser, named("Cleo"));
  const card = ben.post("The kettle is on.");
  await goOffline();
  await card.getByRole("textbox", { name: "Write a comment" }).fill("Two sugars.");
  await card.getByRole("button", { name: "Post Comment" }).click();
  await expect.poll(() => unsentIn(ben.page)).toBe(1);
  await ben.page.close();
  // His login ends while no page is open.
  await context.clearCookies();
  await context.setOffline(false);

  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible(AGAIN);
  await expect.poll(() => keptIn(page)).not.toContain(`${ben.id}/feed`);
  const here = new Person(cleo.name, cleo.email, cleo.password, page, []);
  await here.logsIn();
  await expect
    .poll(async () => (await keptIn(page)).filter((kept) => kept.startsWith(`${ben.id}/`)))
    .toEqual([]);
  expect((await keptIn(page)).join(" ")).not.toMatch(/Two sugars|kettle/);
  await expect.poll(() => keptIn(page)).toContain(`${cleo.id}/feed`);
  await isKept(page);
  await context.setOffline(true);
  await page.goto("/");
  await expect(page.getByText(/^Saved .+\. It will update when you're back online\.$/)).toBeVisible();
  await expect(page.getByText("You can vote and comment again then.")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(0);
  await context.setOffline(false);
  await expect(connection(page)).toHaveText("Live", AGAIN);
  // No request of his was sent in her name.
  await ana.page.goto("/");
  await expect(ana.post("The kettle is on.").getByText("No comments yet")).toBeVisible();
  await ana.leaves();
  await cleo.leaves();
  await context.close();
});

let restartable: RestartableServer | null = null;
test.afterEach(() => restartable?.kill());

test("An upload continues after a restart of the server, and its post is created once", async ({
  browser,
}) => {
  const server = (restartable = new RestartableServer());
  await server.start();
  const context = await browser.newContext({ baseURL: `http://${server.address}` });
  const page = await context.newPage();
  let isRestarted = false;
  let isReady = false;
  let attempts = 0;
  let chunksAfter = 0;
  await page.routeWebSocket(/\/ws$/, (route) => {
    const upstream = route.connectToServer();
    if (isReady) attempts += 1;
    let chunks = 0;
    route.onMessage((message) => {
      const { op } = decode(Buffer.from(message as Buffer), { codec }) as { op: string };
      if (op === "uploads.chunk") {
        chunks += 1;
        if (isRestarted) chunksAfter += 1;
        // Two chunks arrive. The others are being sent when the server ends.
        else if (chunks > 2) return;
      }
      upstream.send(message);
    });
    upstream.onMessage((message) => route.send(message));
  });
  const ana = await signedUpIn(page, named("Ana"));
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("By the harbour.");
  const picture = { name: "harbour.jpg", mimeType: "image/jpeg", buffer: await drawn(browser, "harbour") };
  await page.getByLabel("Add pictures").setInputFiles(picture);
  await page.getByRole("textbox", { name: "Description of picture 1" }).fill("A harbour.");
  await page.getByRole("button", { name: "Share Post" }).click();
  const bar = page.getByRole("progressbar", { name: "Posting" });
  await expect(bar).not.toHaveAttribute("aria-valuenow", "0");
  await server.kill();
  await expect(page.getByRole("main").getByText("It goes on when you're back online.")).toBeVisible(AGAIN);
  // Without a waiting upload the pauses between attempts would be longer by now.
  await expect(connection(page)).toHaveText(OFFLINE, AGAIN);

  isRestarted = true;
  await server.start();
  isReady = true;
  await expect.poll(() => chunksAfter).toBeGreaterThan(0);
  // At most one attempt begins after the server is ready. An attempt that began before may succeed too.
  expect(attempts).toBeLessThanOrEqual(1);
  await expect(ana.post("By the harbour.").getByRole("img", { name: "A harbour." })).toHaveCount(1, AGAIN);
  await context.close();
});

test("d-r7: a new build is offered and not loaded by itself, and a draft survives it", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  let isNewer = true;
  await page.routeWebSocket(/\/ws$/, (route) => {
    const server = route.connectToServer();
    server.onMessage((message) => {
      const frame = decode(Buffer.from(message as Buffer), { codec }) as { ev?: string; build?: string };
      if (frame.ev !== "hello" || !isNewer) return route.send(message);
      route.send(Buffer.from(encode({ ...frame, build: "a newer build" }, { codec })));
    });
  });
  await page.goto("/create-post");
  const offer = page.getByRole("region", { name: "New version" });
  await expect(offer).toContainText("A new version is ready.");
  await checkScreen(page, "new-version");
  await offer.getByRole("button", { name: "Later" }).click();
  await expect(offer).toHaveCount(0);
  await page.reload();
  await page.getByRole("textbox", { name: "Text" }).fill("Half a post.");
  await expect(offer).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("Half a post.");
  isNewer = false;
  await offer.getByRole("button", { name: "Reload" }).click();
  const reloaded = page.waitForEvent("load");
  await page.getByRole("alertdialog", { name: "Not Posted" }).getByRole("button", { name: "Save" }).click();
  await reloaded;
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("Half a post.");
  await expect(connection(page)).toHaveText("Live");
  await expect(offer).toHaveCount(0);
  await ana.leaves();
});

test("A post that Your Space has is opened without a connection, and is read when there is one", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await posted(page, "The kettle is on.");
  await isKept(page);
  await ana.goesHome();
  const card = ana.post("The kettle is on.");
  const pulled = await cable(page);
  await page.reload();
  await expect(card).toBeVisible();
  await pulled();
  await card.getByRole("link", { name: "View full post" }).click();
  await expect(page).toHaveURL(/\/post\//u);
  await expect(page.getByText("Couldn't load this.")).toBeVisible({ timeout: 60_000 });
  await expect(card).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText("Couldn't load this.")).toHaveCount(0, { timeout: 60_000 });
  await expect(card).toBeVisible();
  // The console names each connection that failed.
  await page.context().close();
});
