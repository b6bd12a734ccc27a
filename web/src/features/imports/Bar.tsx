import { useId } from "react";
import css from "./imports.module.css";

/** A bar with its name above it. `percent`: from 0 to 100. */
export function Bar({ name, percent }: { name: string; percent: number }) {
  const id = useId();
  return (
    <div className={css.progress}>
      <p id={id} className={css.label}>
        {name}
      </p>
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        tabIndex={-1}
        className={css.bar}
        data-first=""
      >
        <div className={css.done} style={{ inlineSize: `${String(percent)}%` }} />
      </div>
    </div>
  );
}
