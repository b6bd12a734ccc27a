// The viewer's own followers, or the people they follow, page by page.
//
// Promise: while they are on screen they stay true: when somebody comes or goes, or nobody can tell, as
// much as was read is read again, in place.

import { useEffect, useRef, useState } from "react";
import type { Side, User } from "../wire/types.gen";
import { ask } from "./client";
import { holdUsers } from "./people";
import type { Id } from "./state";
import { update, useStore } from "./store";

/** How far the list was read: who is in it, and where it goes on. */
type Read = { users: User[]; older: Id | null; pages: number };

export type Follows = {
  /** Null: not read yet. */
  users: User[] | null;
  hasMore: boolean;
  status: "loading" | "ready" | "failed";
  /** Reads the next page. Answers with how many were there before it; null when it did not come. */
  more(): Promise<number | null>;
};

export function useFollows(side: Side): Follows {
  const [read, setRead] = useState<Read | null>(null);
  const [status, setStatus] = useState<Follows["status"]>("loading");
  /** Rises with each reading: only the newest counts. */
  const round = useRef(0);
  const rereads = useStore((s) => s.rereads);
  const counted = useStore((s) => countsOf(s.profiles[s.session.me?.id ?? 0]));

  const readOn = async (from: Read | null, pages: number): Promise<Read | null> => {
    round.current += 1;
    const mine = round.current;
    let held: Read = from ?? { users: [], older: null, pages: 0 };
    do {
      const before = held.older;
      const page = await ask("follows.page", { side, before });
      update((s) => holdUsers(s, page.users, page.seq));
      if (mine !== round.current) return null;
      const users = [...held.users, ...page.users.filter((user) => !held.users.some((one) => one.id === user.id))];
      held = { users, older: page.older, pages: held.pages + 1 };
    } while (held.older !== null && held.pages < pages);
    return held;
  };

  const more = async (): Promise<number | null> => {
    setStatus("loading");
    try {
      const now = await readOn(read, (read?.pages ?? 0) + 1);
      setStatus("ready");
      if (now === null) return null;
      setRead(now);
      return read?.users.length ?? 0;
    } catch {
      setStatus("failed");
      return null;
    }
  };

  useEffect(() => {
    void more();
  }, [side]);

  useEffect(() => {
    if (read === null) return;
    readOn(null, read.pages).then(
      (now) => {
        if (now !== null) setRead(now);
      },
      () => undefined,
    );
  }, [counted, rereads]);

  return { users: read?.users ?? null, hasMore: read !== null && read.older !== null, status, more };
}

const countsOf = (profile: { followers_count: number | null; following_count: number | null } | undefined): string =>
  `${profile?.followers_count ?? ""}/${profile?.following_count ?? ""}`;
