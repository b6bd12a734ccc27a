// The appearance of the page on this device: light or dark, and how much moves. The choice is in local storage
// and belongs to the device, not to the account. Without a choice the settings of the device apply.
//
// theme/early.js sets the same attributes before the first paint, so that nothing flashes.

import { useSyncExternalStore } from "react";
import { local } from "../storage";

export const THEMES = ["light", "dark", "device"] as const;
export const MOTIONS = ["full", "reduced", "device"] as const;
export type Theme = (typeof THEMES)[number];
export type Motion = (typeof MOTIONS)[number];
export type Appearance = { theme: Theme; motion: Motion };

const KEYS = { theme: "mellow.theme", motion: "mellow.motion" } as const;
/** The background of the page in both themes (tokens.css), for the bars of the browser. */
const GROUND = { light: "#faf6f0", dark: "#1a1714" } as const;

let look: Appearance = { theme: "device", motion: "device" };
const watchers = new Set<() => void>();

/**
 * Applies the choice, and later changes of it, also from other tabs. Call it once, before the first render.
 */
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

/** Returns whether motion is reduced. */
export function prefersStill(): boolean {
  return look.motion === "device" ? still().matches : look.motion === "reduced";
}

/** Calls `watch` when the choice or the setting of the device changes. */
export function watchLook(watch: () => void): () => void {
  watchers.add(watch);
  return () => watchers.delete(watch);
}

const still = (): MediaQueryList => matchMedia("(prefers-reduced-motion: reduce)");

function follow(): void {
  put({ theme: one(THEMES, local.getItem(KEYS.theme)), motion: one(MOTIONS, local.getItem(KEYS.motion)) });
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

/** Stores a choice. If storage is refused, the choice lasts as long as the page. */
function keep(key: string, value: string): void {
  if (value === "device") local.removeItem(key);
  else local.setItem(key, value);
}
