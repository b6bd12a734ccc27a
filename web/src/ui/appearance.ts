// The appearance of the page on this device: light or dark, and how much moves. The choice is in local storage
// and belongs to the device, not to the account; without a choice the device decides.
//
// theme/early.js sets the same attributes before the first paint, so that nothing flashes.

import { useSyncExternalStore } from "react";

export const THEMES = ["light", "dark", "device"] as const;
export const MOTIONS = ["full", "reduced", "device"] as const;
export type Theme = (typeof THEMES)[number];
export type Motion = (typeof MOTIONS)[number];
export type Appearance = { theme: Theme; motion: Motion };

const KEYS = { theme: "mellow.theme", motion: "mellow.motion" } as const;
/** The page's ground in both themes (tokens.css), for the browser's own bars around it. */
const GROUND = { light: "#faf6f0", dark: "#1a1714" } as const;

let look: Appearance = { theme: "device", motion: "device" };
const watchers = new Set<() => void>();

/** Reads the choice and follows it, also when it is made on another tab. Call it once, before the first render. */
export function startAppearance(): void {
  follow();
  addEventListener("storage", (event) => {
    if (event.key === null || event.key === KEYS.theme || event.key === KEYS.motion) follow();
  });
  still().addEventListener("change", notify);
}

export function setTheme(theme: Theme): void {
  keep(KEYS.theme, theme);
  put({ ...look, theme });
}

export function setMotion(motion: Motion): void {
  keep(KEYS.motion, motion);
  put({ ...look, motion });
}

export function useAppearance(): Appearance {
  return useSyncExternalStore(watchLook, () => look);
}

/** Whether things cut instead of moving. */
export function prefersStill(): boolean {
  return look.motion === "device" ? still().matches : look.motion === "reduced";
}

/** Tells when the choice, or the device's own, has changed. */
export function watchLook(watch: () => void): () => void {
  watchers.add(watch);
  return () => watchers.delete(watch);
}

const still = (): MediaQueryList => matchMedia("(prefers-reduced-motion: reduce)");

function follow(): void {
  put({ theme: one(THEMES, read(KEYS.theme)), motion: one(MOTIONS, read(KEYS.motion)) });
}

function put(next: Appearance): void {
  look = next;
  const { documentElement: root, head } = document;
  for (const [name, value] of Object.entries(next)) {
    if (value === "device") delete root.dataset[name];
    else root.dataset[name] = value;
  }
  for (const meta of head.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.getAttribute("media")?.includes("dark") === true ? "dark" : "light";
    meta.content = GROUND[next.theme === "device" ? own : next.theme];
  }
  notify();
}

function notify(): void {
  for (const watch of watchers) watch();
}

function one<T extends string>(known: readonly T[], held: string | null): T | "device" {
  return known.find((value) => value === held) ?? "device";
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Where storage is forbidden the choice lasts as long as the page. */
function keep(key: string, value: string): void {
  try {
    if (value === "device") localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // See above.
  }
}
