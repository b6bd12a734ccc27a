// A list, mostly of people, that is read page by page.
//
// Promise: the list on screen stays correct. After a change the same number of items is read again, in place.
// Only the newest read is used.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Id } from "../../../engine/state";
import type { User } from "../../../engine/types.gen";
import { catchFocus } from "../../../ui/focus";

/** The list as far as it was read, and where it continues. */
type Read<U, Next> = { users: U[]; next: Next | null; pages: number };

export type PeoplePages<U = User> = {
  /** The items; null if not read yet. */
  users: U[] | null;
  hasMore: boolean;
  status: "loading" | "ready" | "failed";
  /** Reads the next page. Returns how many items were listed before it; null if it could not be read. */
  more(): Promise<number | null>;
};

/** `version` changes whenever the list may be out of date. */
export function usePeoplePages<U extends { id: Id | string } = User, Next = Id>(
  readPage: (from: Next | null) => Promise<{ users: U[]; next: Next | null }>,
  version: string,
): PeoplePages<U> {
  const [read, setRead] = useState<Read<U, Next> | null>(null);
  const [status, setStatus] = useState<PeoplePages["status"]>("loading");
  const newest = useRef(0);

  /** Returns null if a later read has begun meanwhile. */
  const readOn = async (from: Read<U, Next> | null, pages: number): Promise<Read<U, Next> | null> => {
    newest.current += 1;
    const mine = newest.current;
    let held: Read<U, Next> = from ?? { users: [], next: null, pages: 0 };
    do {
      const page = await readPage(held.next);
      if (mine !== newest.current) return null;
      const users = [
        ...held.users,
        ...page.users.filter((user) => !held.users.some((one) => one.id === user.id)),
      ];
      held = { users, next: page.next, pages: held.pages + 1 };
    } while (held.next !== null && held.pages < pages);
    return held;
  };

  const more = async (): Promise<number | null> => {
    setStatus("loading");
    try {
      const now = await readOn(read, (read?.pages ?? 0) + 1);
      if (now === null) return null;
      setStatus("ready");
      setRead(now);
      return read?.users.length ?? 0;
    } catch {
      setStatus("failed");
      return null;
    }
  };

  const reread = useEffectEvent(() => {
    if (read === null) {
      void more();
      return;
    }
    readOn(null, read.pages).then(
      (now) => {
        if (now === null) return;
        setStatus("ready");
        setRead(now);
      },
      // The list stays as it was, and a page that is still being read is ignored.
      () => setStatus("ready"),
    );
  });
  useEffect(() => {
    reread();
    return () => {
      newest.current += 1;
    };
  }, [version]);

  return { users: read?.users ?? null, hasMore: read !== null && read.next !== null, status, more };
}

/**
 * Reads the next page after a press on a button, which may disappear. Then the focus moves to the first new
 * item of the list.
 */
export async function showMore(
  more: PeoplePages["more"],
  list: { readonly current: HTMLElement | null },
): Promise<void> {
  const before = await more();
  if (before !== null && before > 0)
    catchFocus(() => list.current?.children[before]?.querySelector<HTMLElement>("a[href], button"));
}
