import type { ReactNode } from "react";
import { useEffect, useId, useState } from "react";
import { useStore } from "../../engine/store";
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

/**
 * Holds the place of something that is not known yet, with a text or empty. What is below is hidden until
 * then, because it would move. Without a network nothing arrives, so everything is shown, and stays shown
 * because a field in it may have the focus.
 */
export function Waits({ children }: { children?: ReactNode }) {
  const offline = useStore((s) => s.connection.state === "offline");
  const [isShown, setShown] = useState(offline);
  useEffect(() => {
    if (offline) setShown(true);
  }, [offline]);
  return (
    <p className={css.wait} data-waits={isShown ? undefined : ""}>
      {children}
    </p>
  );
}
