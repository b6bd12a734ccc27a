// A list that is read page by page, with its states.

import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import type { Id } from "../../engine/state";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { catchFocus, useFocusInside } from "../../ui/focus";
import { showMore, usePeoplePages } from "../shared/people/usePeoplePages";
import { useVersion } from "./live";
import { words } from "./words";
import css from "./admin.module.css";

type PagesProps<T, Next> = {
  name: string;
  none: string;
  /** The id of the list. If it changes, the list is replaced, and items that are in both stay. */
  of?: string;
  read(after: Next | null): Promise<{ users: T[]; next: Next | null }>;
  children(item: T): ReactNode;
};

export function Pages<T extends { id: Id | string }, Next>({
  name,
  none,
  of = "",
  read,
  children,
}: PagesProps<T, Next>) {
  const list = useRef<HTMLUListElement>(null);
  const { users: items, hasMore, status, more } = usePeoplePages<T, Next>(read, `${useVersion()}/${of}`);
  const { inside, onFocus, onBlur } = useFocusInside();
  // An item that was dealt with leaves the list with the focus.
  useEffect(() => {
    if (!inside.current || list.current?.querySelector("[aria-busy]")) return;
    catchFocus(() => document.querySelector<HTMLElement>("main [role=tab][aria-selected=true]"));
  }, [items, inside]);

  return (
    <>
      {items !== null && items.length > 0 && (
        <ul role="list" ref={list} aria-label={name} className={css.list} onFocus={onFocus} onBlur={onBlur}>
          {items.map((item) => (
            <li key={item.id} className={css.item}>
              {children(item)}
            </li>
          ))}
        </ul>
      )}
      {items !== null && items.length === 0 && <p className={css.quiet}>{none}</p>}
      {status === "loading" && items === null && <p className={css.quiet}>{say(common.loading)}</p>}
      {status === "failed" && <InlineError onRetry={() => void more()} />}
      {hasMore && status !== "failed" && (
        <div className={css.more}>
          <Button variant="quiet" busy={status === "loading"} onClick={() => void showMore(more, list)}>
            {say(words.more)}
          </Button>
        </div>
      )}
    </>
  );
}
