import type { ReactNode, Ref } from "react";
import css from "./Switch.module.css";

export type SwitchProps = {
  on: boolean;
  onPress(): void;
  disabled?: boolean;
  /** The id of the element that explains the switch. */
  hint?: string;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
};

/** A switch, which is on or off. */
export function Switch({ on, onPress, disabled, hint, ref, children }: SwitchProps) {
  return (
    <button
      ref={ref}
      type="button"
      role="switch"
      aria-checked={on}
      aria-describedby={hint}
      disabled={disabled}
      className={css.switch}
      onClick={onPress}
    >
      <span>{children}</span>
      <span className={css.track} aria-hidden="true">
        <span className={css.knob} />
      </span>
    </button>
  );
}
