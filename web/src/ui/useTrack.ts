// A row of pages that scrolls sideways: by touch, which the browser handles, by buttons and by arrow keys. The
// children of the row are its pages, each as wide as it is.
//
// Promise: the current page is the requested one, even while the row still scrolls to it, and if the row ends before
// that page can begin at the row's edge. The style sheet decides how the row moves. With reduced motion it jumps.

import type { KeyboardEvent, RefObject } from "react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { isRtl, useLanguage } from "../say";

/** The row has arrived at a page if it is at most this far away, in pixels. */
const NEAR_PX = 8;

/** Without the event `scrollend`, as in Safari before 26.2, a row has stopped if it did not move for this long. */
const STOPPED_MS = 150;

export type Track = {
  row: RefObject<HTMLDivElement | null>;
  /** The index of the page that is shown or requested. */
  at: number;
  /** Goes to a page; after the last comes the first. Returns the index of that page. */
  go(to: number): number;
  /** Event handlers for the element of the row. */
  handlers: {
    onScroll(): void;
    onScrollEnd(): void;
    onPointerDown(): void;
    onWheel(): void;
    onTouchStart(): void;
    onTouchEnd(): void;
    onTouchCancel(): void;
  };
};

/** Returns how far the row is scrolled from its first page, in pixels. From right to left browsers count below zero. */
const scrolled = (node: HTMLElement): number => (isRtl() ? -node.scrollLeft : node.scrollLeft);

/** Returns where a page begins, in pixels along the text. */
const startOf = (page: HTMLElement): number =>
  isRtl() ? -(page.offsetLeft + page.offsetWidth) : page.offsetLeft;

/** Returns how far the row is scrolled to each page. The last pages may have the same place: the end of the row. */
function placesIn(node: HTMLElement): number[] {
  const pages = [...node.children].filter((one) => one instanceof HTMLElement);
  const end = node.scrollWidth - node.clientWidth;
  const [first] = pages;
  if (first === undefined) return [];
  return pages.map((page) => Math.max(0, Math.min(end, startOf(page) - startOf(first))));
}

/** Returns the page whose place is the nearest: of several with the same place the current one, or else the last. */
function nearestTo(far: number, places: readonly number[], at: number): number {
  const off = (page: number): number => Math.abs((places[page] ?? Infinity) - far);
  return places.reduce(
    (best, _, page) => (off(page) < off(best) || (off(page) === off(best) && best !== at) ? page : best),
    0,
  );
}

function scrollToPage(node: HTMLElement, page: number, behavior: ScrollBehavior): void {
  const far = placesIn(node)[page] ?? 0;
  node.scrollTo({ left: isRtl() ? -far : far, behavior });
}

export function useTrack(count: number, first = 0): Track {
  const row = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(first);
  /** The requested page until the row has arrived or the user scrolls. `cut`: the row jumps there. */
  const aim = useRef<{ page: number; cut: boolean } | null>(null);
  /** The page at which the row stopped last. */
  const rest = useRef(first);

  // The row starts at `first`.
  const begin = useEffectEvent(() => {
    const node = row.current;
    if (node !== null && first > 0) scrollToPage(node, first, "instant");
  });
  useLayoutEffect(() => begin(), []);

  // Another direction of the page counts from the other end.
  const language = useLanguage();
  const keep = useEffectEvent(() => {
    const node = row.current;
    if (node !== null && at > 0) scrollToPage(node, at, "instant");
  });
  useLayoutEffect(() => keep(), [language]);

  // Scrolls after the render, because changes around the row would stop the scrolling.
  useLayoutEffect(() => {
    const node = row.current;
    if (node === null || aim.current === null) return;
    const { page, cut } = aim.current;
    scrollToPage(node, page, cut ? "instant" : "auto");
  }, [at]);

  const settle = (): void => {
    const node = row.current;
    if (node === null || node.clientWidth === 0) return;
    const places = placesIn(node);
    const isAt = (page: number): boolean => Math.abs(scrolled(node) - (places[page] ?? 0)) <= NEAR_PX;
    if (aim.current !== null && !isAt(aim.current.page)) return;
    const page = aim.current?.page ?? nearestTo(scrolled(node), places, at);
    aim.current = null;
    if (isAt(page)) rest.current = page;
    setAt(page);
  };

  const release = (): void => {
    aim.current = null;
  };

  const go = (to: number): number => {
    const next = (to + count) % count;
    if (next === at) return next;
    // Between the last and the first page the row jumps, instead of scrolling past all others.
    aim.current = { page: next, cut: Math.abs(next - at) > 1 };
    setAt(next);
    return next;
  };

  // A row that stopped between two pages is moved to one of them.
  const onScrollEnd = (): void => {
    const node = row.current;
    if (node === null) return;
    const places = placesIn(node);
    const isBetween = places.every((place) => Math.abs(scrolled(node) - place) > NEAR_PX);
    const page = aim.current?.page ?? (isBetween ? rest.current : null);
    if (page !== null) scrollToPage(node, page, "instant");
    release();
    settle();
  };

  // Without the event `scrollend`: the row has stopped if no finger holds it and nothing moved it.
  const stopped = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isHeld = useRef(false);
  useEffect(() => () => clearTimeout(stopped.current), []);
  const mayStop = (): void => {
    clearTimeout(stopped.current);
    if (globalThis.onscrollend !== undefined || isHeld.current) return;
    stopped.current = setTimeout(onScrollEnd, STOPPED_MS);
  };

  const letGo = (): void => {
    isHeld.current = false;
    mayStop();
  };

  return {
    row,
    at,
    go,
    handlers: {
      onScroll: () => {
        settle();
        mayStop();
      },
      onScrollEnd,
      onPointerDown: release,
      onWheel: release,
      onTouchStart: () => {
        isHeld.current = true;
      },
      onTouchEnd: letGo,
      onTouchCancel: letGo,
    },
  };
}

/** Returns the page that a key asks for, or null. */
export function pageOf(event: KeyboardEvent, at: number, count: number): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || count < 2) return null;
  const onward = isRtl() ? -1 : 1;
  if (event.key === "ArrowRight") return at + onward;
  if (event.key === "ArrowLeft") return at - onward;
  if (event.key === "Home") return 0;
  return event.key === "End" ? count - 1 : null;
}
