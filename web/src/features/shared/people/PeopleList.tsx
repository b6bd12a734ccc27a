// A list of people, as links by name, for a dialog.
//
// Promise: a new name is shown at once, and a deleted account is removed. Arrow keys move from one link to
// the next.

import type { ReactNode } from "react";
import { useRef } from "react";
import { Link } from "wouter";
import { useOnScreen } from "../../../engine/useOnScreen";
import { useStore } from "../../../engine/store";
import type { User } from "../../../engine/types.gen";
import { say } from "../../../say";
import { Avatar } from "../../../ui/Avatar";
import { Button } from "../../../ui/Button";
import { linkAt } from "../../../ui/listKeys";
import { shorten } from "../text";
import css from "./people.module.css";
import { showMore } from "./usePeoplePages";

/** The most code points of a name in a list. */
export const SHORT_NAME_MAX = 20;

type PeopleListProps = {
  people: readonly User[];
  /** Shown when nobody is in the list. */
  none: string;
  hasMore: boolean;
  busy: boolean;
  /** Reads the next page. Returns how many people were listed before it; null if it could not be read. */
  more(): Promise<number | null>;
  onLeave(): void;
  /** Shown beside each person. */
  beside?(user: User): ReactNode;
};

export function PeopleList({ people, none, hasMore, busy, more, onLeave, beside }: PeopleListProps) {
  useOnScreen(`people:${people.map((user) => user.id).join(",")}`);
  const goneAt = useStore((s) => s.goneAt);
  const list = useRef<HTMLUListElement>(null);
  const shown = people.filter((user) => goneAt[user.id] === undefined);

  return (
    <>
      {shown.length === 0 && <p className={css.none}>{none}</p>}
      {shown.length > 0 && (
        // The keys work wherever the focus is in the list.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
        <ul
          role="list"
          className={css.list}
          ref={list}
          onKeyDown={(event) => {
            const link = linkAt(event, list.current);
            if (link === null) return;
            event.preventDefault();
            link.focus();
          }}
        >
          {shown.map((user) => (
            <li key={user.id} className={css.entry}>
              <PersonLink user={user} onLeave={onLeave} />
              {beside?.(user)}
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button variant="quiet" busy={busy} onClick={() => void showMore(more, list)}>
          {say("Show more")}
        </Button>
      )}
    </>
  );
}

/** One person: photo and current name, as a link to the profile. */
export function PersonLink({ user, linkId, onLeave }: { user: User; linkId?: string; onLeave?(): void }) {
  const { id, name, photo_url } = useStore((s) => s.users[user.id]) ?? user;
  return (
    <Link
      href={`/profile/${String(id)}`}
      className={css.person}
      {...(linkId === undefined ? {} : { id: linkId })}
      {...(onLeave === undefined ? {} : { onClick: onLeave })}
    >
      <span aria-hidden="true">
        <Avatar id={id} name={name} photo={photo_url} size={32} />
      </span>
      <bdi>{shorten(name, SHORT_NAME_MAX)}</bdi>
    </Link>
  );
}
