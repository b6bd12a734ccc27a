import type { ReactNode } from "react";

/** Text for assistive technology only. */
export function Hidden({ children }: { children: ReactNode }) {
  return <span className="visually-hidden">{children}</span>;
}
