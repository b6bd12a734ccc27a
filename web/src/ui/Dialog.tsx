// A dialog over the page: the focus moves in, stays in, and returns; Escape closes it. It is our own code
// because the site's content policy allows no injected <style>, and because toasts must stay reachable while
// a dialog is open. The browser's own modal dialog makes them inert.

import type { ReactNode, RefObject } from "react";
import { useId } from "react";
import { createPortal } from "react-dom";
import { X } from "lucide-react";
import { say } from "../say";
import { common } from "../text";
import { Hidden } from "./Hidden";
import { useModal } from "./useModal";
import css from "./Dialog.module.css";

export type DialogProps = {
  open: boolean;
  /** The dialog's name, shown as its heading. */
  title: string;
  onClose: () => void;
  /** `alertdialog` is for questions that wait for an answer; ConfirmDialog uses it. */
  role?: "dialog" | "alertdialog";
  children?: ReactNode;
  /** Buttons at the end of the dialog, in their order. */
  actions?: ReactNode;
  /** The element with the first focus. By default `[data-autofocus]`, else the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** Whether there is a Close button in the corner. By default only without `actions`. */
  closeButton?: boolean;
  /** Whether a press beside the dialog closes it. Off if typed text could be lost. */
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
  const { layer, panel, onBlur } = useModal({ onClose, initialFocus });
  const titleId = useId();
  const bodyId = useId();

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
        onBlur={onBlur}
      >
        <div className={css.head}>
          <h2 id={titleId} className={css.title}>
            {title}
          </h2>
          {closeButton && (
            <button type="button" className={css.close} onClick={onClose}>
              <X size={20} strokeWidth={1.75} aria-hidden="true" />
              <Hidden>{say(common.close)}</Hidden>
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
