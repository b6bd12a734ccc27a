// A dialog over the page: focus goes in, stays in, and comes back; Escape closes it. Written here
// instead of taken from a library because the site's content policy allows no injected <style>, and
// because messages must stay reachable while a dialog is open (the browser's own modal dialog
// shuts them off).

import type { FocusEvent, ReactNode, RefObject } from "react";
import { useEffect, useId, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { X } from "lucide-react";
import { common } from "../text";
import { isTop, raise, tabStops } from "./modal";
import { Hidden } from "./Hidden";
import css from "./Dialog.module.css";

export type DialogProps = {
  open: boolean;
  /** The dialog's name, shown as its heading. */
  title: string;
  onClose: () => void;
  /** `alertdialog` is for questions that wait for an answer; ConfirmDialog uses it. */
  role?: "dialog" | "alertdialog";
  children?: ReactNode;
  /** Buttons, in the order they are read; they stand at the end of the dialog. */
  actions?: ReactNode;
  /** Where focus goes first. Without it: `[data-autofocus]`, else the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** A button `Close` in the corner. By default where no `actions` offer another way out. */
  closeButton?: boolean;
  /** A press beside the dialog closes it. Off where words could be lost. */
  closeOnBackdrop?: boolean;
};

export function Dialog(props: DialogProps) {
  return props.open ? createPortal(<OpenDialog {...props} />, document.body) : null;
}

function OpenDialog({
  title,
  onClose,
  role = "dialog",
  children,
  actions,
  initialFocus,
  closeButton = role === "dialog" && actions === undefined,
  closeOnBackdrop = true,
}: DialogProps) {
  const layer = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const bodyId = useId();
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });

  useLayoutEffect(() => {
    const before = document.activeElement;
    const above = layer.current;
    const box = panel.current;
    if (above === null || box === null) return;
    const lower = raise(above);
    const first =
      initialFocus?.current ?? box.querySelector<HTMLElement>("[data-autofocus]:not([disabled])") ?? tabStops(box)[0];
    (first ?? box).focus();
    const onKey = (event: KeyboardEvent): void => {
      if (!isTop(above) || event.defaultPrevented) return;
      if (event.key === "Escape" && !event.isComposing) {
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
    // Focus is moved once, when the dialog opens.
  }, []);

  return (
    <div ref={layer} className={css.layer}>
      <div className={css.backdrop} onClick={closeOnBackdrop ? onClose : undefined} aria-hidden="true" />
      <div
        ref={panel}
        role={role}
        aria-modal="true"
        aria-labelledby={titleId}
        aria-describedby={role === "alertdialog" ? bodyId : undefined}
        tabIndex={-1}
        className={css.panel}
        onBlur={keepFocus}
      >
        <div className={css.head}>
          <h2 id={titleId} className={css.title}>
            {title}
          </h2>
          {closeButton && (
            <button type="button" className={css.close} onClick={onClose}>
              <X size={20} strokeWidth={1.75} aria-hidden="true" />
              <Hidden>{common.close}</Hidden>
            </button>
          )}
        </div>
        <div id={bodyId} className={css.body}>
          {children}
        </div>
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </div>
    </div>
  );
}

/** A control that was disabled under the focus drops it; the dialog picks it up. */
function keepFocus({ relatedTarget, currentTarget }: FocusEvent<HTMLDivElement>): void {
  if (relatedTarget !== null) return;
  queueMicrotask(() => {
    if (currentTarget.isConnected && document.activeElement === document.body) currentTarget.focus({ preventScroll: true });
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

/** Focus returns to what opened the dialog; if that is gone, to the page's heading or to the page. */
function giveBack(before: Element | null): void {
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
  else document.querySelector<HTMLElement>("main h1[tabindex], main")?.focus({ preventScroll: true });
}
