// What a browser refuses or forgets: the network at a log-out, cookies, storage, locks. People can do
// everything, and nothing that they typed is lost without a word.

import { type Browser, type BrowserContext, type Page, expect, test } from "@playwright/test";

import { InterceptedConnection } from "./connection";
import { type Person, named, openGuest, signUp } from "./people";
import { asked, posted } from "./wire";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const email = (page: Page) => page.getByRole("textbox", { name: "Email", exact: true });
const password = (page: Page) => page.getByLabel("Password", { exact: true });
const main = (page: Page) => page.getByRole("main");
const welcome = (page: Page) => page.getByRole("heading", { name: "Welcome to Mellow" });
const space = (page: Page) => page.getByRole("heading", { level: 1, name: "Your Space" });
const guest = (page: Page) => page.getByRole("banner").getByRole("link", { name: "Sign Up" });

const cookiesOf = async (context: BrowserContext): Promise<string[]> =>
  (await context.cookies()).map(({ name }) => name).sort();

/** The browser refuses all storage of scripts. */
function refuseStorage(): void {
  const blocked = (): never => {
    throw new DOMException("blocked", "SecurityError");
  };
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get: blocked });
  IDBFactory.prototype.open = blocked;
}

/** Signs a user up, cuts the network and logs out. Returns the user and the cookies before. */
async function logsOutOffline(browser: Browser, storage: "kept" | "refused") {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  const context = page.context();
  if (storage === "refused") await context.addInitScript(refuseStorage);
  const connection = await InterceptedConnection.of(page);
  await expect(page.getByRole("heading", { level: 1, name: ana.name })).toBeVisible();
  const cookies = await context.cookies();
  // The worker has the files of a guest's screens, too.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  await connection.cut();
  await ana.logsOut();
  return { ana, page, context, cookies };
}

/** A thief, or another tab that did not notice, has the cookies of the login that ended. */
async function loginHasEnded(browser: Browser, cookies: Awaited<ReturnType<BrowserContext["cookies"]>>) {
  const thief = await browser.newContext();
  await thief.addCookies(cookies);
  const page = await thief.newPage();
  await page.goto("/");
  await expect(welcome(page)).toBeVisible();
  await thief.close();
}

/** What the next person at this browser does first, once the network is back. */
const NEXT: [string, (page: Page, ana: Person) => Promise<Page>][] = [
  [
    "asks for a new password",
    async (page) => {
      await page.goto("/forgot");
      await email(page).fill("someone.else@example.com");
      await button(page, "Send Reset Link").click();
      await expect(main(page).getByRole("status")).toHaveText(
        "If that address has an account, a link is on its way.",
      );
      return page;
    },
  ],
  [
    "logs in with a wrong password",
    async (page, ana) => {
      await page.getByRole("banner").getByRole("link", { name: "Log In" }).click();
      await email(page).fill(ana.email);
      await password(page).fill("a wrong password");
      await main(page).getByRole("button", { name: "Log In" }).click();
      await expect(page.getByRole("region", { name: /^Messages/ }).getByRole("listitem")).toBeVisible();
      return page;
    },
  ],
  [
    "opens Mellow in a new tab",
    async (page) => {
      const tab = await page.context().newPage();
      await page.close();
      await tab.goto("/");
      await expect(welcome(tab)).toBeVisible();
      return tab;
    },
  ],
];

for (const storage of ["kept", "refused"] as const)
  for (const [what, does] of NEXT)
    test(`s3: Ana logs out without a network; whoever ${what} next is nobody, with storage ${storage}`, async ({
      browser,
    }) => {
      const { ana, page, context, cookies } = await logsOutOffline(browser, storage);
      expect(await cookiesOf(context)).not.toContain("mellow-user");
      await context.setOffline(false);
      const tab = await does(page, ana);
      await expect(guest(tab)).toBeVisible();
      // A tab in which the log-out is remembered also ends the login on the server.
      if (storage === "kept") {
        await expect.poll(() => cookiesOf(context)).toEqual(["mellow-device"]);
        await loginHasEnded(browser, cookies);
      }
      await tab.goto("/");
      await expect(welcome(tab)).toBeVisible();
      await context.close();
    });

test("s3: a log-out without a network is one in every tab, and the next log-in is of the one who logs in", async ({
  browser,
}) => {
  const { ana, page, context } = await logsOutOffline(browser, "kept");
  const ben = await signUp(browser, named("Ben"));
  await context.setOffline(false);
  await page.getByRole("banner").getByRole("link", { name: "Log In" }).click();
  await email(page).fill(ben.email);
  await password(page).fill(ben.password);
  await main(page).getByRole("button", { name: "Log In" }).click();
  await expect(space(page)).toBeVisible();
  const tab = await context.newPage();
  await tab.goto(`/profile/${ben.id}`);
  await expect(button(tab, "Edit Profile")).toBeVisible();
  await page.reload();
  await expect(space(page)).toBeVisible();
  expect(ana.id).not.toBe(ben.id);
  await context.close();
  await ben.leaves();
});

