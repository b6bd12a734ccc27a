// Chromium and Firefox, driven by Playwright.

import type { Locator, Page } from "@playwright/test";

import { typesInFirefox } from "./firefox";
import { type Engine, type File, type Seen, type Step, type Tab, seen } from "./tab";

export class PlaywrightTab implements Tab {
  constructor(
    readonly engine: Engine,
    private readonly page: Page,
  ) {}

  async goesTo(path: string): Promise<void> {
    await this.page.goto(path);
  }

  async reloads(): Promise<void> {
    await this.page.reload();
  }

  async goesBack(): Promise<void> {
    await this.page.goBack();
  }

  evaluate<R, A>(script: (arg: A) => R, arg?: A): Promise<Awaited<R>> {
    return this.page.evaluate(script as (arg: unknown) => R, arg) as Promise<Awaited<R>>;
  }

  /**
   * Handles are taken first, because Firefox 153 crashes if Playwright looks for a radio button or a checkbox by its name
   * in the page's own scripts, as `evaluateAll` does.
   */
  async all(steps: readonly Step[]): Promise<Seen[]> {
    for (;;)
      try {
        const parts = await this.found(steps).filter({ visible: true }).elementHandles();
        return await Promise.all(parts.map((part) => part.evaluate(seen)));
      } catch (error) {
        // Firefox says this while a page is loading.
        if (!String(error).includes("Execution context was destroyed")) throw error;
        if (this.page.isClosed()) throw error;
      }
  }

  async presses(steps: readonly Step[]): Promise<void> {
    await this.found(steps).filter({ visible: true }).click();
  }

  async key(name: string): Promise<void> {
    await this.page.keyboard.press(name);
  }

  async undoes(): Promise<void> {
    await this.key("ControlOrMeta+z");
  }

  async types(words: string): Promise<void> {
    await (this.engine === "firefox" ? typesInFirefox(this.page, words) : this.page.keyboard.type(words));
  }

  async chooses(steps: readonly Step[], files: readonly File[]): Promise<void> {
    await this.found(steps).setInputFiles(
      files.map(({ name, bytes }) => ({ name, mimeType: "image/jpeg", buffer: bytes })),
    );
  }

  async resizes(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
  }

  screenshot(): Promise<Buffer> {
    return this.page.screenshot();
  }

  async closes(): Promise<void> {
    await this.page.context().close();
  }

  private found(steps: readonly Step[]): Locator {
    let found = this.page.locator("body");
    for (const step of steps)
      if ("role" in step) {
        const { role, ...named } = step;
        found = found.getByRole(role, { ...named, exact: true });
      } else if ("label" in step) found = found.getByLabel(step.label, { exact: true });
      else if ("text" in step) found = found.getByText(step.text, { exact: true });
      else found = found.filter({ hasText: step.has });
    return found;
  }
}
