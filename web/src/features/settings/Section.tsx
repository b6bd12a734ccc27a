import type { ReactNode } from "react";
import { useEffect, useId, useState } from "react";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import type { Title } from "./words";
import css from "./settings.module.css";

/** Returns the id of a section, for links to it: `#your-data`. */
export const anchorOf = (title: Title): string => title.toLowerCase().replaceAll(" ", "-");

/** One section of Settings: a region with a heading. `apart`: what stands by itself below the rest of it. */
export function Section({
  title,
  children,
  apart,
}: {
  title: Title;
  children: ReactNode;
  apart?: ReactNode;
}) {
  const id = useId();
  return (
    <section id={anchorOf(title)} data-section={title} aria-labelledby={id} className={css.section}>
      <div className={css.card}>
        <h2 id={id} tabIndex={-1} data-quiet>
          {say(title)}
        </h2>
        {children}
      </div>
      {apart !== undefined && <div className={css.card}>{apart}</div>}
    </section>
  );
}

/**
 * Holds the place of something that is not known yet, with a text or empty. What is below is hidden until
 * then, because it would move. Without a network nothing arrives, so everything is shown, and stays shown
 * because a field in it may have the focus. `section`: the title of the section that it holds the place of.
 */
export function Waits({ children, section }: { children?: ReactNode; section?: Title }) {
  const offline = useStore((s) => s.connection.state === "offline");
  const [isShown, setShown] = useState(offline);
  useEffect(() => {
    if (offline) setShown(true);
  }, [offline]);
  return (
    <p className={css.wait} data-section={section} data-waits={isShown ? undefined : ""}>
      {children}
    </p>
  );
}
