// The parts of home: its cards, and how a user shares a mood or asks a poll there.

import { execFileSync } from "node:child_process";

import { type Locator, type Page, expect } from "@playwright/test";

import { asked, name as key } from "./wire";

export const CENTER = "/?tab=community-center";
export const tab = (page: Page, name: string) =>
  page.getByRole("tablist", { name: "Home" }).getByRole("tab", { name, exact: true });
export const themeCard = (page: Page) => page.getByRole("region", { name: "Today's Theme" });
export const vibes = (page: Page) => page.getByRole("region", { name: "Vibe Check" });
export const moods = (page: Page) =>
  vibes(page).getByRole("list", { name: "Moods today" }).getByRole("listitem");
export const polls = (page: Page) => page.getByRole("region", { name: "Community Polls" });
export const poll = (page: Page, question: string) =>
  polls(page).getByRole("article", { name: question, exact: true });

export const box = (card: Locator) => card.getByRole("textbox", { name: "Write a comment" });
export const top = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;

/** Folds today's theme, which is open on the first visit of a day. */
export async function foldsTheme(page: Page): Promise<Locator> {
  const toggle = themeCard(page).getByRole("button", { name: "Today's Theme" });
  if ((await toggle.getAttribute("aria-expanded")) === "true") await toggle.click();
  return toggle;
}

/** Dismisses the first steps, so that home looks as it does for older accounts. */
export const dismissFirstSteps = (page: Page) =>
  asked(page, "newcomers.dismiss", { key: key(), what: "steps" });

/** Sets the theme by a command of the host. */
export function setsTheme(theme: { title: string; description: string; tag: string }): void {
  const words = Object.entries(theme).flatMap(([name, value]) => [`--${name}`, value]);
  execFileSync("../target/debug/mellow", ["theme", "set", ...words, "--data", process.env["E2E_DATA"] ?? ""]);
}

/** Returns a time zone in which it is about this hour now. */
export function timeZoneAt(hour: number): string {
  const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  // `Etc/GMT` names count westward. Firefox does not know the one with a zero.
  return ahead === 0 ? "UTC" : `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}

export async function shares(page: Page, slot: "Morning" | "Evening", mood: string): Promise<void> {
  await vibes(page)
    .getByRole("button", { name: `Set ${slot} Vibe`, exact: true })
    .click();
  await vibes(page).getByRole("radio", { name: mood, exact: true }).check();
  await vibes(page).getByRole("button", { name: "Share", exact: true }).click();
}

export async function asks(page: Page, question: string, options: string[]): Promise<void> {
  await polls(page).getByRole("button", { name: "Create Poll" }).click();
  const dialog = page.getByRole("dialog", { name: "Create Poll" });
  await dialog.getByRole("textbox", { name: "Question" }).fill(question);
  for (const [at, text] of options.entries()) {
    if (at > 1) await dialog.getByRole("button", { name: "Add option" }).click();
    await dialog.getByRole("textbox", { name: `Option ${at + 1}` }).fill(text);
  }
  await dialog.getByRole("button", { name: "Create Poll" }).click();
  await expect(dialog).toHaveCount(0);
}
