import type { ReactNode } from "react";
import { useId } from "react";
import css from "./settings.module.css";

/** One section of Settings: a region with a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={css.section}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
