// Tells whether a part of a long page is or was near the window. What is costly in that part is rendered only then.
//
// Promise: a part that was near counts as near until it is unmounted.

import { createContext, startTransition, use, useEffect, useRef, useState } from "react";
import type { ComponentProps } from "react";

/** A part is near if it is at most one window height above or below the window. */
const MARGIN = "100% 0px";

/** With `initially` it is near from the start. */
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

/** Whether text boxes and menus of the list item around this are to be rendered. True outside of such items. */
export const useItemIsReady = (): boolean => use(ItemIsReady);

/** When the first item off screen is ready at the latest, and how long after it the next one. */
const READY_MS = 2_000;
const NEXT_READY_MS = 50;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Calls it after a few quiet seconds, after all that wait already. */
function later(call: () => void): () => void {
  waiting.add(call);
  timer ??= setTimeout(callNext, READY_MS);
  return () => waiting.delete(call);
}

function callNext(): void {
  const [call] = waiting;
  timer = call === undefined ? null : setTimeout(callNext, NEXT_READY_MS);
  if (call === undefined) return;
  waiting.delete(call);
  startTransition(call);
}

/**
 * An item of a long list. Its text boxes and menus are rendered when it is near the window, or after a few quiet
 * seconds, one item after another; with `always` at once. The reason: Chromium's autofill computes the layout of every
 * text box of a page, also in items that are off screen. For a page of the feed this was one task of 110 ms.
 */
export function NearItem({ always, children, ...rest }: ComponentProps<"li"> & { always: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  const isNear = useNear(item, always);
  const [isDue, setDue] = useState(false);
  const waits = !isNear && !isDue;
  useEffect(() => (waits ? later(() => setDue(true)) : undefined), [waits]);
  return (
    <li ref={item} {...rest}>
      <ItemIsReady value={!waits}>{children}</ItemIsReady>
    </li>
  );
}
