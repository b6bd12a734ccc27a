import type { ReactNode } from "react";
import css from "./FormActions.module.css";

/** The buttons at the end of a form, and the note before them. */
export function FormActions({ note, children }: { note?: string | null | undefined; children: ReactNode }) {
  return (
    <div className={css.actions}>
      {note !== undefined && note !== null && <p className={css.note}>{note}</p>}
      {children}
    </div>
  );
}
