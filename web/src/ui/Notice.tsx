// A notice above the bottom bar that stays until it is answered. It takes no focus, and no room in the page.
//
// Promise: screen readers announce its text once, because its live region is there before the text.

import type { ReactNode } from "react";
import { cx } from "./cx";
import css from "./Notice.module.css";

export type NoticeProps = {
  label: string;
  /** Null: there is nothing to tell. */
  text: ReactNode;
  /** The text is announced elsewhere. */
  isQuiet?: boolean;
  /** The focus came into the notice from this element. */
  onFocusFrom?(element: EventTarget | null): void;
  /** The buttons. */
  children: ReactNode;
};

export function Notice({ label, text, isQuiet = false, onFocusFrom, children }: NoticeProps) {
  const isShown = text !== null;
  return (
    // The section cannot be pressed; it only notices where the focus comes from.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      aria-label={isShown ? label : undefined}
      data-notice={isShown || undefined}
      className={cx(isShown && css.notice)}
      onFocus={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) onFocusFrom?.(relatedTarget);
      }}
    >
      <p role="status" aria-live={isShown && isQuiet ? "off" : undefined}>
        {text}
      </p>
      {isShown && <div className={css.ways}>{children}</div>}
    </section>
  );
}
