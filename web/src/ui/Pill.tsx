import type { ButtonHTMLAttributes } from "react";
import { cx } from "./cx";
import css from "./Pill.module.css";

/** A small round-ended button above a list, such as "3 new posts". */
export function Pill({
  className,
  children,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, "style" | "children"> & { children: string }) {
  return (
    <button type="button" {...rest} className={cx(css.pill, className)}>
      {/* A new element for each text, so that the old text is replaced without moving. */}
      <span key={children}>{children}</span>
    </button>
  );
}
