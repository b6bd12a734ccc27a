// Hides the header while the page scrolls down. It returns when the page scrolls up, at the top of the page,
// and when something in it gets the focus. It stays visible for people who asked for less motion.

import type { RefObject } from "react";
import { useEffect } from "react";
import { prefersStill, watchLook } from "../ui/appearance";

/** A smaller movement counts as none, because a finger is never quite still. */
const STEP_PX = 8;

export function useHeaderAway(header: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = document.documentElement;
    let last = scrollY;

    const show = (shown: boolean): void => {
      if (shown) delete root.dataset["header"];
      else root.dataset["header"] = "away";
    };
    const onScroll = (): void => {
      const y = Math.max(0, scrollY);
      // The page was scrolled to keep the reading position (ui/KeepPlace.tsx, anchor.ts), not by the reader.
      if (root.dataset["kept"] !== undefined) {
        delete root.dataset["kept"];
        last = y;
        return;
      }
      const box = header.current;
      const height = box?.offsetHeight ?? 0;
      const busy =
        box?.contains(document.activeElement) === true ||
        Boolean(box?.querySelector('[data-state="offline"]'));
      if (y <= height || prefersStill() || busy) {
        last = y;
        show(true);
        return;
      }
      if (Math.abs(y - last) < STEP_PX) return;
      show(y < last);
      last = y;
    };
    const onFocus = (): void => show(true);

    const box = header.current;
    addEventListener("scroll", onScroll, { passive: true });
    const unwatch = watchLook(onScroll);
    box?.addEventListener("focusin", onFocus);
    return () => {
      removeEventListener("scroll", onScroll);
      unwatch();
      box?.removeEventListener("focusin", onFocus);
      show(true);
    };
  }, [header]);
}
