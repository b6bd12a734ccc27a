// Which language the page is in: the account's, else the one chosen on this device, else the browser's, else the host's
// (D-L2). Both choices are kept on the device, so that the first paint knows them (theme/early.js).
//
// Promises: in English nothing more is fetched. If the file of a language cannot be fetched, the page stays as it is, so
// it is never empty. Of several choices the last one is shown, in whatever order their files come.

import type { Theme } from "./engine/types.gen";
import type { LanguageFile } from "./otherLanguage";
import { languageNow, setSpeech } from "./say";
import { local } from "./storage";

/** Whose choice it is. That of the account goes with its login. */
type Whose = "account" | "device";
const KEYS = { account: "mellow.language.account", device: "mellow.language" } as const;
/** The longest wait of the first render for the file of a language. The page is in English until it comes. */
const FILE_MS_MAX = 3_000;
/** Languages that are written from right to left. */
const FROM_RIGHT = /^(?:ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/u;
const IS_TAG = /^[a-z]{2,3}(?:-[A-Za-z0-9]+)*$/u;

const root = document.documentElement;
/** What applies without a choice: the browser's first language that Mellow has, else the host's (theme/early.js). */
const OF_BROWSER = root.dataset["language"] ?? "en";
/** The file of the language; null in English. */
let shown: LanguageFile | null = null;
/** The language that was asked for last. */
let asked = "en";

/** Returns whether a native speaker has read the texts of the page. */
export const isLanguageChecked = (): boolean => shown === null || shown.checked.length > 0;

/** Returns whether the page is in the language that it should be in; false while its file is missing. */
export const isLanguageHere = (): boolean => asked === languageNow();

/** Returns the words of a theme. Those of the built-in themes are in the language of the page, the host's as written. */
export function themeWords({ own, title, description }: Pick<Theme, "own" | "title" | "description">) {
  const said = own === null ? undefined : shown?.themes?.[own];
  return said === undefined ? { title, description } : { title: said.title, description: said.text };
}

/** Returns the choice of the account or of the device; null if there is none. */
export function chosenBy(whose: Whose): string | null {
  const kept = local.getItem(KEYS[whose]);
  return kept !== null && IS_TAG.test(kept) ? kept : null;
}

/** Returns the choice that applies; null if it is left to the browser. */
export const chosenLanguage = (): string | null => chosenBy("account") ?? chosenBy("device");

/** Shows the page in its language, and follows the choice of other tabs. Call it once, before the first render. */
export async function startLanguage(): Promise<void> {
  const follow = (): Promise<unknown> =>
    // Without its file the page stays as it is, and the tab in which the language was chosen says that it failed.
    show(chosenLanguage() ?? OF_BROWSER).catch(() => undefined);
  addEventListener("storage", ({ key }) => {
    if (key === null || key === KEYS.account || key === KEYS.device) void follow();
  });
  await Promise.race([follow(), new Promise((resolve) => setTimeout(resolve, FILE_MS_MAX))]);
  // The page was marked before its file was here.
  mark(languageNow());
}

/**
 * Shows a choice and keeps it on this device; null: no choice. Returns false if another one came meanwhile. Fails if the
 * file cannot be fetched; then nothing changes.
 */
export async function chooseLanguage(whose: Whose, choice: string | null): Promise<boolean> {
  const other = whose === "device" ? chosenBy("account") : null;
  const next = other ?? choice ?? (whose === "account" ? chosenBy("device") : null) ?? OF_BROWSER;
  if (!(await show(next))) return false;
  keepChoice(whose, choice);
  return true;
}

/** Keeps a choice without showing it. */
export function keepChoice(whose: Whose, choice: string | null): void {
  if (choice === null) local.removeItem(KEYS[whose]);
  else local.setItem(KEYS[whose], choice);
}

/** Shows a language. Returns false if another one was asked for meanwhile. */
async function show(tag: string): Promise<boolean> {
  asked = tag;
  if (tag === languageNow()) return true;
  try {
    const other = tag === "en" ? null : await import("./otherLanguage");
    const found = (await other?.fetchLanguage(tag)) ?? null;
    if (asked !== tag) return false;
    void found?.keep();
    shown = found?.file ?? null;
    mark(tag);
    setSpeech(other === null || found === null ? null : other.speechOf(tag, found.file));
    return true;
  } catch (error) {
    if (asked !== tag) return false;
    throw error;
  }
}

function mark(tag: string): void {
  root.lang = tag;
  root.dir = FROM_RIGHT.test(tag) ? "rtl" : "ltr";
}
