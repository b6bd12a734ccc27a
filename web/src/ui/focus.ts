// Where the focus goes when its control is disabled or removed. By default a browser moves it to the top of the
// page, and keyboard and screen reader users would have to find their way back.

import { useState } from "react";

/** Frames that a control has to be there and enabled again: React may draw after the first. */
const FRAMES = 3;

/** Before the next paint, or the one after it: if nothing holds the focus, this does. The page does not scroll. */
export function catchFocus(find: () => HTMLElement | null | undefined, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const active = document.activeElement;
    // A control that was disabled a moment ago still counts as active; the browser lets go of it later.
    const isNowhere = active === null || active === document.body || active.matches(":disabled");
    if (!isNowhere) return;
    const control = find();
    const isReady = control !== null && control !== undefined && !control.matches(":disabled");
    if (isReady) control.focus({ preventScroll: true });
    else if (frames > 1) catchFocus(find, frames - 1);
  });
}

export type FocusInside = { inside: { readonly current: boolean }; onFocus(): void; onBlur(): void };

/**
 * Whether the focus is inside an element or in a dialog that was opened from there: React tells both
 * through the tree of components. It stays true when the focused control leaves the page.
 */
export function useFocusInside(): FocusInside {
  const [kept] = useState<FocusInside>(() => {
    const inside = { current: false };
    return {
      inside,
      onFocus: () => {
        inside.current = true;
      },
      onBlur: () => {
        inside.current = false;
      },
    };
  });
  return kept;
}
