import type { ReactNode } from "react";

/** A form that is sent by script. The fields show what is wrong, so the browser does not. */
export function Form({
  className,
  onSend,
  children,
}: {
  className: string | undefined;
  onSend(): void;
  children: ReactNode;
}) {
  return (
    <form
      noValidate
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
    </form>
  );
}
