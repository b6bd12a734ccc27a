// People in the stories of the engines. Each has a browser of one engine, with a cookie and a socket of its own.

import { named } from "../people";
import { posted, signedUp } from "../wire";
import { type Role, type Tab, Part } from "./tab";

export class Visitor {
  readonly name: string;
  readonly email: string;
  readonly password = "kettle on the stove";
  /** 0 for a user who signed up through the form. */
  id = 0;

  constructor(
    readonly tab: Tab,
    name: string,
  ) {
    this.name = named(name);
    this.email = `${this.name.toLowerCase().replace(/[^a-z0-9]/g, "")}.${tab.engine}@example.com`;
  }

  role(role: Role, name?: string | RegExp): Part {
    return new Part(this.tab, []).role(role, name);
  }

  label(label: string): Part {
    return new Part(this.tab, [{ label }]);
  }

  text(text: string | RegExp): Part {
    return new Part(this.tab, [{ text }]);
  }

  heading(name: string, level = 1): Part {
    return new Part(this.tab, []).heading(name, level);
  }

  /** The card of the post with this text. */
  post(text: string): Part {
    return this.role("article").with(text);
  }

  /** The messages that appear for a moment. */
  toast(words: string): Part {
    return this.role("region", /^Messages/)
      .role("listitem")
      .with(words);
  }

  /** Signs up through the form. */
  async signsUpByForm(): Promise<void> {
    await this.tab.goesTo("/signup");
    await this.role("textbox", "Email").fills(this.email);
    await this.label("Password").fills(this.password);
    await this.role("textbox", "What should people call you?").fills(this.name);
    await this.role("main").role("button", "Sign Up").presses();
    await this.heading(this.name).isShown();
  }

  /** Signs up without the form, and opens home. */
  async signsUp(): Promise<this> {
    // This page is of the same origin and does not load the app.
    await this.tab.goesTo("/metrics");
    this.id = await signedUp(this.tab, this);
    await this.tab.goesTo("/");
    await this.heading("Your Space").isShown();
    return this;
  }

  async logsIn(password = this.password): Promise<void> {
    await this.role("textbox", "Email").fills(this.email);
    await this.label("Password").fills(password);
    await this.role("main").role("button", "Log In").presses();
  }

  async chooses(item: string): Promise<void> {
    await this.role("button", "Account menu").presses();
    await this.role("menuitem", item).presses();
  }

  async opens(place: "Home" | "Post" | "Search"): Promise<void> {
    await this.role("navigation", "Main").role("link", place).presses();
  }

  async follows(who: { id: number; name: string }): Promise<void> {
    await this.tab.goesTo(`/profile/${who.id}`);
    await this.heading(who.name).isShown();
    await this.role("button", "Follow").presses();
    await this.role("button", "Unfollow").isShown();
  }

  async publishes(text: string): Promise<void> {
    await this.opens("Post");
    await this.role("textbox", "Text").fills(text);
    await this.role("button", "Share Post").presses();
    await this.post(text).isShown();
  }

  async comments(post: string, words: string): Promise<void> {
    const box = this.post(post).role("textbox", "Write a comment");
    await box.fills(words);
    await this.post(post).role("button", "Post Comment").presses();
    await box.holds("");
  }

  /** Publishes without the form. Returns the id of the post. */
  posted(
    text: string,
    ...more: [Parameters<typeof posted>[2]?, Parameters<typeof posted>[3]?]
  ): Promise<number> {
    return posted(this.tab, text, ...more);
  }
}
