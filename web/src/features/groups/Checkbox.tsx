import type { ReactNode } from "react";
import { useId } from "react";
import { quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import css from "./groups.module.css";

type CheckboxProps = {
  label: string;
  checked: boolean;
  disabled: boolean;
  /** Why it cannot be changed. */
  reason?: string | undefined;
  onChange(checked: boolean): void;
  /** Shown before the name, and hidden from screen readers. */
  children?: ReactNode;
};

/** A checkbox with a name. */
export function Checkbox({ label, checked, disabled, reason, onChange, children }: CheckboxProps) {
  const reasonId = useId();
  return (
    <>
      <label className={css.choice}>
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={reason === undefined ? undefined : reasonId}
          onChange={({ target }) => onChange(target.checked)}
        />
        {children !== undefined && <span aria-hidden="true">{children}</span>}
        <bdi>{label}</bdi>
      </label>
      {reason !== undefined && (
        <p id={reasonId} className={cx(quiet, css.reason)}>
          {reason}
        </p>
      )}
    </>
  );
}
