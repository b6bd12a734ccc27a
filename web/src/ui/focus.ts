// Where the focus goes when its control is disabled or removed. By default a browser moves it to the top of the
// page, and keyboard and screen reader users would have to find their way back.

import { useState } from "react";

/** For how many frames to look for the control. React may render it after the first frame. */
const FRAMES = 3;

/**
 * Moves the focus to a control before one of the next paints, if nothing has the focus. The page does not
 * scroll.
 */
export function catchFocus(find: () => HTMLElement | null | undefined, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const active = document.activeElement;
    // A control that was just disabled is still the active element. The browser removes the focus later.
    const isNowhere = active === null || active === document.body || active.matches(":disabled");
    if (!isNowhere) return;
    const control = find();
    const isReady = control !== null && control !== undefined && !control.matches(":disabled");
    if (isReady) control.focus({ preventScroll: true });
    else if (frames > 1) catchFocus(find, frames - 1);
  });
}

/**
 * Moves the focus to a control that was inert until now. While a style sheet loads, WebKit decides by old styles whether a
 * control can have the focus, and takes it from where it was all the same. Asking for its place makes it renew
 * them.
 */
export function focusFreed(control: HTMLElement, options?: FocusOptions): void {
  control.getBoundingClientRect();
  control.focus(options);
}

export type FocusInside = { inside: { readonly current: boolean }; onFocus(): void; onBlur(): void };

/**
 * Tells whether the focus is inside an element, or in a dialog that was opened from it, because React's
 * events follow the tree of components. It stays true if the focused control is removed from the page.
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
