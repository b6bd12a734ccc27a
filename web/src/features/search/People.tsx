// A list of people, each with a button to follow them.
//
// Promise: a new name is shown at once, and a deleted account is removed from the list.

import type { ReactNode, Ref } from "react";
import { useId } from "react";
import { Link } from "wouter";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Found } from "../../engine/types.gen";
import { useOnScreen } from "../../engine/useOnScreen";
import { Avatar } from "../../ui/Avatar";
import { shorten } from "../shared/text";
import styles from "./search.module.css";

const NAME_MAX = 30;
const BIO_MAX = 60;

type PeopleProps = {
  name: string;
  found: readonly Found[];
  follow(userId: Id): ReactNode;
  /** Shown in place of an empty list. */
  none?: ReactNode;
  /** Whether the name of the list is also a heading above it. */
  hasHeading?: boolean;
  ref?: Ref<HTMLUListElement>;
};

export function People({ name, found, follow, none = null, hasHeading = false, ref }: PeopleProps) {
  useOnScreen(`people:${found.map((user) => user.id).join(",")}`);
  const goneAt = useStore((s) => s.goneAt);
  const heading = useId();
  const shown = found.filter((user) => goneAt[user.id] === undefined);
  if (shown.length === 0) return none;
  return (
    <div className={styles.people}>
      {hasHeading && (
        <h2 id={heading} className={styles.heading}>
          {name}
        </h2>
      )}
      <ul
        role="list"
        ref={ref}
        className={styles.list}
        {...(hasHeading ? { "aria-labelledby": heading } : { "aria-label": name })}
      >
        {shown.map((user) => (
          <Person key={user.id} user={user} follow={follow(user.id)} />
        ))}
      </ul>
    </div>
  );
}

function Person({ user, follow }: { user: Found; follow: ReactNode }) {
  const { id, name, photo_url } = useStore((s) => s.users[user.id]) ?? user;
  return (
    <li className={styles.item}>
      <span className={styles.avatar} aria-hidden="true">
        <Avatar id={id} name={name} photo={photo_url} size={44} />
      </span>
      <div className={styles.words}>
        <Link href={`/profile/${id}`} className={styles.name}>
          <bdi>{shorten(name, NAME_MAX)}</bdi>
        </Link>
        {user.bio !== "" && (
          <p className={styles.bio} dir="auto">
            {shorten(user.bio, BIO_MAX)}
          </p>
        )}
      </div>
      <div className={styles.follow}>{follow}</div>
    </li>
  );
}
