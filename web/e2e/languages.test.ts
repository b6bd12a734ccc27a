// Mellow in other languages: two false ones over all screens, and people who use it in German, Japanese and Arabic.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { type Browser, type Page, expect, test } from "@playwright/test";

import { findings } from "./axe";
import { takePictures } from "./checkScreen";
import { drawn } from "./drawn";
import { LONG, MIRRORED, falsely, writeFalseLanguages } from "./falseLanguage";
import { type Person, openGuest, openOtherDevice, signUp } from "./people";
import { RestartableServer } from "./restartableServer";
import { asked, name as key, posted } from "./wire";

const WIDTHS = [320, 1_180];
const AXE = { type: "tag" as const, values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] };
const everybody = { type: "public" } as const;

/** Returns the texts that are seen or heard and have letters of the English alphabet, people's words left out. */
function english(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const has = (text: string | null): text is string =>
      /[A-Za-z]{2}/u.test((text ?? "").replaceAll("Mellow", ""));
    // People's words, addresses, keys, commands, and languages in their own names.
    const exempt = "[dir=auto], bdi, kbd, code, [dir=ltr], option[lang], script, style, noscript, [lang='']";
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const { parentElement, textContent } = walker.currentNode;
      if (has(textContent) && parentElement?.closest(exempt) === null) found.push(textContent.trim());
    }
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (has(element.getAttribute(name))) found.push(`${name}: ${element.getAttribute(name) ?? ""}`);
    if (has(document.title)) found.push(`title of the page: ${document.title}`);
    return [...new Set(found)];
  });
}

/** Returns Mellow's own texts that do not fit into their boxes. */
function cut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const people = "[dir=auto], bdi, textarea, input, select, [aria-hidden=true]";
    return [...document.querySelectorAll<HTMLElement>("body *")]
      .filter((element) => {
        const { overflowX } = getComputedStyle(element);
        // What is there for screen readers alone has no room.
        let isHidden = element.clientWidth <= 1 && element.clientHeight <= 1;
        for (let at: Element | null = element; at !== null; at = at.parentElement)
          isHidden ||= getComputedStyle(at).clipPath !== "none";
        const clips = overflowX === "hidden" || overflowX === "clip";
        const own = [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
        );
        const { left, right } = element.getBoundingClientRect();
        // A row that scrolls sideways, such as that of pictures, says so.
        const isOutside =
          (left < -1 || right > innerWidth + 1) && element.closest("[data-sideways]") === null;
        const isCut = clips && element.scrollWidth > element.clientWidth + 1;
        return own && !isHidden && (isCut || isOutside) && element.closest(people) === null;
      })
      .map((element) => `<${element.localName}> ${element.textContent.slice(0, 60)}`);
  });
}

/** Returns what points against the text, or has its hint at the wrong end, in a page from right to left. */
function unturned(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.dir !== "rtl") return [];
    const points = /^(?:arrow-left|chevron-left|chevron-right|log-out)$/u;
    const icons = [...document.querySelectorAll<SVGElement>("svg[data-icon]")].filter(
      (icon) => points.test(icon.dataset["icon"] ?? "") && getComputedStyle(icon).scale !== "-1 1",
    );
    const boxes = [...document.querySelectorAll<HTMLElement>(":placeholder-shown")].filter(
      (box) => getComputedStyle(box).direction !== "rtl",
    );
    return [...icons.map((icon) => icon.dataset["icon"] ?? ""), ...boxes.map((box) => box.outerHTML)];
  });
}

