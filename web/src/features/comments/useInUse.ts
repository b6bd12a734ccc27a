// Tells whether a form is in use, that is, whether it has the focus.
//
// Promise: the use never ends between a press and its release, so that the pressed button does not move.

import type { RefObject } from "react";
import { useEffect, useState } from "react";

export function useInUse(box: RefObject<HTMLElement | null>): [inUse: boolean, begin: () => void] {
  const [inUse, setInUse] = useState(false);
  useEffect(() => {
    const node = box.current;
    if (!inUse || node === null) return;
    let isPressed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The click follows the release before any timer runs.
    const settle = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!isPressed && !node.contains(document.activeElement)) setInUse(false);
      });
    };
    const press = (): void => {
      isPressed = true;
    };
    const release = (): void => {
      isPressed = false;
      settle();
    };
    node.addEventListener("focusout", settle);
    document.addEventListener("pointerdown", press, true);
    document.addEventListener("pointerup", release, true);
    document.addEventListener("pointercancel", release, true);
    return () => {
      clearTimeout(timer);
      node.removeEventListener("focusout", settle);
      document.removeEventListener("pointerdown", press, true);
      document.removeEventListener("pointerup", release, true);
      document.removeEventListener("pointercancel", release, true);
    };
  }, [inUse, box]);
  return [inUse, () => setInUse(true)];
}
