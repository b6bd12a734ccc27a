// Does what a browser does when it loads a page: sets the title, moves the focus to the start of the new
// page, and restores the scroll position and the post that had the focus after Back.

import type { RefObject } from "react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { shell } from "../text";
import { setReturning } from "../ui/returning";
import { ScrollPositions } from "./scrollPositions";

/** How long to wait until a page that still loads is long enough for its old scroll position. */
const RESTORE_MS = 5_000;
/** How long a heading may take to appear before the focus goes to the page itself. */
const HEADING_MS = 1_000;

const places = new ScrollPositions();

export function usePage(main: RefObject<HTMLElement | null>): void {
  const [path] = useLocation();
  const search = useSearch();
  const first = useRef(true);
  const lastPath = useRef(path);

  useEffect(() => places.start(), []);
  useEffect(() => titleFromHeading(main.current), [main]);

  useLayoutEffect(() => {
    const opening = first.current;
    first.current = false;
    const samePath = lastPath.current === path;
    lastPath.current = path;
    const { y, back, item } = places.arrive();
    const stopScroll = y > 0 ? scrollWhenLong(y) : scrollToTop(opening && !back);
    // The browser sets the focus of the first page itself.
    const stopFocus = opening ? nothing : focusStart(main.current, samePath, item);
    return () => {
      stopScroll();
      stopFocus();
    };
  }, [path, search, main]);
}

function nothing(): void {
  // There is nothing to stop.
}

function scrollToTop(skip: boolean): () => void {
  if (!skip) scrollTo({ top: 0, behavior: "instant" });
  return nothing;
}

/** Scrolls to `y` as soon as the page is long enough, unless the reader scrolls first. */
function scrollWhenLong(y: number): () => void {
  const go = (): boolean => {
    scrollTo({ top: y, behavior: "instant" });
    return Math.abs(scrollY - y) < 2;
  };
  if (go()) {
    // Parts that measured themselves in this render, such as a folded text, are rendered once more, which may
    // move the page.
    queueMicrotask(go);
    return nothing;
  }
  setReturning(true);
  const watcher = new ResizeObserver(() => {
    if (go()) stop();
  });
  const timer = setTimeout(() => stop(), RESTORE_MS);
  const moved = ["wheel", "touchstart", "keydown", "pointerdown"];
  const stop = (): void => {
    setReturning(false);
    watcher.disconnect();
    clearTimeout(timer);
    for (const kind of moved) removeEventListener(kind, stop);
  };
  watcher.observe(document.body);
  for (const kind of moved) addEventListener(kind, stop, { passive: true });
  return stop;
}

/**
 * Moves the focus to the heading of the new page, which may appear later. A filter on a page keeps the focus.
 * After Back it goes to the item that had it, because from the heading the Tab key would lead to the top again.
 */
function focusStart(main: HTMLElement | null, samePath: boolean, item: string | undefined): () => void {
  if (main === null) return nothing;
  if (samePath && document.activeElement !== document.body) return nothing;
  const go = (): boolean => {
    // A placeholder heading would lose the focus when it is replaced.
    const heading = main.querySelector<HTMLElement>("h1:not([data-coming])");
    if (heading === null) return false;
    const start = (item !== undefined && main.querySelector<HTMLElement>(`[data-item="${item}"]`)) || heading;
    // The user is already active on the new page, for example in its first field.
    if (main.contains(document.activeElement) && document.activeElement !== main) return true;
    start.tabIndex = -1;
    start.focus({ preventScroll: true });
    return true;
  };
  if (go()) return nothing;
  main.focus({ preventScroll: true });
  const watcher = new MutationObserver(() => {
    if (go()) stop();
  });
  const timer = setTimeout(() => stop(), HEADING_MS);
  const stop = (): void => {
    watcher.disconnect();
    clearTimeout(timer);
  };
  watcher.observe(main, { childList: true, subtree: true });
  return stop;
}

/** Keeps the document's title equal to the heading of the page. */
function titleFromHeading(main: HTMLElement | null): () => void {
  if (main === null) return nothing;
  const set = (): void => {
    const heading = main.querySelector("h1")?.textContent.trim() ?? "";
    const title = heading === "" || heading === shell.name ? shell.name : `${heading} · ${shell.name}`;
    if (document.title !== title) document.title = title;
  };
  set();
  const watcher = new MutationObserver(set);
  watcher.observe(main, { childList: true, subtree: true, characterData: true });
  return () => watcher.disconnect();
}
