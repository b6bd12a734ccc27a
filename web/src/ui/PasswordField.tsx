// A password field. The password is hidden until the user presses Show. Pasting is allowed.

import type { InputHTMLAttributes, ReactNode, Ref } from "react";
import { useState } from "react";
import { Eye, EyeOff } from "lucide-react";
import { say } from "../say";
import { common } from "../text";
import { Field } from "./Field";
import { Hidden } from "./Hidden";
import css from "./Field.module.css";

export type PasswordFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  ref?: Ref<HTMLInputElement>;
  "data-autofocus"?: boolean;
};

export function PasswordField({ label, hint, error, ...input }: PasswordFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <Password {...input} />
    </Field>
  );
}

function Password(
  input: Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & { ref?: Ref<HTMLInputElement> },
) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className={css.password}>
      <input {...input} type={shown ? "text" : "password"} spellCheck={false} autoCapitalize="none" />
      <button type="button" className={css.show} aria-pressed={shown} onClick={() => setShown(!shown)}>
        <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
        {/* The name is text in the button, not a label, so that a search by label finds only the field. */}
        <Hidden>{say(common.showPassword)}</Hidden>
      </button>
    </div>
  );
}
