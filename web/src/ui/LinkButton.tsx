// A link that looks like a button, for actions that change the address.

import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ButtonKind } from "./Button";
import { cx } from "./cx";
import css from "./Button.module.css";

export type LinkButtonProps = {
  href: string;
  variant?: ButtonKind;
  small?: boolean;
  wide?: boolean;
  className?: string;
  current?: boolean;
  children: ReactNode;
};

export function LinkButton({
  href,
  variant = "primary",
  small,
  wide,
  className,
  current,
  children,
}: LinkButtonProps) {
  return (
    <Link
      href={href}
      aria-current={current ? "page" : undefined}
      className={cx(css.button, css[variant], small && css.small, wide && css.wide, className)}
    >
      <span className={css.label}>{children}</span>
    </Link>
  );
}
