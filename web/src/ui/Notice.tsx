// A notice above the bottom bar that stays until it is answered. It takes no focus, and no room in the page.
//
// Promise: its text is announced once, also while a dialog is open, which silences what is behind it.

import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import { announce } from "./announce";
import { cx } from "./cx";
import css from "./Notice.module.css";

export type NoticeProps = {
  label: string;
  /** Null: there is nothing to tell. */
  text: ReactNode;
  /** The text is not announced. */
  isQuiet?: boolean;
  /** The focus came into the notice from this element. */
  onFocusFrom?(element: EventTarget | null): void;
  /** The buttons. */
  children: ReactNode;
};

export function Notice({ label, text, isQuiet = false, onFocusFrom, children }: NoticeProps) {
  const isShown = text !== null;
  const line = useRef<HTMLParagraphElement>(null);
  const before = useRef("");
  // The text of elements is known when they are drawn.
  useEffect(() => {
    const now = line.current?.textContent ?? "";
    if (now !== "" && now !== before.current && !isQuiet) announce(now);
    before.current = now;
  });
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
      <p ref={line}>{text}</p>
      {isShown && <div className={css.ways}>{children}</div>}
    </section>
  );
}
