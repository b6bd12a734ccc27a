import type { ReactElement, ReactNode } from "react";
import { cloneElement, useId } from "react";
import css from "./Field.module.css";
import { Note } from "./Note";

type Control = { id?: string; "aria-describedby"?: string; "aria-invalid"?: boolean | "true" | "false" };

export type FieldProps = {
  /** The exact name of the control. Hints belong into `hint`. */
  label: string;
  /** Shown while there is no error. */
  hint?: ReactNode;
  /** The error to show; null if there is none. */
  error?: string | null | undefined;
  counter?: ReactNode;
  /** One control: an input, a TextArea, a select. */
  children: ReactElement<Control>;
};

/**
 * A control with its label and its hint or error, connected for assistive technology. An error replaces the hint, so
 * that one message says what to do.
 */
export function Field({ label, hint, error, counter, children }: FieldProps) {
  const own = useId();
  const id = children.props.id ?? own;
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const wrong = Boolean(error);
  const hinted = hint !== undefined && !wrong;
  const described = [children.props["aria-describedby"], wrong && errorId, hinted && hintId]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={css.field}>
      <div className={css.top}>
        <label htmlFor={id} className={css.label}>
          {label}
        </label>
        {counter}
      </div>
      {cloneElement(children, {
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": wrong || undefined,
      })}
      <Note id={errorId} text={error} />
      {hinted && (
        <p id={hintId} className={css.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
