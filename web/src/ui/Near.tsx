// Tells whether a part of a long page is or was near the window, so that expensive content can be rendered
// later.
//
// Promise: a part that was near counts as near until it is unmounted.

import { createContext, startTransition, use, useEffect, useRef, useState } from "react";
import type { ComponentProps } from "react";

/** A part is near if it is at most one window height above or below the window. */
const MARGIN = "100% 0px";

/** Returns whether the part is or was near. With `initially` it counts as near from the start. */
export function useNear(part: { readonly current: Element | null }, initially = false): boolean {
  const [isNear, setNear] = useState(initially);
  useEffect(() => {
    if (part.current === null || isNear) return;
    const sight = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: MARGIN },
    );
    sight.observe(part.current);
    return () => sight.disconnect();
  }, [part, isNear]);
  return isNear;
}

const ItemIsReady = createContext(true);

/**
 * Returns whether to render the text boxes and menus of the surrounding list item. True outside of such
 * items.
 */
export const useItemIsReady = (): boolean => use(ItemIsReady);

/** How long the first item off screen waits, and how long each further item waits after it. */
const READY_MS = 2_000;
const NEXT_READY_MS = 50;

/** The number of items that wait. */
let waiting = 0;

/**
 * An item of a long list. Its text boxes and menus are rendered when it is near the window, or about two
 * seconds later, one item after another. With `always` they are rendered at once. The reason is Chromium's
 * autofill, which computes the layout of every text box of a page, also off screen. For a page of the feed
 * this took 110 ms at once.
 */
export function NearItem({ always, children, ...rest }: ComponentProps<"li"> & { always: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  const isNear = useNear(item, always);
  const [isDue, setDue] = useState(false);
  const waits = !isNear && !isDue;
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => startTransition(() => setDue(true)), READY_MS + waiting * NEXT_READY_MS);
    waiting += 1;
    return () => {
      clearTimeout(timer);
      waiting -= 1;
    };
  }, [waits]);
  return (
    <li ref={item} {...rest}>
      <ItemIsReady value={!waits}>{children}</ItemIsReady>
    </li>
  );
}
