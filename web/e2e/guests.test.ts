// Guests: what each address shows, and the return to it after log-in or sign-up.

import { type Page, expect, test } from "@playwright/test";

import { type Person, named, signUp, openGuest } from "./people";

const main = (page: Page) => page.getByRole("main");
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

async function fills(
  page: Page,
  email: string,
  password: string,
  press: "Log In" | "Sign Up",
): Promise<void> {
  await page.getByRole("textbox", { name: "Email" }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await main(page).getByRole("button", { name: press }).click();
}

/** Returns each address that a link may have, and its heading for a signed-in user. */
async function places(ana: Person): Promise<{ path: string; shows: string; asks: boolean }[]> {
  const profile = new URL(ana.page.url()).pathname;
  await ana.publishes("The kettle is on.", { title: "Tea" });
  const post =
    (await ana
      .post("The kettle is on.")
      .getByRole("link", { name: "View full post" })
      .getAttribute("href")) ?? "";
  return [
    { path: "/notifications", shows: "Notifications", asks: true },
    { path: "/saved", shows: "Saved", asks: true },
    { path: profile, shows: ana.name, asks: true },
    { path: post, shows: "Tea", asks: true },
    { path: "/settings", shows: "Settings", asks: false },
    { path: "/groups", shows: "Manage Groups", asks: false },
    { path: "/create-post?tag=Tea%20%26%20toast", shows: "Create Post", asks: false },
    { path: "/search", shows: "Search", asks: false },
  ];
}

test("Every address shows a guest the right page, and opens no socket", async ({ browser }) => {
  const ana = await signUp(browser, named("Ana"));
  const guest = await openGuest(browser, "Guest");
  const { page } = guest;
  const banner = page.getByRole("banner");
  for (const { path, asks } of await places(ana)) {
    await page.goto(path);
    const there = `/login?next=${encodeURIComponent(path.split("?")[0] ?? "")}`;
    if (asks) {
      await expect(main(page).getByText("You need to be logged in to view this page")).toBeVisible();
      await expect(main(page).getByRole("link", { name: "Log In" })).toHaveAttribute("href", there);
      await expect(banner.getByRole("link", { name: "Log In" })).toHaveAttribute("href", there);
      await expect(banner.getByRole("link", { name: "Sign Up" })).toHaveAttribute(
        "href",
        there.replace("login", "signup"),
      );
    } else {
      await expect(heading(page, "Log In")).toBeVisible();
      expect(page.url()).toContain(there);
    }
    await expect(page.getByRole("navigation", { name: "Main" })).toHaveCount(0);
    await expect(banner.getByRole("link", { name: /^Notifications/ })).toHaveCount(0);
    await expect(banner.getByRole("button", { name: "Account menu" })).toHaveCount(0);
  }
  const own = [
    ["/", "Welcome to Mellow"],
    ["/?tab=community-center", "Welcome to Mellow"],
    ["/no/such/page", "Page not found"],
    ["/groups/7", "Page not found"],
    ["/login", "Log In"],
    ["/signup", "Sign Up"],
    ["/forgot", "Reset your password"],
    ["/reset", "Choose a new password"],
    ["/verify", "Confirm your new email"],
    ["/away", "See you later."],
  ] as const;
  for (const [path, shows] of own) {
    await page.goto(path);
    await expect(heading(page, shows)).toBeVisible();
    await expect(main(page).getByText("This link has expired.")).toHaveCount(
      path === "/reset" || path === "/verify" ? 1 : 0,
    );
  }
  expect(guest.sockets).toEqual([]);
  await ana.leaves();
  await guest.leaves();
});

test("An unknown address shows a page that says so, and an unknown user a page that offers to find people", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const { page } = ana;
  for (const path of ["/no/such/page", "/a.b", "/admin", "/search.", "/groups/7", "/groups/x"]) {
    expect((await page.goto(path))?.status(), path).toBe(404);
    await expect(heading(page, "Page not found")).toBeVisible();
  }
  await main(page).getByRole("link", { name: "Back to Home" }).click();
  await expect(heading(page, "Your Space")).toBeVisible();
  for (const path of ["/profile/7", "/profile/abc", "/profile/7."]) {
    expect((await page.goto(path))?.status(), path).toBe(200);
    await expect(heading(page, "User not found")).toBeVisible();
    await expect(main(page).getByRole("link", { name: "Back to Home" })).toHaveAttribute("href", "/");
  }
  await main(page).getByRole("link", { name: "Find people" }).click();
  await expect(heading(page, "Search")).toBeVisible();
  expect((await page.goto("/post/abc"))?.status()).toBe(200);
  await expect(heading(page, "Your Space")).toBeVisible();
  await ana.leaves();
});

test("The wanted address is kept through log-in, sign-up and a forgotten password, and is never another site", async ({
  browser,
}) => {
  const ana = await signUp(browser, named("Ana"));
  const all = await places(ana);
  const guest = await openGuest(browser, "Guest");
  const { page } = guest;
  const arrived = async (path: string, shows: string) => {
    await expect(heading(page, shows)).toBeVisible();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
  };
  for (const { path, shows, asks } of all) {
    await page.goto(path);
    if (asks) await main(page).getByRole("link", { name: "Log In" }).click();
    await fills(page, ana.email, ana.password, "Log In");
    await arrived(path, shows);
    if (path.startsWith("/create-post"))
      await expect(page.getByRole("textbox", { name: "Tag" })).toHaveValue("Tea & toast");
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Log Out" }).click();
    // A prefilled tag alone does not ask before leaving.
    await expect(heading(page, "Welcome to Mellow")).toBeVisible();
  }

  // Through the other account pages to the wanted address.
  for (const { path, shows, asks } of all.filter(({ path }) => /post\/|settings/.test(path))) {
    await page.goto(path);
    if (asks) await page.getByRole("banner").getByRole("link", { name: "Log In" }).click();
    await main(page).getByRole("link", { name: "Forgot your password?" }).click();
    await main(page).getByRole("link", { name: "Log In" }).click();
    await main(page).getByRole("link", { name: "Sign Up" }).click();
    await fills(page, `guest.${process.pid}.${shows.toLowerCase()}@example.com`, guest.password, "Sign Up");
    await arrived(path, shows);
    await guest.logsOut();
  }
  // A new user who wanted no address sees their own profile. A link to another site leads home.
  await page.goto("/signup");
  await fills(page, guest.email, guest.password, "Sign Up");
  await expect(page).toHaveURL(/\/profile\/\d+$/);
  await guest.logsOut();
  await page.goto("/login?next=//example.com/mellow");
  await fills(page, guest.email, guest.password, "Log In");
  await arrived("/", "Your Space");
  // A signed-in user does not see the account pages.
  for (const path of ["/login?next=%2Fsearch", "/signup?next=%2Fsearch"]) {
    await page.goto(path);
    await arrived("/search", "Search");
  }
  await ana.leaves();
  await guest.leaves();
});
