import type { ReactNode } from "react";
import css from "./EmptyState.module.css";

export type EmptyStateProps = {
  /** The heading. */
  title: ReactNode;
  children?: ReactNode;
  /** One way onward: a link or a button. */
  action?: ReactNode;
  level?: 2 | 3;
};

/** An empty list: what it is for, and a link to begin. */
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
