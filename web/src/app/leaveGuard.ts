// The leave guard of a page with unsaved text. Links, redirects, logout, Back and Forward all pass through
// this file. The page that registered the guard decides (compose/guardPage.ts).
//
// While the guard reverts a step through the history, the router keeps showing the page.

import type { AroundNavHandler, BaseLocationHook } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";

/** Called instead of leaving the page; `go` leaves it. */
export type Guard = (go: () => void, logsOut: boolean) => void;

type Step = (event: PopStateEvent) => void;

let guard: Guard | null = null;
let steps: Step | null = null;
let shown: { path: string; search: string } | null = null;

// A window calls its listeners in the order of their registration, so this one runs before the router's.
addEventListener("popstate", (event) => steps?.(event), { capture: true });

/**
 * Registers a guard. `onStep` may stop a step through the history before other listeners see it. Returns a
 * function that removes the guard.
 */
export function guardLeaving(by: Guard, onStep: Step): () => void {
  guard = by;
  steps = onStep;
  return () => {
    if (guard !== by) return;
    guard = steps = null;
  };
}

export const isGuarded = (): boolean => guard !== null;

/** Leaves the page, or lets the guard decide. */
export function leave(go: () => void, logsOut = false): void {
  if (guard === null) go();
  else guard(go, logsOut);
}

export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  // A filter or a second press leads to the same page.
  if (new URL(to, location.href).pathname === location.pathname) navigate(to, options);
  else leave(() => navigate(to, options));
};

/** The router shows this address, whatever the address bar says. Null: it shows the address again. */
export function showAddress(address: { path: string; search: string } | null): void {
  shown = address;
}

export const useShownLocation: BaseLocationHook = () => [
  useLocationProperty(() => shown?.path ?? location.pathname),
  navigate,
];
const useShownSearch = (): string => useLocationProperty(() => shown?.search ?? location.search);
useShownLocation.searchHook = useShownSearch;
