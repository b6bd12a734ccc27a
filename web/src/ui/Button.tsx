import type { ButtonHTMLAttributes, Ref } from "react";
import { cx } from "./cx";
import css from "./Button.module.css";

export type ButtonKind = "primary" | "quiet" | "danger" | "plain";

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "style"> & {
  variant?: ButtonKind;
  /** Something is in flight: the button is disabled and keeps its width. */
  busy?: boolean;
  /** What to say meanwhile, in place of the label. Without it the label stays. */
  busyLabel?: string;
  small?: boolean;
  /** As wide as its container. */
  wide?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

/** What acts. `plain` looks like text, for quiet places inside a card. */
export function Button({
  variant = "primary",
  busy = false,
  busyLabel,
  small = false,
  wide = false,
  className,
  disabled,
  children,
  type = "button",
  ...rest
}: ButtonProps) {
  const says = busy && busyLabel !== undefined;
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cx(css.button, css[variant], small && css.small, wide && css.wide, className)}
    >
      {/* Both labels share one grid cell, so the width is that of the longer one and nothing jumps. */}
      <span className={cx(css.label, says && css.away)} aria-hidden={says || undefined}>
        {children}
      </span>
      {busyLabel !== undefined && (
        <span className={cx(css.label, !says && css.away)} aria-hidden={!says || undefined}>
          {busyLabel}
        </span>
      )}
    </button>
  );
}
