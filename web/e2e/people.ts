// People with browsers: each has a context of their own, so a cookie and a socket of their own.

import { type Browser, type BrowserContextOptions, type Locator, type Page, expect } from "@playwright/test";

import { signedUp } from "./wire";

let count = 0;
/** Whose profile a name leads to, of those who did not come in by a form. */
const ids = new Map<string, number>();

/** Somebody with an open tab. */
export class Person {
  /** Known of those who did not come in by a form. */
  id = 0;

  constructor(
    public name: string,
    readonly email: string,
    readonly password: string,
    readonly page: Page,
    readonly sockets: string[],
    readonly complaints: string[] = [],
  ) {}

  /** The card of a post that says `text`. */
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

  /** Goes to a page of Mellow as a link in it leads there. */
  async goesTo(path: string): Promise<void> {
    await this.page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  }

  /** Whoever signed up through the form is looked for by name first. */
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
    await this.page.getByRole("main").getByRole("button", { name: "Log In" }).click();
    await expect(this.page.getByRole("heading", { level: 1, name: "Your Space" })).toBeVisible();
  }

  /** Writes below a post. */
  async comments(post: string, words: string): Promise<void> {
    const card = this.post(post);
    await card.getByRole("textbox", { name: "Write a comment" }).fill(words);
    await card.getByRole("button", { name: "Post Comment" }).click();
    await expect(card.getByRole("textbox", { name: "Write a comment" })).toHaveValue("");
  }

  /** Takes another name; the own profile is open then. */
  async renames(name: string): Promise<void> {
    await this.goesToOwnProfile();
    await this.page.getByRole("button", { name: "Edit Profile" }).click();
    await this.page.getByRole("textbox", { name: "Display name" }).fill(name);
    await this.page.getByRole("button", { name: "Save" }).click();
    await expect(this.page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
    this.name = name;
  }

  /** What the toasts say. */
  says(words: string): Locator {
    return this.page
      .getByRole("region", { name: /^Messages/ })
      .getByRole("listitem")
      .filter({ hasText: words });
  }

  /** Opens a further tab of the same browser. */
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

/** Opens a browser for somebody new and signs them up through the form. */
export async function newcomer(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const person = await stranger(browser, name, options);
  const { page } = person;
  await page.goto("/signup");
  await page.getByRole("textbox", { name: "Email" }).fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("textbox", { name: "What should people call you?" }).fill(name);
  await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return person;
}

/** Opens a browser for somebody new, who is where the form would have led them. */
export async function someone(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const person = await stranger(browser, name, options);
  const { page } = person;
  // A page of the server's, and not of the app's.
  await page.goto("/metrics");
  person.id = await signedUp(page, person);
  ids.set(name, person.id);
  await page.goto(`/profile/${person.id}`);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return person;
}

/** Opens a browser for somebody who has not signed up. */
export async function stranger(
  browser: Browser,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  count += 1;
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const sockets: string[] = [];
  const email = `${name.toLowerCase().replace(/[^a-z]/g, "")}.${process.pid}.${count}@example.com`;
  const person = new Person(name, email, "kettle on the stove", page, sockets);
  page.on("websocket", (socket) => sockets.push(socket.url()));
  watch(page, person.complaints);
  return person;
}

/** The same person with another device: a browser of its own, and a login of its own. */
export async function elsewhere(
  browser: Browser,
  who: Person,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const device = await stranger(browser, who.name, options);
  const there = new Person(who.name, who.email, who.password, device.page, device.sockets, device.complaints);
  await there.logsIn();
  return there;
}

function watch(page: Page, complaints: string[]): void {
  page.on("console", (message) => {
    // The browser notes that a page came with the status 404; Mellow's own says so to people.
    const isPage = message.location().url === page.url() && message.text().includes("status of 404");
    if (!isPage && (message.type() === "error" || message.type() === "warning"))
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
}

/** A name that nobody else in this run has. */
export function named(name: string): string {
  count += 1;
  return `${name} ${process.pid}-${count}`;
}