/** Checks the screen as it is now in this language, in both widths. */
async function readsIn(tag: string, page: Page, screen: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect.soft(wide, `${screen} at ${String(width)} scrolls sideways`).toBeLessThanOrEqual(0);
    expect.soft(await cut(page), `${screen} at ${String(width)} cuts texts`).toEqual([]);
  }
  expect.soft(await findings(page, AXE), `${screen}: axe`).toEqual([]);
  expect.soft(await unturned(page), `${screen}: not turned round`).toEqual([]);
  if (tag === LONG || tag === MIRRORED)
    expect.soft(await english(page), `${screen} has English in it`).toEqual([]);
  const folder = process.env["PICTURES"];
  if (folder) await takePictures(page, `${folder}/${tag}/${screen.replaceAll(/[^a-z]+/gu, "-")}`);
  await page.setViewportSize({ width: 1_180, height: 800 });
}

/** Opens pages of a server in this language, as if it had been chosen on the device. */
const speaking = (tag: string, { address }: RestartableServer) => ({
  baseURL: `http://${address}`,
  storageState: {
    cookies: [],
    origins: [{ origin: `http://${address}`, localStorage: [{ name: "mellow.language", value: tag }] }],
  },
});

/** Άννα and Βασίλης, who have written to each other, in this language. Their words have no English letter. */
async function twoPeople(
  browser: Browser,
  tag: string,
  server: RestartableServer,
): Promise<{ anna: Person; basil: Person; post: number }> {
  const anna = await signUp(browser, "Άννα", speaking(tag, server));
  const basil = await signUp(browser, "Βασίλης", speaking(tag, server));
  for (const [who, whom] of [
    [anna, basil],
    [basil, anna],
  ] as const)
    await asked(who.page, "follows.set", { key: key(), user_id: whom.id, following: true });
  const { group } = await asked(anna.page, "groups.create", { key: key(), name: "Φίλοι" });
  await asked(anna.page, "groups.add", { key: key(), group_id: group.id, user_ids: [basil.id] });
  const picture = { bytes: await drawn(browser, "plums"), alt: "Δαμάσκηνα" };
  const post = await posted(anna.page, "Περπάτησα ως το λιμάνι.", [picture, picture], {
    title: "Λιμάνι",
    tag: "θάλασσα",
    audience: { type: "group", group_id: group.id },
  });
  await posted(basil.page, "Έφτιαξα ψωμί.", [], { tag: "κουζίνα" });
  for (const text of ["Ωραία!", "Πού είναι;", "Κι εγώ θέλω."])
    await asked(basil.page, "comments.create", {
      key: key(),
      post_id: post,
      text,
      audience: { type: "group", group_id: group.id },
    });
  await asked(anna.page, "polls.create", {
    key: key(),
    question: "Τσάι ή καφές;",
    options: ["Τσάι", "Καφές"],
    audience: everybody,
  });
  await asked(basil.page, "reports.create", {
    key: key(),
    about: { type: "user", user_id: anna.id },
    reason: "other",
    details: "Τίποτα.",
  });
  execFileSync("../target/debug/mellow", ["user", "promote", anna.email, "--data", server.folder]);
  return { anna, basil, post };
}

let separate: RestartableServer | null = null;
test.afterEach(async () => {
  await separate?.kill();
  separate = null;
});

/** Real languages, for pictures of every screen: `PICTURES=<folder> PICTURES_IN=ar,de`. */
const pictured = process.env["PICTURES_IN"]?.split(",") ?? [];

