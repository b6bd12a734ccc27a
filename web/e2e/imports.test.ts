// Moving in: posts of an archive of Mellow or Mastodon, from the file to the profile, and back out again.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

import { type Page, expect, test } from "@playwright/test";

import { packed } from "./archive";
import { checkScreen } from "./checkScreen";
import { InterceptedConnection } from "./connection";
import { drawn } from "./drawn";
import { type Person, named, openGuest, openOtherDevice, phone, signUp } from "./people";
import { posted, received } from "./wire";

const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";
const ANA = "https://there.example/users/ana";
const ZOE = "https://there.example/users/zoe";

/** A post of Mastodon, as its archives have it. */
function note(nth: number, published: string, text: string, more: object = {}): object {
  const [id, to, cc] = [`${ANA}/statuses/${nth}`, [PUBLIC], [`${ANA}/followers`]];
  const object = {
    id,
    type: "Note",
    summary: null,
    inReplyTo: null,
    published,
    to,
    cc,
    sensitive: false,
    content: `<p>${text}</p>`,
    attachment: [],
    tag: [],
    ...more,
  };
  return { id: `${id}/activity`, type: "Create", actor: ANA, published, to, cc, object };
}

const mastodon = (items: object[], media: Record<string, Buffer> = {}): Buffer =>
  packed({
    "actor.json": JSON.stringify({ id: ANA, type: "Person", preferredUsername: "ana" }),
    "outbox.json": JSON.stringify({ type: "OrderedCollection", orderedItems: items }),
    ...media,
  });

/** Posts of Mellow, as its archives have them. */
function mellow(texts: readonly { text: string; written_at: string }[]): Buffer {
  const rest = { title: null, tag: null, audience: "public", pictures: [] };
  return packed({ "posts.json": JSON.stringify(texts.map((one, at) => ({ id: at + 1, ...rest, ...one }))) });
}

