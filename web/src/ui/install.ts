// The browser's offer to install Mellow. It comes once, some time after the page has opened, and is kept for Settings.

import { useSyncExternalStore } from "react";

type Offer = Event & { prompt(): Promise<unknown> };

let offer: Offer | null = null;
const watchers = new Set<() => void>();

function set(to: Offer | null): void {
  offer = to;
  for (const watcher of watchers) watcher();
}

/** Begins to wait for the offer. */
export function startInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    // Otherwise some browsers put a banner over the page.
    event.preventDefault();
    set(event as Offer);
  });
  addEventListener("appinstalled", () => set(null));
}

/** Installs Mellow, after the browser has asked; null while the browser does not offer it. */
export function useInstall(): (() => void) | null {
  const held = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => offer,
  );
  if (held === null) return null;
  return () => {
    // An offer can be taken once.
    set(null);
    void held.prompt().catch(() => undefined);
  };
}
