import type { ReactNode } from "react";
import css from "./EmptyState.module.css";

export type EmptyStateProps = {
  /** The heading. */
  title: ReactNode;
  children?: ReactNode;
  /** A link or a button to go on with. */
  action?: ReactNode;
  level?: 2 | 3;
};

/** Shown for an empty list. It says what the list is for, and offers a first step. */
export function EmptyState({ title, children, action, level = 2 }: EmptyStateProps) {
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <div className={css.empty}>
      <Heading className={css.title}>{title}</Heading>
      {children !== undefined && <div className={css.words}>{children}</div>}
      {action !== undefined && <div className={css.action}>{action}</div>}
    </div>
  );
}
