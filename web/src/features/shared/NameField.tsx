// The field for the name of a group or a passkey, with its character count.

import type { Ref } from "react";
import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { countOf, tidyLine } from "./text";

type NameFieldProps = {
  label: string;
  name: string;
  /** Its longest length, in characters. */
  max: number;
  error: string | null;
  busy: boolean;
  box: Ref<HTMLInputElement>;
  onType(name: string): void;
};

export function NameField({ label, name, max, error, busy, box, onType }: NameFieldProps) {
  return (
    <Field label={label} error={error} counter={<CharCounter count={countOf(tidyLine(name))} max={max} />}>
      <input
        ref={box}
        type="text"
        required
        dir="auto"
        lang=""
        autoComplete="off"
        value={name}
        readOnly={busy}
        onChange={({ target }) => onType(target.value)}
      />
    </Field>
  );
}
