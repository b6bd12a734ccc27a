// Users with browsers: each has a browser context, so a cookie and a socket of their own.

import {
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
  devices,
  expect,
} from "@playwright/test";

import { letFirefoxPlay, opened } from "./engines/firefox";
import { signedUp } from "./wire";

const { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch } = devices["Pixel 7"];
/** A phone: its window, its touch screen and the name of its browser. */
export const phone = { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch };
/** A desktop browser with a window of the size of a phone. */
export const phoneSized = { viewport: { width: 390, height: 844 } };

let count = 0;
/** The ids of users who did not sign up through the form, by name. */
const ids = new Map<string, number>();

/** A user with an open tab. */
export class Person {
  /** 0 for a user who signed up through the form. */
  id = 0;

  constructor(
    public name: string,
    readonly email: string,
    readonly password: string,
    readonly page: Page,
    readonly sockets: string[],
    readonly complaints: string[] = [],
  ) {}

  /** The card of the post with this text. */
  post(text: string): Locator {
    return this.page.getByRole("article").filter({ hasText: text });
  }

  async publishes(text: string, more: { title?: string; tag?: string } = {}): Promise<void> {
    await this.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Post" }).click();
    await this.page.getByRole("textbox", { name: "Text" }).fill(text);
    if (more.title) await this.page.getByRole("textbox", { name: "Title" }).fill(more.title);
    if (more.tag) await this.page.getByRole("textbox", { name: "Tag" }).fill(more.tag);
    await this.page.getByRole("button", { name: "Share Post" }).click();
    await expect(this.post(text)).toBeVisible();
  }

