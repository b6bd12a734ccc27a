import type { ReactNode } from "react";
import css from "./ListStatus.module.css";

/** A line in the place of a list, or between its items. */
export function ListStatus({ children }: { children: ReactNode }) {
  return <p className={css.status}>{children}</p>;
}

/** The line below the last item. */
export function ListEnd({ children }: { children: ReactNode }) {
  return <p className={css.end}>{children}</p>;
}
