// Parts of the page that are loaded when they are first needed.
//
// Promise: a part that was loaded before is rendered at once. If a part could not be loaded, its parent shows
// the error in its place, and the rest of the page stays.

import { useCallback, useEffect, useEffectEvent, useState } from "react";

export type LazyPart<T> = { held: T | null; fetch(): Promise<T> };

/** Style sheets that failed to load. The bundler's loader requests each style sheet only once. */
const missing = new Set<string>();
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
    missing.add(target.href);
    target.remove();
  },
  true,
);

function fetchMissing(): Promise<unknown> {
  const sheets = [...missing].map(
    (href) =>
      new Promise<void>((resolve, reject) => {
        const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
        sheet.addEventListener("load", () => resolve());
        sheet.addEventListener("error", () => reject(new Error(`no ${href}`)));
        missing.delete(href);
        document.head.append(sheet);
      }),
  );
  return Promise.all(sheets);
}

/** Makes a part without loading it. */
export function lazyPart<T>(load: () => Promise<T>): LazyPart<T> {
  const part: LazyPart<T> = {
    held: null,
    fetch: async () => {
      if (part.held !== null) return part.held;
      await fetchMissing();
      part.held = await load();
      return part.held;
    },
  };
  return part;
}

/** How long a preload waits, so that the files of the current screen come first. */
const PRELOAD_DELAY_MS = 2_000;

/** Fetches the part in a quiet moment, so that a press shows it at once on a slow connection too. */
export function usePreload(part: LazyPart<unknown>): void {
  useEffect(() => {
    if (part.held !== null) return;
    // The press fetches it again, and then shows a failure.
    const timer = setTimeout(() => void part.fetch().catch(() => undefined), PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [part]);
}

/**
 * Loads the part while `enabled`, and returns it once it is loaded. With `onFailed` a failure is reported
 * once, and the caller must set `enabled` to false.
 */
export function useLazyPart<T>(
  part: LazyPart<T>,
  enabled: boolean,
  onFailed?: () => void,
): { part: T | null; failed: boolean; again(): void } {
  const [, came] = useState(0);
  const [failed, setFailed] = useState(false);
  const { held } = part;
  const isHeld = held !== null;
  const fail = useEffectEvent(() => {
    if (onFailed === undefined) setFailed(true);
    else onFailed();
  });
  useEffect(() => {
    if (!enabled || failed || isHeld) return;
    // If another component has loaded it meanwhile, this resolves at once.
    let listens = true;
    part.fetch().then(
      () => {
        if (listens) came((n) => n + 1);
      },
      () => {
        if (listens) fail();
      },
    );
    return () => {
      listens = false;
    };
  }, [part, enabled, failed, isHeld]);
  const again = useCallback(() => setFailed(false), []);
  return { part: enabled ? held : null, failed: enabled && failed, again };
}