test("A browser that deleted the storage of scripts still shows that Ana is logged in", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  await page.goto("/metrics");
  await page.evaluate(async () => {
    localStorage.clear();
    sessionStorage.clear();
    for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name ?? "");
  });
  await page.goto("/");
  await expect(space(page)).toBeVisible();
  await ana.leaves();
});

test("Ana, whose login could not be kept, is told so, and a lost connection costs her no word", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  await posted(ana.page, "The kettle is on.");
  const there = await openGuest(browser, ana.name);
  const device = Object.assign(there, { email: ana.email });
  const { page } = device;
  await page.route("**/session", (route) => route.abort());
  await page.goto("/login");
  const connection = await InterceptedConnection.of(page);
  await email(page).fill(ana.email);
  await password(page).fill(ana.password);
  await main(page).getByRole("button", { name: "Log In" }).click();
  await expect(device.toast("This browser didn't keep your login.")).toBeVisible();
  const box = device.post("The kettle is on.").getByRole("textbox", { name: "Write a comment" });
  await box.fill("half a thought");
  await connection.cut();
  const dialog = page.getByRole("dialog", { name: "Log In" });
  await expect(dialog).toBeVisible();
  await page.unroute("**/session");
  await dialog.getByLabel("Password", { exact: true }).fill(ana.password);
  await dialog.getByRole("button", { name: "Log In" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(box).toHaveValue("half a thought");
  await device.post("The kettle is on.").getByRole("button", { name: "Post Comment" }).click();
  await expect(device.post("The kettle is on.").getByText("half a thought")).toBeVisible();
  await page.reload();
  await expect(space(page)).toBeVisible();
  await page.context().close();
  await ana.leaves();
});

/** What a browser may refuse, and how. */
const REFUSALS: [string, () => void][] = [
  [
    "opening its database throws",
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("blocked", "SecurityError");
      };
    },
  ],
  ["there is no database", () => Object.defineProperty(window, "indexedDB", { value: undefined })],
  [
    "storage, databases and channels between tabs are blocked",
    () => {
      const blocked = (): never => {
        throw new DOMException("blocked", "SecurityError");
      };
      for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get: blocked });
      IDBFactory.prototype.open = blocked;
      Object.assign(window, { BroadcastChannel: blocked });
      Object.defineProperty(navigator, "serviceWorker", { get: blocked });
      navigator.locks.request = () => Promise.reject(new DOMException("blocked", "SecurityError"));
    },
  ],
  [
    "locks are refused",
    () => {
      navigator.locks.request = () => Promise.reject(new DOMException("blocked", "SecurityError"));
    },
  ],
  ["there are no locks", () => Object.defineProperty(navigator, "locks", { value: undefined })],
  [
    "pages may not read cookies",
    () => {
      Object.defineProperty(document, "cookie", {
        get: () => {
          throw new DOMException("blocked", "SecurityError");
        },
      });
    },
  ],
];

for (const [what, refuse] of REFUSALS)
  test(`Ben votes, comments and posts in a browser where ${what}`, async ({ browser }) => {
    const ana = await signUp(browser, named("Ana"));
    await posted(ana.page, "The kettle is on.");
    const ben = await signUp(browser, named("Ben"));
    await asked(ben.page, "follows.set", { key: new ArrayBuffer(16), user_id: ana.id, following: true });
    const { page } = ben;
    await page.context().clearCookies();
    await page.context().addInitScript(refuse);
    await ben.logsIn();
    const post = ben.post("The kettle is on.");
    await post.getByRole("button", { name: "Positive Vibes" }).click();
    await expect(post.getByRole("button", { name: "Positive Vibes" })).toHaveAttribute(
      "aria-pressed",
      "true",
    );
    await ben.comments("The kettle is on.", "Two sugars.");
    await ben.publishes("By the harbour.");
    // The server has all three.
    await ana.goesToOwnProfile();
    await expect(ana.post("The kettle is on.").getByText("1 positive vibe", { exact: true })).toBeVisible();
    await expect(ana.post("The kettle is on.").getByText("Two sugars.")).toBeVisible();
    await asked(ana.page, "follows.set", { key: new ArrayBuffer(16), user_id: ben.id, following: true });
    await ana.goesTo(`/profile/${ben.id}`);
    await expect(ana.post("By the harbour.")).toBeVisible();
    await page.context().close();
    await ana.leaves();
  });
