// All accounts, newest first, with the actions of an admin.

import { useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import { update, useStore } from "../../engine/store";
import type { AdminPerson } from "../../engine/types.gen";
import { useOnScreen } from "../../engine/useOnScreen";
import { say, sayAs } from "../../say";
import { Button } from "../../ui/Button";
import { SearchBox } from "../../ui/SearchBox";
import { shortDate } from "../../ui/relative";
import { TYPING_PAUSE_MS } from "../shared/search";
import { storeUsers } from "../shared/people/people";
import { Face } from "./Marks";
import { DeletePerson, ResetLink, SuspendPerson } from "./PersonDialogs";
import { Pages } from "./Pages";
import { useAct } from "./live";
import { people as words } from "./words";
import css from "./admin.module.css";

type Listed = AdminPerson & { id: number };

export function People() {
  const [typed, setTyped] = useState("");
  const [term, setTerm] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setTerm(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  const read = async (before: number | null) => {
    const page = await ask("admin.people", { term, before });
    update((s) =>
      storeUsers(
        s,
        page.people.map((one) => one.user),
        page.seq,
      ),
    );
    const users: Listed[] = page.people.map((one) => ({ ...one, id: one.user.id }));
    return { users, next: page.has_more ? (users.at(-1)?.id ?? null) : null };
  };

  return (
    <>
      <SearchBox
        ref={null}
        label={say(words.search)}
        maxLength={254}
        value={typed}
        onType={setTyped}
        onEnter={() => setTerm(typed.trim())}
      />
      <Pages<Listed, number> of={term} name={say("People")} none={say(words.none)} read={read}>
        {(person) => <Person person={person} />}
      </Pages>
    </>
  );
}

type Open = "suspend" | "delete" | "link" | null;

function Person({ person }: { person: Listed }) {
  const { id, created_at_ms, inviter, is_admin, is_suspended } = person;
  useOnScreen(`people:${id}`);
  const name = useStore((s) => s.users[id]?.name) ?? person.user.name;
  const [open, setOpen] = useState<Open>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const nameId = useId();
  const { busy, act } = useAct();
  const close = (): void => setOpen(null);
  const unsuspend = () => ask("admin.suspend", { key: newKey(), user_id: id, suspended: false });
  const endLogins = () => ask("admin.end_logins", { key: newKey(), user_id: id });

  return (
    <>
      <Face user={person.user} />
      <div className={css.words}>
        <Link ref={link} href={`/profile/${id}`} className={css.name}>
          <bdi id={nameId}>{name}</bdi>
        </Link>
        <p className={css.facts}>
          <span>{say(words.joined, { day: shortDate(created_at_ms) })}</span>
          {inviter !== null && <span>{say(words.invitedBy, { name: inviter.name })}</span>}
          <span>{say(words.id, { id: String(id) })}</span>
          {is_suspended && <strong>{say(words.suspended)}</strong>}
          {is_admin && <strong>{sayAs("mark", words.admin)}</strong>}
        </p>
      </div>
      {/* There are no actions for the account of an admin. */}
      {!is_admin && (
        <div className={css.choices}>
          {is_suspended ? (
            <Button
              variant="quiet"
              small
              aria-describedby={nameId}
              busy={busy}
              onClick={() => void act(unsuspend, say(words.wasUnsuspended))}
            >
              {say(words.unsuspend)}
            </Button>
          ) : (
            <Button variant="quiet" small aria-describedby={nameId} onClick={() => setOpen("suspend")}>
              {say(words.suspend)}
            </Button>
          )}
          <Button
            variant="quiet"
            small
            aria-describedby={nameId}
            busy={busy}
            onClick={() => void act(endLogins, say(words.loginsEnded))}
          >
            {say(words.endLogins)}
          </Button>
          <Button variant="quiet" small aria-describedby={nameId} onClick={() => setOpen("link")}>
            {say(words.resetLink)}
          </Button>
          {/* By itself, and not as loud as what is pressed more often. */}
          <Button
            variant="plain"
            small
            className={css.delete}
            aria-describedby={nameId}
            onClick={() => setOpen("delete")}
          >
            {say(words.delete)}
          </Button>
        </div>
      )}
      {open === "suspend" && <SuspendPerson user={{ ...person.user, name }} onClose={close} />}
      {open === "delete" && <DeletePerson user={{ ...person.user, name }} onClose={close} />}
      {open === "link" && <ResetLink user={{ ...person.user, name }} onClose={close} />}
    </>
  );
}
