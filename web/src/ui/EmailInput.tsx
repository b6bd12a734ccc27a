import type { ComponentProps } from "react";

/** A field for an address: the keyboard of a phone shows @, and nothing is capitalised or corrected. */
export function EmailInput(props: ComponentProps<"input">) {
  return (
    <input
      type="email"
      name="email"
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
      required
      {...props}
    />
  );
}
