// The list of toasts. Toasts.tsx shows at most two at once, and the others wait. A message that needs a
// decision is a dialog, not a toast.

import { announce } from "./announce";

export const TOAST_MS = 3_000;
export const TOASTS_MAX = 2;

export type Toast = { id: number; message: string; error: boolean; ms: number };

let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const watch of watchers) watch();
}

/** Shows a message and announces it. */
export function toast(
  message: string,
  { error = false, ms = TOAST_MS }: { error?: boolean; ms?: number } = {},
): void {
  // A message that is shown again replaces the first one and starts its time again.
  const rest = toasts.filter((other) => other.message !== message);
  lastId += 1;
  set([...rest, { id: lastId, message, error, ms }]);
  announce(message, { urgent: error });
}

export function dropToast(id: number): void {
  set(toasts.filter((other) => other.id !== id));
}

export const toastList = {
  get: (): readonly Toast[] => toasts,
  watch: (watch: () => void): (() => void) => {
    watchers.add(watch);
    return () => watchers.delete(watch);
  },
  clear: (): void => set([]),
};