for (const tag of [LONG, MIRRORED, ...pictured])
  test(`every screen is said, and fits, in the language ${tag}`, async ({ browser }) => {
    // Other stories leave people and words in the server that they share.
    const server = (separate = new RestartableServer());
    writeFalseLanguages(server.folder);
    await server.start();
    const { anna, basil, post } = await twoPeople(browser, tag, server);
    const isFalse = tag === LONG || tag === MIRRORED;
    const own = wordsOf(tag);
    const said = (key: string) => (isFalse ? falsely(key.replace(/^[a-z]+\|/u, "")) : own(key));
    const reads = (page: Page, screen: string) => readsIn(tag, page, screen);
    const { page } = anna;
    await page.goto("/");
    await expect(page.locator("html")).toHaveAttribute("lang", tag);
    await expect(page.locator("html")).toHaveAttribute("dir", tag.startsWith("ar") ? "rtl" : "ltr");
    await expect(page.getByRole("article")).toHaveCount(2);
    await reads(page, "home");
    await page.getByRole("button", { name: said("Account menu") }).click();
    await reads(page, "account menu");
    await page.keyboard.press("Escape");
    await page
      .getByRole("button", { name: said("Post menu") })
      .first()
      .click();
    await reads(page, "post menu");
    await page.keyboard.press("Escape");
    await page.goto("/?tab=community-center");
    await expect(page.getByRole("article")).toHaveCount(1);
    await reads(page, "community center");
    await page.getByRole("article").locator("[data-option]").first().click();
    await expect(page.getByRole("button", { name: said("Create Poll") })).toBeVisible();
    await reads(page, "poll with a vote");
    await page.getByRole("button", { name: said("Create Poll") }).click();
    await reads(page, "new poll");
    for (const [path, ready] of [
      [`/post/${String(post)}`, page.getByRole("list", { name: said("Comments") })],
      ["/create-post", page.getByRole("button", { name: said("publish|Share Post") })],
      ["/search", page.getByRole("searchbox")],
      [`/profile/${String(anna.id)}`, page.getByRole("button", { name: said("Edit Profile") })],
      [`/profile/${String(basil.id)}`, page.getByRole("button", { name: said("Unfollow") })],
      ["/groups", page.getByRole("article").first()],
      ["/notifications", page.getByRole("main").getByRole("listitem").first()],
      [
        "/settings",
        page
          .getByRole("region", { name: said("Your logins") })
          .getByRole("listitem")
          .first(),
      ],
      ["/import", page.getByText(said("From Mellow or Mastodon. Nothing is imported before you say so."))],
      ["/admin", page.getByRole("main").getByRole("listitem").first()],
      ["/admin?tab=reports", page.getByRole("main").getByRole("listitem").first()],
      ["/admin?tab=theme", page.getByRole("main").getByRole("listitem").first()],
      ["/admin?tab=invitations", page.getByRole("tabpanel")],
      ["/admin?tab=health", page.getByRole("tabpanel")],
      ["/admin?tab=log", page.getByRole("main").getByRole("listitem").first()],
      ["/nowhere", page.getByRole("heading", { level: 1 })],
    ] as const) {
      await page.goto(path);
      await expect(ready).toBeVisible();
      await reads(page, path);
    }
    await page.goto("/settings");
    for (const opens of ["Change Email", "Delete Account"]) {
      await page.getByRole("button", { name: said(opens), exact: true }).click();
      await reads(page, opens);
      await page.keyboard.press("Escape");
    }
    await page.reload();
    // The keys work as soon as their file is here.
    await expect(async () => {
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog")).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await reads(page, "shortcuts");
    await page.keyboard.press("Escape");
    await page.goto(`/profile/${String(anna.id)}`);
    await page.getByRole("button", { name: said("Edit Profile") }).click();
    await reads(page, "edited profile");
    await page.goto(`/post/${String(post)}`);
    await page.getByRole("button", { name: said("Post menu") }).click();
    await page.getByRole("menuitem", { name: said("Delete") }).click();
    await expect(page.getByRole("alertdialog")).toBeVisible();
    await reads(page, "deleted post");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: said("Post menu") }).click();
    await page.getByRole("menuitem", { name: said("Edit") }).click();
    await reads(page, "edited post");
    await page.goto(`/profile/${String(basil.id)}`);
    await page.getByRole("button", { name: said("Profile menu") }).click();
    await page
      .getByRole("menuitem", { name: new RegExp(said("Block {name}").replace("{name}", ".*"), "u") })
      .click();
    await reads(page, "block");

    const guest = await openGuest(browser, "Γιώργος", speaking(tag, server));
    for (const path of ["/", "/login", "/signup", "/forgot", "/reset#none", "/verify#none", "/invite/none"]) {
      await guest.page.goto(path);
      await expect(guest.page.getByRole("heading", { level: 1 })).toBeVisible();
      await reads(guest.page, `guest ${path}`);
    }
    await guest.page.goto("/login");
    await guest.page.getByRole("textbox", { name: said("Email") }).fill("nobody@example.com");
    await guest.page.locator("input[type=password]").fill("wrong words here");
    await guest.page
      .getByRole("main")
      .getByRole("button", { name: said("Log In") })
      .click();
    await expect(guest.page.locator("li[data-error]")).toBeVisible();
    await reads(guest.page, "refused log-in");
  });

