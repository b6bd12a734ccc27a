// The behaviour of every layer: the focus moves into it, stays inside and returns when it closes, and Escape
// closes it.

import type { FocusEvent, RefObject } from "react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { isComposing } from "./composing";
import { focusFreed } from "./focus";
import { isTop, raise, tabStops } from "./modal";

export type Modal = {
  /** The outermost element, a child of the body. */
  layer: RefObject<HTMLDivElement | null>;
  /** The element with the dialog's role. */
  panel: RefObject<HTMLDivElement | null>;
  onBlur(event: FocusEvent<HTMLDivElement>): void;
};

export function useModal({
  onClose,
  initialFocus,
}: {
  onClose: () => void;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
}): Modal {
  const layer = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });

  const focusFirst = useEffectEvent((box: HTMLElement) => {
    const first =
      initialFocus?.current ??
      box.querySelector<HTMLElement>("[data-autofocus]:not([disabled])") ??
      tabStops(box)[0];
    (first ?? box).focus();
  });
  // The focus is moved once, when the layer opens.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const above = layer.current;
    const box = panel.current;
    if (above === null || box === null) return;
    const lower = raise(above);
    focusFirst(box);
    const onKey = (event: KeyboardEvent): void => {
      if (!isTop(above) || event.defaultPrevented) return;
      if (event.key === "Escape" && !isComposing(event)) {
        event.preventDefault();
        close.current();
      } else if (event.key === "Tab") keepInside(event, box);
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      lower();
      giveBack(before);
    };
  }, []);

  return { layer, panel, onBlur: keepFocus };
}

/** Moves the focus to the dialog if the focused control is disabled. */
function keepFocus({ relatedTarget, currentTarget }: FocusEvent<HTMLDivElement>): void {
  if (relatedTarget !== null) return;
  queueMicrotask(() => {
    if (currentTarget.isConnected && document.activeElement === document.body)
      currentTarget.focus({ preventScroll: true });
  });
}

function keepInside(event: KeyboardEvent, box: HTMLElement): void {
  const stops = tabStops(box);
  const first = stops[0];
  const last = stops.at(-1);
  const at = document.activeElement;
  if (first === undefined || last === undefined) {
    event.preventDefault();
    box.focus();
  } else if (event.shiftKey && (at === first || at === box || !box.contains(at))) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && (at === last || !box.contains(at))) {
    event.preventDefault();
    first.focus();
  }
}

/** Returns the focus to the element that opened the dialog, or to the heading or the page if it is gone. */
function giveBack(opener: Element | null): void {
  // A post that the key `j` went to is focusable only until it loses the focus. Its item in the list always is.
  const before = (opener?.matches("article") ? opener.closest("[data-item]") : null) ?? opener;
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) {
    focusFreed(before);
    return;
  }
  const start = document.querySelector<HTMLElement>("main h1[tabindex], main");
  if (start !== null) focusFreed(start, { preventScroll: true });
}
