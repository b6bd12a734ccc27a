import type { ButtonHTMLAttributes, Ref } from "react";
import { cx } from "./cx";
import css from "./Button.module.css";

export type ButtonKind = "primary" | "quiet" | "danger" | "plain";

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "style"> & {
  variant?: ButtonKind;
  /** A request is pending. The button is disabled and keeps its width. */
  busy?: boolean;
  /** Replaces the label while `busy`. Without it the label stays. */
  busyLabel?: string;
  small?: boolean;
  /** As wide as its container. */
  wide?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

/** A button. `plain` looks like text, for use inside a card. */
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
  const showsBusy = busy && busyLabel !== undefined;
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cx(css.button, css[variant], small && css.small, wide && css.wide, className)}
    >
      {/* Both labels share one grid cell, so the button is as wide as the longer one and nothing moves. */}
      <span className={cx(css.label, showsBusy && css.away)} aria-hidden={showsBusy || undefined}>
        {children}
      </span>
      {busyLabel !== undefined && (
        <span className={cx(css.label, !showsBusy && css.away)} aria-hidden={!showsBusy || undefined}>
          {busyLabel}
        </span>
      )}
    </button>
  );
}