  async goesHome(): Promise<void> {
    await this.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
    await expect(this.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  }

  async goesToOwnProfile(): Promise<void> {
    await this.page.getByRole("button", { name: "Account menu" }).click();
    await this.page.getByRole("menuitem", { name: "View Profile" }).click();
    await expect(this.page.getByRole("heading", { level: 1, name: this.name })).toBeVisible();
  }

  async finds(name: string): Promise<void> {
    await this.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Search" }).click();
    await this.page.getByRole("searchbox", { name: "Search by name" }).fill(name);
    await this.page.getByRole("list", { name: "Results" }).getByRole("link", { name }).click();
    await expect(this.page.getByRole("heading", { level: 1, name })).toBeVisible();
  }

  /** Navigates within the app, as one of its links does. */
  async goesTo(path: string): Promise<void> {
    await this.page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  }

  /** Follows a user. A user who signed up through the form is searched by name first. */
  async follows(name: string): Promise<void> {
    const id = ids.get(name);
    if (id === undefined) await this.finds(name);
    else await this.goesTo(`/profile/${id}`);
    await expect(this.page.getByRole("heading", { level: 1, name })).toBeVisible();
    await this.page.getByRole("button", { name: "Follow", exact: true }).click();
    await expect(this.page.getByRole("button", { name: "Unfollow" })).toBeVisible();
  }

  async logsOut(): Promise<void> {
    await this.page.getByRole("button", { name: "Account menu" }).click();
    await this.page.getByRole("menuitem", { name: "Log Out" }).click();
    await expect(this.page.getByRole("heading", { name: "Welcome to Mellow" })).toBeVisible();
  }

  async logsIn(): Promise<void> {
    await this.page.goto("/login");
    await this.page.getByRole("textbox", { name: "Email" }).fill(this.email);
    await this.page.getByLabel("Password", { exact: true }).fill(this.password);
    await this.page.getByRole("main").getByRole("button", { name: "Log In", exact: true }).click();
    await expect(this.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  }

  /** Comments on a post. */
  async comments(post: string, words: string): Promise<void> {
    const card = this.post(post);
    await card.getByRole("textbox", { name: "Write a comment" }).fill(words);
    await card.getByRole("button", { name: "Post Comment" }).click();
    await expect(card.getByRole("textbox", { name: "Write a comment" })).toHaveValue("");
  }

  /** Changes the display name. Afterwards the user's own profile is open. */
  async renames(name: string): Promise<void> {
    await this.goesToOwnProfile();
    await this.page.getByRole("button", { name: "Edit Profile" }).click();
    await this.page.getByRole("textbox", { name: "Display name" }).fill(name);
    await this.page.getByRole("button", { name: "Save" }).click();
    await expect(this.page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
    this.name = name;
  }

  /** The toast with this text. */
  toast(words: string): Locator {
    return this.page
      .getByRole("region", { name: /^Messages/ })
      .getByRole("listitem")
      .filter({ hasText: words });
  }

  /** Opens another tab of the same browser. */
  async opens(path: string): Promise<Page> {
    const page = await this.page.context().newPage();
    watch(page, this.complaints);
    await page.goto(path);
    return page;
  }

  async leaves(): Promise<void> {
    await this.page.context().close();
    expect(this.complaints, `${this.name}'s console`).toEqual([]);
  }
}

/** Opens a browser for a new user and signs up through the form. */
export async function signUpByForm(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const person = await openGuest(browser, name, options);
  const { page } = person;
  await page.goto("/signup");
  await page.getByRole("textbox", { name: "Email" }).fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("textbox", { name: "What should people call you?" }).fill(name);
  await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return person;
}

/** Opens a browser for a new user, signs up without the form, and opens the page to which the form leads. */
export async function signUp(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const person = await openGuest(browser, name, options);
  const { page } = person;
  // This page is of the same origin and does not load the app.
  await page.goto("/metrics");
  person.id = await signedUp(page, person);
  ids.set(name, person.id);
  await page.goto(`/profile/${person.id}`);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return person;
}

/** Opens a browser that is not signed in. */
export async function openGuest(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  count += 1;
  const context = await opened(browser, options);
  const page = await context.newPage();
  const sockets: string[] = [];
  // A name may have no Latin letters, and an address must not begin with a dot.
  const letters = name.toLowerCase().replace(/[^a-z]/g, "") || "someone";
  const email = `${letters}.${process.pid}.${count}@example.com`;
  const person = new Person(name, email, "kettle on the stove", page, sockets);
  page.on("websocket", (socket) => sockets.push(socket.url()));
  watch(page, person.complaints);
  letFirefoxPlay(page);
  return person;
}

/**
 * Logs the same user in on another device, which has its own browser and login. The account knows this browser, so
 * that the log-in makes no notice.
 */
export async function openOtherDevice(
  browser: Browser,
  who: Person,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const device = await openGuest(browser, who.name, options);
  const cookies = await who.page.context().cookies();
  await device.page.context().addCookies(cookies.filter(({ name }) => name === "mellow-device"));
  return loggedIn(device, who);
}

/** Logs the same user in on another device, whose browser the account does not know. */
export async function openUnknownDevice(
  browser: Browser,
  who: Person,
  options: BrowserContextOptions = {},
): Promise<Person> {
  return loggedIn(await openGuest(browser, who.name, options), who);
}

async function loggedIn({ page, sockets, complaints }: Person, who: Person): Promise<Person> {
  const there = new Person(who.name, who.email, who.password, page, sockets, complaints);
  await there.logsIn();
  return there;
}

function watch(page: Page, complaints: string[]): void {
  page.on("console", (message) => {
    // The browser logs an error for a page with the status 404. Mellow's page for unknown addresses has that
    // status.
    const isPage = message.location().url === page.url() && message.text().includes("status of 404");
    // Only a story switches the network off. What the page fetches ahead may fail then, and is fetched again.
    const isOffline = message.text().includes("net::ERR_INTERNET_DISCONNECTED");
    if (!isPage && !isOffline && (message.type() === "error" || message.type() === "warning"))
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
}

/** Returns a name that is unique in this run. */
export function named(name: string): string {
  count += 1;
  return `${name} ${process.pid}-${count}`;
}
