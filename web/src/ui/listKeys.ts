// Keys in a list of links: Up, Down, Home and End move the focus. Tab goes from link to link as usual.

import type { KeyboardEvent } from "react";

/** Returns the link that a key moves the focus to; null for other keys and beyond the first or last link. */
export function linkAt(event: KeyboardEvent, list: Element | null): HTMLElement | null {
  if (list === null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const links = [...list.querySelectorAll<HTMLElement>("a[href]")];
  const at = links.findIndex((link) => link === document.activeElement);
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? -1 : at - 1,
    Home: at < 0 ? -1 : 0,
    End: at < 0 ? -1 : links.length - 1,
  }[event.key];
  return to === undefined ? null : (links[to] ?? null);
}
