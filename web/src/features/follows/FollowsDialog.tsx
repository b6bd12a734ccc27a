// The viewer's own followers, or the people they follow: a list of links by name.
//
// Promise: while it is open it stays true: who comes and goes, who takes another name, who is no more.

import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import { catchFocus } from "../../ui/focus";
import { linkAt } from "../../ui/listKeys";
import { useHold } from "../../store/hold";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { shorten } from "../../store/words";
import type { Side, User } from "../../wire/types.gen";
import { readFollows } from "./slice";
import styles from "./follows.module.css";

const NAME_MAX = 20;

export function FollowsDialog({ side, onClose }: { side: Side | null; onClose(): void }) {
  return (
    <Dialog closeButton title={side === "following" ? "Following" : "Followers"} open={side !== null} onClose={onClose}>
      {side !== null && <People key={side} side={side} onLeave={onClose} />}
    </Dialog>
  );
}

/** How far the list was read: who is in it, and where it goes on. */
type Read = { users: User[]; older: Id | null; pages: number };

function People({ side, onLeave }: { side: Side; onLeave(): void }) {
  const [read, setRead] = useState<Read | null>(null);
  const [status, setStatus] = useState<"loading" | "ready" | "failed">("loading");
  /** Rises with each reading: only the newest counts. */
  const round = useRef(0);
  const list = useRef<HTMLUListElement>(null);
  const rereads = useStore((s) => s.rereads);
  const counted = useStore((s) => countsOf(s.profiles[s.session.me?.id ?? 0]));

  const readOn = async (from: Read | null, pages: number): Promise<Read | null> => {
    round.current += 1;
    const mine = round.current;
    let held: Read = from ?? { users: [], older: null, pages: 0 };
    do {
      const page = await readFollows(side, held.older);
      if (mine !== round.current) return null;
      const users = [...held.users, ...page.users.filter((user) => !held.users.some((one) => one.id === user.id))];
      held = { users, older: page.older, pages: held.pages + 1 };
    } while (held.older !== null && held.pages < pages);
    return held;
  };

  const more = async () => {
    setStatus("loading");
    const before = read?.users.length ?? 0;
    try {
      const now = await readOn(read, (read?.pages ?? 0) + 1);
      setStatus("ready");
      if (now === null) return;
      setRead(now);
      // The button that was pressed may be gone, and what it brought stands where it was.
      if (before > 0) catchFocus(() => list.current?.querySelectorAll<HTMLElement>("a[href]")[before]);
    } catch {
      setStatus("failed");
    }
  };

  useEffect(() => {
    void more();
  }, [side]);

  // Somebody came or went, or nobody can tell: as much as was read is read again, in place.
  useEffect(() => {
    if (read === null) return;
    readOn(null, read.pages).then(
      (now) => {
        if (now !== null) setRead(now);
      },
      () => undefined,
    );
  }, [counted, rereads]);

  return (
    <div className={styles.people}>
      {read !== null && <List people={read.users} side={side} list={list} onLeave={onLeave} />}
      {status === "loading" && <p className={styles.none}>Loading</p>}
      {status === "failed" && <InlineError onRetry={() => void more()} />}
      {status === "ready" && read !== null && read.older !== null && (
        <Button variant="quiet" onClick={() => void more()}>
          Show more
        </Button>
      )}
    </div>
  );
}

const countsOf = (profile: { followers_count: number | null; following_count: number | null } | undefined): string =>
  `${profile?.followers_count ?? ""}/${profile?.following_count ?? ""}`;

type ListProps = { people: readonly User[]; side: Side; list: { current: HTMLUListElement | null }; onLeave(): void };

function List({ people, side, list, onLeave }: ListProps) {
  useHold(`people:${people.map((user) => user.id).join(",")}`);
  const goneAt = useStore((s) => s.goneAt);
  const follows = useStore((s) => s.follows);
  const shown = people.filter((user) => goneAt[user.id] === undefined && (side === "followers" || follows[user.id]?.following !== false));
  if (shown.length === 0)
    return <p className={styles.none}>{side === "followers" ? "Nobody follows you yet." : "You follow nobody yet."}</p>;
  return (
    // The keys belong to the list as a whole, wherever the focus is in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul
      role="list"
      className={styles.list}
      ref={list}
      onKeyDown={(event) => {
        const link = linkAt(event, list.current);
        if (link === null) return;
        event.preventDefault();
        link.focus();
      }}
    >
      {shown.map((user) => (
        <Person key={user.id} user={user} onLeave={onLeave} />
      ))}
    </ul>
  );
}

function Person({ user, onLeave }: { user: User; onLeave(): void }) {
  const { id, name, photo_url } = useStore((s) => s.users[user.id]) ?? user;
  return (
    <li>
      <Link href={`/profile/${id}`} className={styles.person} onClick={onLeave}>
        <span aria-hidden="true">
          <Avatar id={id} name={name} photo={photo_url} size={32} />
        </span>
        <bdi>{shorten(name, NAME_MAX)}</bdi>
      </Link>
    </li>
  );
}
