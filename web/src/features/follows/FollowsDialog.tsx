// The viewer's own followers, or the people they follow: a list of links by name.
//
// Promise: while it is open it stays true: who comes and goes, who takes another name, who is no more.

import { useRef } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import { catchFocus } from "../../ui/focus";
import { linkAt } from "../../ui/listKeys";
import { useFollows } from "../../store/follows";
import { useHold } from "../../store/hold";
import { useStore } from "../../store/store";
import { shorten } from "../../store/words";
import type { Side, User } from "../../wire/types.gen";
import styles from "./follows.module.css";

const NAME_MAX = 20;

export function FollowsDialog({ side, onClose }: { side: Side | null; onClose(): void }) {
  return (
    <Dialog closeButton title={side === "following" ? "Following" : "Followers"} open={side !== null} onClose={onClose}>
      {side !== null && <People key={side} side={side} onLeave={onClose} />}
    </Dialog>
  );
}

function People({ side, onLeave }: { side: Side; onLeave(): void }) {
  const { users, hasMore, status, more } = useFollows(side);
  const list = useRef<HTMLUListElement>(null);

  // The button that was pressed may be gone, and what it brought stands where it was.
  const press = async () => {
    const before = await more();
    if (before !== null && before > 0) catchFocus(() => list.current?.querySelectorAll<HTMLElement>("a[href]")[before]);
  };

  return (
    <div className={styles.people}>
      {users !== null && <List people={users} side={side} list={list} onLeave={onLeave} />}
      {status === "loading" && <p className={styles.none}>Loading</p>}
      {status === "failed" && <InlineError onRetry={() => void press()} />}
      {status === "ready" && hasMore && (
        <Button variant="quiet" onClick={() => void press()}>
          Show more
        </Button>
      )}
    </div>
  );
}

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
