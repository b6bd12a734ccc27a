// A tab of any engine, and how a story finds the parts of its page: by role and accessible name, as a screen reader
// does. Each engine has an adapter (playwright.ts, webdriver.ts); stories know only this file and person.ts.

import { type Page, expect } from "@playwright/test";

export type Engine = "chromium" | "firefox" | "webkit";
export type Role = Parameters<Page["getByRole"]>[0];
export type File = { name: string; bytes: Buffer };

/** One step towards a part of the page. Names, labels and texts are compared whole, unless they are an expression. */
export type Step =
  | { role: Role; name?: string | RegExp; level?: number }
  | { label: string }
  | { text: string | RegExp }
  /** Keeps only the parts that contain these words. */
  | { has: string };

/** What a story may ask about a part. */
export type Seen = {
  text: string;
  value: string;
  hasFocus: boolean;
  isDisabled: boolean;
  isChecked: boolean;
  /** The width of a picture that is loaded, otherwise 0. */
  width: number;
  attributes: Record<string, string>;
};

export interface Tab {
  readonly engine: Engine;
  /** Loads a page. A path is one of the site of this tab. */
  goesTo(path: string): Promise<void>;
  reloads(): Promise<void>;
  goesBack(): Promise<void>;
  evaluate<R>(script: () => R): Promise<Awaited<R>>;
  evaluate<R, A>(script: (arg: A) => R, arg: A): Promise<Awaited<R>>;
  /** Returns what is seen of each part there. */
  all(steps: readonly Step[]): Promise<Seen[]>;
  /** Presses the only such part, when it is there, enabled and does not move. */
  presses(steps: readonly Step[]): Promise<void>;
  /** Presses a key, such as `Enter`. */
  key(name: string): Promise<void>;
  /** Takes the last change of the field with the focus back, as the browser's own command does. */
  undoes(): Promise<void>;
  /** Types where the focus is. */
  types(words: string): Promise<void>;
  chooses(steps: readonly Step[], files: readonly File[]): Promise<void>;
  resizes(width: number, height: number): Promise<void>;
  screenshot(): Promise<Buffer>;
  closes(): Promise<void>;
}

/** Runs in the page, in every engine. */
export function seen(part: Element): Seen {
  const { innerText, value, disabled, checked, naturalWidth } = part as HTMLInputElement & HTMLImageElement;
  return {
    text: innerText ?? "",
    value: String(value ?? ""),
    hasFocus: part === document.activeElement,
    isDisabled: disabled === true,
    isChecked: checked === true,
    width: naturalWidth ?? 0,
    attributes: Object.fromEntries(Array.from(part.attributes, ({ name, value: is }) => [name, is])),
  };
}

/** A part of a page, or several. It is looked for each time, like a locator of Playwright. */
export class Part {
  constructor(
    readonly tab: Tab,
    readonly steps: readonly Step[],
  ) {}

  role(role: Role, name?: string | RegExp): Part {
    return this.and(name === undefined ? { role } : { role, name });
  }

  heading(name: string | RegExp, level: number): Part {
    return this.and({ role: "heading", name, level });
  }

  label(label: string): Part {
    return this.and({ label });
  }

  text(text: string | RegExp): Part {
    return this.and({ text });
  }

  with(words: string): Part {
    return this.and({ has: words });
  }

  private and(step: Step): Part {
    return new Part(this.tab, [...this.steps, step]);
  }

  async presses(): Promise<void> {
    await this.tab.presses(this.steps);
  }

  /** Replaces what a field holds, with real keys. */
  async fills(words: string): Promise<void> {
    await this.presses();
    await this.tab.evaluate(() => (document.activeElement as HTMLInputElement).select());
    if (words === "") await this.tab.key("Backspace");
    else await this.tab.types(words);
    await this.holds(words);
  }

  async chooses(...files: File[]): Promise<void> {
    await this.tab.chooses(this.steps, files);
  }

  all(): Promise<Seen[]> {
    return this.tab.all(this.steps);
  }

  async isShown(): Promise<void> {
    await this.count(1);
  }

  async isGone(): Promise<void> {
    await this.count(0);
  }

  async count(is: number): Promise<void> {
    await this.expects("count", async () => (await this.all()).length).toBe(is);
  }

  async says(words: string | RegExp): Promise<void> {
    const text = this.expects("text", async () => (await this.all()).map((one) => one.text).join("\n"));
    await (typeof words === "string" ? text.toContain(words) : text.toMatch(words));
  }

  async holds(value: string): Promise<void> {
    await this.expects("value", async () => (await this.all())[0]?.value).toBe(value);
  }

  async has(attribute: string, value: string): Promise<void> {
    await this.expects(attribute, async () => (await this.all())[0]?.attributes[attribute]).toBe(value);
  }

  async is(what: "hasFocus" | "isDisabled" | "isChecked", wanted = true): Promise<void> {
    await this.expects(what, async () => (await this.all())[0]?.[what]).toBe(wanted);
  }

  /** Waits until the picture here is loaded. */
  async isDrawn(): Promise<void> {
    await this.expects("picture", async () => (await this.all())[0]?.width ?? 0).toBeGreaterThan(0);
  }

  private expects<T>(what: string, ask: () => Promise<T>) {
    const message = `${this.tab.engine}: ${what} of ${this.steps.map(told).join(" > ")}`;
    return expect.poll(ask, { message, intervals: [50] });
  }
}

const told = (step: Step): string =>
  Object.values(step)
    .map((value) => String(value))
    .join(" ");
