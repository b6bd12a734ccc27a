import type { ComponentProps } from "react";

/** An input for an email address. A phone's keyboard shows @, and nothing is capitalised or corrected. */
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