type Forms = Record<string, string>;
/** Returns the words of a language by the English text, as its file has them. */
function wordsOf(tag: string): (english: string, values?: Forms) => string {
  const path = `languages/${tag}.json`;
  // The false languages are only in the host's folder.
  const { words } = JSON.parse(existsSync(path) ? readFileSync(path, "utf8") : '{"words":{}}') as {
    words: Record<string, string | Forms>;
  };
  return (english, values = {}) => {
    const found = words[english];
    const text = typeof found === "object" ? found[values["form"] ?? "other"] : found;
    return (text ?? `no words for ${english}`).replaceAll(
      /\{(\w+)\}/gu,
      (_, name: string) => values[name] ?? "",
    );
  };
}

/** Returns the newest mail to an address, decoded, once there is one. */
async function mailTo(email: string): Promise<string> {
  const folder = join(process.env["E2E_DATA"] ?? "", "outbox");
  const read = () =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((file) => file.endsWith(".eml"))
      .map((file) => readFileSync(join(folder, file), "latin1"))
      .find((mail) => mail.includes(`To: ${email}`));
  await expect.poll(read).toBeDefined();
  const bytes = (read() ?? "")
    .replaceAll(/=\r\n/gu, "")
    .replaceAll(/=([0-9A-F]{2})/gu, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

for (const { tag, locale, name, text } of [
  { tag: "de", locale: "de-AT", name: "Jonas Müller", text: "Der Kaffee ist heute besonders gut." },
  { tag: "ja", locale: "ja-JP", name: "山田 花子", text: "今日は海まで歩きました。" },
  { tag: "ar", locale: "ar-EG", name: "ليلى حسن", text: "مشيت اليوم إلى البحر." },
])
  test(`a browser in ${locale} leads from the welcome page to a first post in its language`, async ({
    browser,
  }) => {
    const say = wordsOf(tag);
    const refusals = (
      JSON.parse(readFileSync(`languages/${tag}.json`, "utf8")) as {
        refusals: Record<string, string | Forms>;
      }
    ).refusals;
    const found = refusals["password_short"] ?? "no such refusal";
    const short =
      typeof found === "string" ? found : (found[new Intl.PluralRules(tag).select(10)] ?? "no form");
    const person = await openGuest(browser, name, { locale });
    const { page } = person;
    await page.goto("/");
    await expect(page.locator("html")).toHaveAttribute("lang", tag);
    await expect(page.locator("html")).toHaveAttribute("dir", tag === "ar" ? "rtl" : "ltr");
    await expect(page.getByRole("contentinfo").getByRole("combobox", { name: say("Language") })).toHaveValue(
      "",
    );
    await page.goto("/signup");
    await page.getByRole("textbox", { name: say("Email") }).fill(person.email);
    const password = page.locator("input[type=password]");
    await password.fill("kurz");
    const signUpButton = page.getByRole("main").getByRole("button", { name: say("Sign Up") });
    await signUpButton.click();
    await expect(page.getByRole("main").getByRole("alert")).toContainText(
      short.replace("{min}", new Intl.NumberFormat(locale).format(10)),
    );
    await password.fill(person.password);
    await page.getByRole("textbox", { name: say("What should people call you?") }).fill(name);
    await signUpButton.click();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();

    const main = page.getByRole("navigation", { name: say("Main") });
    await main.getByRole("link", { name: say("write|Post") }).click();
    await page.getByRole("textbox", { name: say("Text") }).fill(text);
    await page.getByRole("button", { name: say("publish|Share Post") }).click();
    const card = person.post(text);
    await expect(card).toBeVisible();
    await expect(card.locator("time").first()).toHaveText(new RegExp(say("just now"), "iu"));
    await card.getByRole("textbox", { name: say("Write a comment") }).fill(text);
    await card.getByRole("button", { name: say("Post Comment") }).click();
    await expect(card.getByRole("list", { name: say("Comments") }).getByText(text)).toBeVisible();

    // The account knows what this device shows, so its mails are in this language.
    await page.goto("/settings");
    await page.getByRole("button", { name: say("Send Password Reset Email") }).click();
    const mail = await mailTo(person.email);
    expect(mail).toContain(`lang="${tag}"`);
    expect(mail).not.toContain("Somebody, most likely you");
    await person.leaves();
  });

test("the language that Nia chooses is on all her screens at once, and her half-written words stay", async ({
  browser,
}) => {
  const nia = await signUp(browser, "Nia Berg");
  const phone = await openOtherDevice(browser, nia);
  await phone.page.goto("/create-post");
  const box = phone.page.getByRole("textbox", { name: "Text" });
  await box.fill("Half a thought");
  const german = wordsOf("de");
  await nia.page.goto("/settings");
  const choice = nia.page
    .getByRole("region", { name: "Language" })
    .getByRole("combobox", { name: "Language" });
  await expect(choice).toHaveValue("");
  await choice.focus();
  await choice.selectOption("de");
  const chosen = nia.page
    .getByRole("region", { name: german("Language") })
    .getByRole("combobox", { name: german("Language") });
  await expect(chosen).toBeFocused();
  await expect(nia.page.getByRole("heading", { level: 1, name: german("Settings") })).toBeVisible();
  await expect(
    nia.page.getByText(german("No native speaker has checked this translation yet.")),
  ).toBeVisible();

  const half = phone.page.getByRole("textbox", { name: german("Text") });
  await expect(half).toHaveValue("Half a thought");
  await expect(half).toBeFocused();
  await expect(phone.page.locator("html")).toHaveAttribute("lang", "de");
  await expect(phone.page).toHaveTitle(`${german("Create Post")} · Mellow`);

  // In another tab of the same browser English comes by the storage, and the account keeps that choice.
  const tab = await nia.opens("/groups");
  await expect(tab.getByRole("heading", { level: 1, name: german("Manage Groups") })).toBeVisible();
  await chosen.selectOption("en");
  await expect(tab.getByRole("heading", { level: 1, name: "Manage Groups" })).toBeVisible();
  await expect(phone.page.locator("html")).toHaveAttribute("lang", "en");
  await expect(choice).toHaveValue("en");
  await choice.selectOption("de");
  await expect(tab.getByRole("heading", { level: 1, name: german("Manage Groups") })).toBeVisible();
  await tab.close();

  // A new visit is in German from its first paint on, and so is one without a network.
  await nia.page.reload();
  await expect(nia.page.getByRole("heading", { level: 1, name: german("Settings") })).toBeVisible();
  await nia.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await nia.page.reload();
  await expect(nia.page.getByRole("heading", { level: 1, name: german("Settings") })).toBeVisible();
  await nia.page.context().setOffline(true);
  await nia.page.goto("/");
  await expect(nia.page.getByRole("heading", { level: 1, name: german("You're offline") })).toBeVisible();
  await nia.page.context().setOffline(false);

  await nia.page.goto("/settings");
  await chosen.selectOption("");
  await expect(choice).toHaveValue("");
  await expect(box).toHaveValue("Half a thought");
  await expect(phone.page.locator("html")).toHaveAttribute("lang", "en");
});
