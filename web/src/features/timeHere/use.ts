// Notices that a person uses this tab: by a key, a pointer, or by scrolling.

const KINDS = ["keydown", "pointerdown", "pointermove", "wheel", "scroll"] as const;

/**
 * Calls `used` when the person does something in this tab. A tab that is not in sight is not used, and neither is a tab
 * that only changes by itself. Returns a function that ends this.
 */
export function watchUse(used: () => void): () => void {
  let pointer = "";
  let height = 0;
  const look = (event: Event): void => {
    if (document.visibilityState !== "visible") return;
    if (event.type === "pointermove") {
      // A browser also sends this event when the page moves below a pointer at rest.
      const { screenX, screenY } = event as PointerEvent;
      const before = pointer;
      pointer = `${String(screenX)} ${String(screenY)}`;
      if (pointer === before) return;
    }
    if (event.type === "scroll") {
      // The page also scrolls by itself, to keep its reader's place when something above gets higher.
      const before = height;
      height = document.documentElement.scrollHeight;
      if (height !== before) return;
    }
    used();
  };
  const options = { capture: true, passive: true };
  for (const kind of KINDS) addEventListener(kind, look, options);
  return () => {
    for (const kind of KINDS) removeEventListener(kind, look, options);
  };
}