const cards = (page: Page) => page.getByRole("list", { name: "Posts" }).getByRole("article");
const heading = (page: Page) => page.getByRole("heading", { level: 1, name: "Import Posts" });
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });
const audience = (page: Page) => page.getByRole("combobox", { name: "Audience" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const imports = (page: Page) => page.getByRole("list", { name: "Imports" }).getByRole("listitem");
const choose = (page: Page, buffer: Buffer) =>
  page.getByLabel("Archive file").setInputFiles({ name: "archive.zip", mimeType: "application/zip", buffer });

async function opensImport(who: Person): Promise<void> {
  await who.page.getByRole("button", { name: "Account menu" }).click();
  await who.page.getByRole("menuitem", { name: "Settings" }).click();
  await who.page
    .getByRole("region", { name: "Your data" })
    .getByRole("link", { name: "Import posts" })
    .click();
  await expect(heading(who.page)).toBeVisible();
}

async function importsForAll(who: Person, count: string): Promise<void> {
  await audience(who.page).selectOption("Everyone here");
  await button(who.page, "Import").click();
  await expect(who.toast(`${count} imported`)).toBeVisible();
}

test("What Ana wrote elsewhere is on her profile by its dates, and Ben, who follows her, hears nothing of it", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const ben = await signUp(browser, named("Ben"));
  await ben.follows(ana.name);
  const messages = received(ben.page);
  await ben.page.goto(`/profile/${String(ana.id)}`);
  await expect(ben.page.getByRole("heading", { name: "No posts yet." })).toBeVisible();
  const home = await ben.opens("/");
  const atHome = received(home);
  await home.reload();
  await expect(home.getByRole("heading", { name: "Nothing new." })).toBeVisible();
  await posted(ana.page, "The kettle is on.");
  for (const one of [ben.page, home]) await expect(button(one, "1 new post")).toBeVisible();

  const { page } = ana;
  expect((await page.goto("/import"))?.status()).toBe(200);
  await page.goto("/");
  await opensImport(ana);
  await expect(page.getByText("Nothing is imported before you say so.")).toBeVisible();
  await checkScreen(page, "import-choose", "whole");
  await choose(
    page,
    mastodon(
      [
        note(1, "2019-03-04T08:00:00Z", "The ferry was early.<br>By four minutes."),
        note(2, "2024-11-21T18:30:00Z", "One heron.", {
          tag: [{ type: "Hashtag", name: "#Birds" }],
          attachment: [
            { type: "Document", mediaType: "image/jpeg", url: "/media_attachments/1.jpg", name: "Hills." },
          ],
        }),
        note(3, "2020-01-01T10:00:00Z", "Quite so.", { inReplyTo: `${ZOE}/statuses/9` }),
        note(4, "2020-01-02T10:00:00Z", "For few.", { to: [`${ANA}/followers`], cc: [] }),
      ],
      { "media_attachments/1.jpg": await drawn(browser, "hills", [400, 300]) },
    ),
  );
  await expect(preview(page)).toContainText("2 posts, 1 picture");
  await expect(preview(page).getByText(/^From 04\/Mar\/19 to 2[12]\/Nov\/24$/)).toBeVisible();
  await expect(page.getByRole("list", { name: "Left out" }).getByRole("listitem")).toHaveText([
    "Not public there: 1",
    "Replies to others: 1",
  ]);
  await expect(page.getByRole("list", { name: "First posts" }).getByRole("listitem")).toContainText([
    "The ferry was early.",
    "One heron.",
  ]);
  await expect(audience(page).getByRole("option").first()).toHaveText("Choose who can see them");
  await expect(button(page, "Import")).toBeDisabled();
  await checkScreen(page, "import-preview", "whole");
  await importsForAll(ana, "2 posts");
  await expect(imports(page)).toContainText(["2 posts from Mastodon"]);
  await checkScreen(page, "import-done", "whole");

  await ana.goesToOwnProfile();
  await expect(cards(page)).toContainText([/kettle/u, /heron/u, /ferry/u]);
  const heron = ana.post("One heron.");
  await expect(heron.getByText("Imported", { exact: true })).toBeVisible();
  await expect(heron.getByRole("link", { name: "#Birds" })).toBeVisible();
  await expect(heron.getByRole("button", { name: "Open picture 1 of 1: Hills." })).toBeVisible();
  await expect(ana.post("The kettle is on.").getByText("Imported", { exact: true })).toHaveCount(0);
  await ana.publishes("Rain on the tin roof.");
  await ana.goesToOwnProfile();
  await expect(cards(page)).toContainText([/Rain/u, /kettle/u, /heron/u, /ferry/u]);
  await page.getByRole("searchbox", { name: "Search your posts" }).fill("four minutes");
  await expect(cards(page)).toContainText([/ferry/u]);
  await ana.goesHome();
  await expect(cards(page)).toContainText([/Rain/u, /kettle/u]);

  // What was sent before this post has arrived.
  for (const one of [ben.page, home]) await expect(button(one, "2 new posts")).toBeVisible();
  const heard = [...messages, ...atHome];
  expect(heard.filter((message) => /heron|ferry|imports\./u.test(message))).toEqual([]);
  await ben.page.reload();
  await expect(cards(ben.page)).toContainText([/Rain/u, /kettle/u, /heron/u, /ferry/u]);
  await expect(ben.post("One heron.").getByText("Imported", { exact: true })).toBeVisible();
  await ben.goesTo("/");
  await expect(cards(ben.page)).toContainText([/Rain/u, /kettle/u]);
  for (const one of [ana, ben]) await one.leaves();
});

test("Cleo brings along what Mellow exported, and takes it back with the comments under it", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const cleo = await signUp(browser, named("Cleo"));
  const bytes = await drawn(browser, "plums", [300, 300]);
  await posted(ana.page, "Four of them.", [{ bytes, alt: "Four plums." }], { title: "Plums", tag: "Fruit" });
  await ana.page.goto("/settings");
  const [download] = await Promise.all([
    ana.page.waitForEvent("download"),
    button(ana.page, "Export My Data").click(),
  ]);
  const zip = readFileSync(await download.path());

  const { page } = cleo;
  const hers = await openOtherDevice(browser, cleo, phone);
  await hers.page.goto("/import");
  await expect(heading(hers.page)).toBeVisible();
  await opensImport(cleo);
  await choose(page, zip);
  // Both devices show it.
  for (const one of [page, hers.page]) await expect(preview(one)).toContainText("1 post, 1 picture");
  await audience(hers.page).selectOption("Everyone here");
  await button(hers.page, "Import").click();
  for (const one of [cleo, hers]) await expect(one.toast("1 post imported")).toBeVisible();
  for (const one of [page, hers.page]) await expect(imports(one)).toContainText(["1 post from Mellow"]);

  // A second import finds nothing new.
  await choose(page, zip);
  await expect(preview(page)).toContainText("There is nothing to import in this file.");
  await expect(page.getByRole("list", { name: "Left out" }).getByRole("listitem")).toHaveText([
    "Already here: 1",
  ]);
  await checkScreen(page, "import-nothing", "whole");
  await button(page, "Cancel").click();
  await expect(page.getByLabel("Archive file")).toBeFocused();

  await ana.goesTo(`/profile/${String(cleo.id)}`);
  await expect(ana.post("Four of them.").getByRole("heading", { name: "Plums" })).toBeVisible();
  await ana.comments("Four of them.", "These are mine!");
  await button(page, "Undo Import").click();
  const dialog = page.getByRole("alertdialog", { name: "Undo Import" });
  await expect(dialog).toContainText("1 post and 1 comment under them will be deleted.");
  await checkScreen(page, "import-undo");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(button(page, "Undo Import")).toBeFocused();
  await button(page, "Undo Import").click();
  await dialog.getByRole("button", { name: "Undo Import" }).click();
  await expect(cleo.toast("Import undone")).toBeVisible();
  for (const one of [page, hers.page]) await expect(imports(one)).toHaveCount(0);
  await expect(page.getByLabel("Archive file")).toBeFocused();
  await cleo.goesToOwnProfile();
  await expect(page.getByRole("heading", { name: "No posts yet." })).toBeVisible();
  await ana.page.reload();
  await expect(ana.page.getByRole("heading", { name: "No posts yet." })).toBeVisible();
  for (const one of [ana, cleo, hers]) await one.leaves();
});

