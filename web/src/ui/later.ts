// Parts of the page that are fetched when they are first wanted, so that nobody waits at the door for
// what may never be looked at.
//
// Promise: a part that was fetched once is there at once the next time; one that could not be fetched is
// said so by whoever wanted it, in its own place, and the rest of the page stays.

import { useEffect, useState } from "react";

export type Later<T> = { held: T | null; fetch(): Promise<T> };

/** Style sheets that did not come. Whoever fetches parts asks for each of them once and never again. */
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

/** Names a part; nothing is fetched yet. */
export function later<T>(load: () => Promise<T>): Later<T> {
  const part: Later<T> = {
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

/** How long what is looked at now has the line for itself. */
const REST_MS = 2_000;

/** Fetches the part in a quiet moment: a press then shows it at once, also from a poor line. */
export function useAhead(part: Later<unknown>): void {
  useEffect(() => {
    if (part.held !== null) return;
    const timer = setTimeout(() => void part.fetch().catch(() => undefined), REST_MS);
    return () => clearTimeout(timer);
  }, [part]);
}

/** The part, once it is wanted and there. */
export function useLater<T>(part: Later<T>, wanted: boolean): { part: T | null; failed: boolean; again(): void } {
  const [, came] = useState(0);
  const [failed, setFailed] = useState(false);
  const { held } = part;
  useEffect(() => {
    if (!wanted || failed || held !== null) return;
    // When it came meanwhile for somebody else, the answer is here at once.
    let listens = true;
    part.fetch().then(
      () => {
        if (listens) came((n) => n + 1);
      },
      () => {
        if (listens) setFailed(true);
      },
    );
    return () => {
      listens = false;
    };
  }, [part, wanted, failed]);
  return { part: wanted ? held : null, failed: wanted && failed, again: () => setFailed(false) };
}
