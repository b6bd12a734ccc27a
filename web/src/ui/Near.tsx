// Whether a part of a long page has been near the window: what it takes to show or use it waits until then.
//
// Promise: what has come stays.

import { createContext, use, useEffect, useRef, useState } from "react";
import type { ComponentProps } from "react";

/** How far from the window is near: as far as the window is high, above and below. */
const MARGIN = "100% 0px";

/** Whether the part is near the window, or was. `initially` decides it for a part that need not wait. */
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

const ItemIsNear = createContext(true);

/** Whether the list item around this is near the window, or was. True outside of such lists. */
export const useItemIsNear = (): boolean => use(ItemIsNear);

/**
 * An item of a long list. `always`: what is in it never waits.
 *
 * Boxes and menus in it wait for `useItemIsNear`. Nobody can reach them before, and Chromium lays out each box of a
 * page, also those in items that are not laid out: 110 ms for a page of the feed.
 */
export function NearItem({ always, children, ...rest }: ComponentProps<"li"> & { always: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  const isNear = useNear(item, always);
  return (
    <li ref={item} {...rest}>
      <ItemIsNear value={isNear}>{children}</ItemIsNear>
    </li>
  );
}