test("Years of posts are read page by page, each once and the newest first", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const DAYS = 70;
  // Two share each date, and the file has them in no order.
  const texts = Array.from({ length: DAYS }, (_, day) => ({
    text: `Day ${day}.`,
    written_at: new Date(Date.UTC(2021, 0, 1 + 10 * Math.floor(day / 2), 12)).toISOString(),
  }));
  await posted(ana.page, "Written here.");
  await opensImport(ana);
  await choose(page, mellow(texts.toSorted((a, b) => a.text.localeCompare(b.text))));
  await expect(preview(page)).toContainText("70 posts, 0 pictures");
  await importsForAll(ana, "70 posts");
  await ana.goesToOwnProfile();
  const older = button(page, "Show older posts");
  for (let shown = 30; shown <= DAYS; shown += 30) {
    await expect(cards(page)).toHaveCount(shown);
    await older.click();
  }
  await expect(cards(page)).toHaveCount(DAYS + 1);
  await expect(older).toHaveCount(0);
  const all = await cards(page).allTextContents();
  const seen = all.map((text) => /Day \d+|Written here/u.exec(text)?.[0] ?? "");
  expect(new Set(seen).size).toBe(DAYS + 1);
  const dates = seen.slice(1).map((text) => Math.floor(Number(text.slice(4)) / 2));
  expect(seen[0]).toBe("Written here");
  expect(dates).toEqual(dates.toSorted((a, b) => b - a));
  await ana.leaves();
});

test("An archive goes on where it was after the connection was lost, and is cancelled on any device", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const hers = await openOtherDevice(browser, ana, phone);
  await hers.page.goto("/import");
  const connection = await InterceptedConnection.of(page);
  await opensImport(ana);
  const zip = mastodon([note(1, "2019-03-04T08:00:00Z", "The ferry was early.")], {
    "media_attachments/film.mp4": randomBytes(1_500_000),
  });
  let cuts = 0;
  connection.out = ({ op, offset }) => {
    if (op !== "imports.chunk" || cuts > 0 || Number(offset) < 400_000) return true;
    cuts += 1;
    void connection.cut();
    return false;
  };
  await choose(page, zip);
  for (const one of [page, hers.page])
    await expect(preview(one)).toContainText("1 post, 0 pictures", { timeout: 60_000 });
  const begun = connection.asked.filter(({ op }) => op === "imports.begin");
  expect(begun).toHaveLength(2);
  expect(cuts).toBe(1);
  await button(hers.page, "Cancel").click();
  for (const one of [page, hers.page]) await expect(one.getByLabel("Archive file")).toHaveCount(1);

  // A chunk that is not answered keeps the archive on its way.
  connection.out = ({ op }) => op !== "imports.chunk";
  await choose(page, zip);
  await expect(page.getByRole("progressbar", { name: "Reading the file" })).toBeVisible();
  await expect(page.getByText(/^Please keep this tab open/)).toBeVisible();
  await expect(hers.page.getByText(/^The file comes from another tab or device\./)).toBeVisible();
  await checkScreen(page, "import-reading", "whole");
  await ana.goesTo("/settings");
  await ana.goesTo("/import");
  await expect(page.getByText(/^Please keep this tab open/)).toBeVisible();
  await button(hers.page, "Cancel").click();
  for (const one of [page, hers.page]) await expect(one.getByLabel("Archive file")).toHaveCount(1);
  await expect(page.getByRole("alert").filter({ hasText: /\w/ })).toHaveCount(0);
  for (const one of [ana, hers]) await one.leaves();
});

test("A file that is no archive or cannot be read is refused with the reason, and another one can be chosen", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await opensImport(ana);
  const alert = page.getByRole("main").getByRole("alert");
  for (const [zip, reason] of [
    [Buffer.from("This is a letter."), "This isn't an archive from Mellow or Mastodon."],
    [packed({ "holiday.txt": "Sun." }), "This isn't an archive from Mellow or Mastodon."],
    [packed({ "outbox.json": '{"orderedItems": [' }), "The posts in this file can't be read."],
    [packed({ "../outbox.json": "{}" }), "This file can't be read safely."],
  ] as const) {
    await choose(page, zip);
    await expect(alert).toHaveText(reason);
    await expect(page.getByLabel("Archive file")).toHaveAttribute("aria-invalid", "true");
  }
  await checkScreen(page, "import-refused", "whole");
  await choose(page, mastodon([note(1, "2019-03-04T08:00:00Z", "The ferry was early.")]));
  await expect(preview(page)).toContainText("1 post, 0 pictures");
  await expect(alert).toHaveCount(0);
  await button(page, "Cancel").click();
  await expect(page.getByLabel("Archive file")).toHaveCount(1);
  await ana.leaves();

  const guest = await openGuest(browser, named("Dan"));
  await guest.page.goto("/import");
  await expect(guest.page).toHaveURL(/\/login\?next=%2Fimport$/);
  await guest.leaves();
});
