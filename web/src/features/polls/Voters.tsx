// Who chose an option, for those who voted.
//
// Promise: while it is open it stays true: who votes meanwhile stands in it, as far as it was read.

import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useHold } from "../../store/hold";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { shorten } from "../../store/words";
import type { User } from "../../wire/types.gen";
import { common } from "../../text";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { catchFocus } from "../../ui/focus";
import { linkAt } from "../../ui/listKeys";
import { toast } from "../../ui/toast";
import { readVoters } from "./slice";
import css from "./polls.module.css";

const NAME_MAX = 20;

type VotersProps = { pollId: Id; option: number; text: string; votes: number; onClose(): void };
type Read = { users: User[]; more: Id | null; pages: number };

export function Voters({ pollId, option, text, votes, onClose }: VotersProps) {
  const [read, setRead] = useState<Read | null>(null);
  const [busy, setBusy] = useState(false);
  const rereads = useStore((s) => s.rereads);
  /** Rises with each reading: only the newest counts. */
  const round = useRef(0);
  const list = useRef<HTMLUListElement>(null);

  const readOn = async (from: Read | null, pages: number): Promise<void> => {
    round.current += 1;
    const mine = round.current;
    let held: Read = from ?? { users: [], more: null, pages: 0 };
    do {
      const page = await readVoters(pollId, option, held.more);
      if (mine !== round.current) return;
      const users = [...held.users, ...page.users.filter((user) => !held.users.some((one) => one.id === user.id))];
      held = { users, more: page.more, pages: held.pages + 1 };
    } while (held.more !== null && held.pages < pages);
    setRead(held);
  };

  const failed = () => toast("Error loading voters. Please try again.", { error: true });

  useEffect(() => {
    readOn(null, read?.pages ?? 1).catch(() => {
      if (read !== null) return;
      failed();
      onClose();
    });
    return () => {
      round.current += 1;
    };
  }, [pollId, option, votes, rereads]);

  const more = async () => {
    if (read === null) return;
    const before = read.users.length;
    setBusy(true);
    await readOn(read, read.pages + 1).catch(failed);
    setBusy(false);
    catchFocus(() => list.current?.querySelectorAll<HTMLElement>("a[href]")[before]);
  };

  return (
    <Dialog open closeButton title={`Voters for ${text}`} onClose={onClose}>
      <div className={css.form}>
        {read === null ? <p className={cx(quiet, css.quiet)}>{common.loading}</p> : <People people={read.users} list={list} onLeave={onClose} />}
        {read !== null && read.more !== null && (
          <Button variant="quiet" busy={busy} onClick={() => void more()}>
            Show more
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function People({ people, list, onLeave }: { people: readonly User[]; list: { current: HTMLUListElement | null }; onLeave(): void }) {
  useHold(`people:${people.map((user) => user.id).join(",")}`);
  const goneAt = useStore((s) => s.goneAt);
  const shown = people.filter((user) => goneAt[user.id] === undefined);
  if (shown.length === 0) return <p className={cx(quiet, css.quiet)}>No votes yet</p>;
  return (
    // The keys belong to the list as a whole, wherever the focus is in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul
      role="list"
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
      <Link href={`/profile/${String(id)}`} className={css.author} onClick={onLeave}>
        <span aria-hidden="true">
          <Avatar id={id} name={name} photo={photo_url} size={32} />
        </span>
        <bdi>{shorten(name, NAME_MAX)}</bdi>
      </Link>
    </li>
  );
}
