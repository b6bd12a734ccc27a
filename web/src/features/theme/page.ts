// Reads the theme that the page contains. Guests have no other source, and signed-in users see it before the
// socket is open.

import type { Theme } from "../../engine/types.gen";

/** Returns the theme; null if the page has none. */
export function themeOfPage(): Theme | null {
  const content = document.head.querySelector<HTMLMetaElement>('meta[name="mellow:theme"]')?.content;
  if (content === undefined) return null;
  try {
    const held: unknown = JSON.parse(content);
    return isTheme(held) ? { ...held, own: held.own ?? null } : null;
  } catch {
    // The page's theme cannot be read, so the reply of the server brings it.
    return null;
  }
}

function isTheme(held: unknown): held is Theme {
  if (typeof held !== "object" || held === null) return false;
  return ["day", "title", "description", "tag"].every(
    (name) => typeof (held as Record<string, unknown>)[name] === "string",
  );
}
