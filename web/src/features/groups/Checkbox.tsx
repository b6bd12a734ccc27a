import type { ReactNode } from "react";
import css from "./groups.module.css";

type CheckboxProps = {
  label: string;
  checked: boolean;
  disabled: boolean;
  onChange(checked: boolean): void;
  /** Shown before the name, and hidden from screen readers. */
  children?: ReactNode;
};

/** A checkbox with a name. */
export function Checkbox({ label, checked, disabled, onChange, children }: CheckboxProps) {
  return (
    <label className={css.choice}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {children !== undefined && <span aria-hidden="true">{children}</span>}
      <bdi>{label}</bdi>
    </label>
  );
}
