// A row of equal pages that scrolls sideways: by touch, which the browser handles, by buttons and by arrow keys.
//
// Promise: the current page is the requested one, even while the row still scrolls to it. The style sheet
// decides how the row moves; for people who asked for less motion it jumps.

import type { KeyboardEvent, RefObject } from "react";
import { useEffectEvent, useLayoutEffect, useRef, useState } from "react";

/** So near to a page, in pages, the row has arrived. */
const NEAR = 0.02;

export type Track = {
  row: RefObject<HTMLDivElement | null>;
  /** The page that is shown, or is about to be. */
  at: number;
  /** Goes to a page; beyond the last comes the first. Answers which one it was. */
  go(to: number): number;
  /** What the row's own element listens to. */
  handlers: { onScroll(): void; onScrollEnd(): void; onPointerDown(): void; onWheel(): void };
};

export function useTrack(count: number, first = 0): Track {
  const row = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(first);
  /** Where a press has sent the row, and whether it is a cut, until it is there or a hand takes over. */
  const aim = useRef<{ page: number; cut: boolean } | null>(null);
  /** The page it last stood still on. */
  const rest = useRef(first);

  // The row begins at `first`; after that it is moved.
  const begin = useEffectEvent(() => {
    const node = row.current;
    if (node !== null && first > 0) node.scrollTo({ left: first * node.clientWidth, behavior: "instant" });
  });
  useLayoutEffect(() => begin(), []);

  // Only now: what changed around the row with the page would have stopped it half-way.
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
    // From the last back to the first is a cut, not a ride past all the others.
    aim.current = { page: next, cut: Math.abs(next - at) > 1 };
    setAt(next);
    return next;
  };

  // A row that was stopped between two pages, by whatever it was, does not stay there.
  const onScrollEnd = (): void => {
    const node = row.current;
    if (node === null) return;
    const exact = node.scrollLeft / node.clientWidth;
    const page = aim.current?.page ?? (Math.abs(exact - Math.round(exact)) < NEAR ? null : rest.current);
    if (page !== null) node.scrollTo({ left: page * node.clientWidth, behavior: "instant" });
    release();
    settle();
  };

  return {
    row,
    at,
    go,
    handlers: { onScroll: settle, onScrollEnd, onPointerDown: release, onWheel: release },
  };
}

/** Which page an arrow key asks for, or null. */
export function pageOf(event: KeyboardEvent, at: number, count: number): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || count < 2) return null;
  if (event.key === "ArrowRight") return at + 1;
  if (event.key === "ArrowLeft") return at - 1;
  if (event.key === "Home") return 0;
  return event.key === "End" ? count - 1 : null;
}
