// A row of equal pages that scrolls sideways: by touch, which the browser handles, by buttons and by arrow keys.
//
// Promise: the current page is the requested one, even while the row still scrolls to it. The style sheet
// decides how the row moves. With reduced motion it jumps.

import type { KeyboardEvent, RefObject } from "react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";

/** The row has arrived at a page if it is at most this far away, in pages. */
const NEAR = 0.02;

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
    if (node !== null && first > 0) node.scrollTo({ left: first * node.clientWidth, behavior: "instant" });
  });
  useLayoutEffect(() => begin(), []);

  // Scrolls after the render, because changes around the row would stop the scrolling.
  useLayoutEffect(() => {
    const node = row.current;
    if (node === null || aim.current === null) return;
    const { page, cut } = aim.current;
    node.scrollTo({ left: page * node.clientWidth, behavior: cut ? "instant" : "auto" });
  }, [at]);

  const settle = (): void => {
    const node = row.current;
    if (node === null || node.clientWidth === 0) return;
    const exact = node.scrollLeft / node.clientWidth;
    if (aim.current !== null && Math.abs(exact - aim.current.page) > NEAR) return;
    aim.current = null;
    const nearest = Math.min(count - 1, Math.max(0, Math.round(exact)));
    if (Math.abs(exact - nearest) < NEAR) rest.current = nearest;
    setAt(nearest);
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
    const exact = node.scrollLeft / node.clientWidth;
    const page = aim.current?.page ?? (Math.abs(exact - Math.round(exact)) < NEAR ? null : rest.current);
    if (page !== null) node.scrollTo({ left: page * node.clientWidth, behavior: "instant" });
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
  if (event.key === "ArrowRight") return at + 1;
  if (event.key === "ArrowLeft") return at - 1;
  if (event.key === "Home") return 0;
  return event.key === "End" ? count - 1 : null;
}
