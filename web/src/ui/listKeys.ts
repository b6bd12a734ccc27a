// Arrow keys in a list of links: up and down, Home and End. Tab goes from link to link as always.

import type { KeyboardEvent } from "react";

/** Where this key leads from where the focus is; null when it is another key, or there is no further to go. */
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
