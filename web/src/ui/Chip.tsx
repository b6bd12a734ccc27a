import type { ReactNode } from "react";
import { Link } from "wouter";
import { cx } from "./cx";
import css from "./Chip.module.css";

/** The class of a tag that is a button. */
export const chip = cx(css.chip, css.link);

/** A tag: a link if it has an address, else text. */
export function Chip({
  href,
  children,
  className,
}: {
  href?: string;
  children: ReactNode;
  className?: string;
}) {
  return href === undefined ? (
    <span className={cx(css.chip, className)} dir="auto">
      {children}
    </span>
  ) : (
    <Link href={href} className={cx(css.chip, css.link, className)} dir="auto">
      {children}
    </Link>
  );
}
