// A swipe from one tab to the other. It works by touch only, because mouse and keyboard users have the tabs.

import type { TouchEvent } from "react";
import { useRef } from "react";
import { isRtl } from "../say";

/** The least distance of a swipe, in pixels. */
const FAR = 200;
/** The tangent of 30 degrees. A flatter movement is a swipe. */
const FLAT = Math.tan(Math.PI / 6);
/** The width of each edge of the screen, in pixels, where the device's own gestures begin. */
const EDGE = 24;
/** Elements that use sideways movements themselves. */
const OTHERS = "[data-sideways],input,textarea,select,[contenteditable],[role=dialog],[role=alertdialog]";

type Swipe = {
  onTouchStart(event: TouchEvent): void;
  onTouchEnd(event: TouchEvent): void;
  onTouchCancel(): void;
};

/** Calls `go` with 1 for a swipe to the next tab, and with 0 for one back. A page from right to left turns round. */
export function useSwipe(go: (to: 0 | 1) => void): Swipe {
  const from = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart: ({ touches, target, currentTarget }) => {
      const finger = touches[0];
      const isZoomed = (window.visualViewport?.scale ?? 1) > 1.01;
      // Events of a dialog arrive here too, because React sends them through the tree of components.
      const isHere =
        target instanceof Element && currentTarget.contains(target) && target.closest(OTHERS) === null;
      const isOurs = touches.length === 1 && !isZoomed && isHere;
      const isInside = finger !== undefined && finger.clientX >= EDGE && finger.clientX <= innerWidth - EDGE;
      from.current = isOurs && isInside ? { x: finger.clientX, y: finger.clientY } : null;
    },
    onTouchEnd: ({ changedTouches, touches }) => {
      const start = from.current;
      const finger = changedTouches[0];
      from.current = null;
      if (start === null || finger === undefined || touches.length > 0) return;
      const [x, y] = [finger.clientX - start.x, finger.clientY - start.y];
      const isOnward = isRtl() ? x > 0 : x < 0;
      if (Math.abs(x) > FAR && Math.abs(y) < Math.abs(x) * FLAT) go(isOnward ? 1 : 0);
    },
    onTouchCancel: () => {
      from.current = null;
    },
  };
}
