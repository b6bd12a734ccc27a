// What tells people with the same name apart. It has no mail address (D-T4). Commands know accounts by their id
// too.

import { useStore } from "../../engine/store";
import type { User } from "../../engine/types.gen";
import { say } from "../../say";
import { Avatar } from "../../ui/Avatar";
import { people as words } from "./words";
import css from "./admin.module.css";

/** The photo or initials of a person, beside the name. */
export function Face({ user }: { user: User }) {
  const { id, name, photo_url } = useStore((s) => s.users[user.id]) ?? user;
  return (
    <span className={css.face} aria-hidden="true">
      <Avatar id={id} name={name} photo={photo_url} size={40} />
    </span>
  );
}

/** The face, the name and the id of the person whom a dialog is about. */
export function Whom({ user }: { user: User }) {
  return (
    <div className={css.whom}>
      <Face user={user} />
      <p className={css.facts}>
        <bdi>{user.name}</bdi>
        <span>{say(words.id, { id: String(user.id) })}</span>
      </p>
    </div>
  );
}
