// The members of a group, its owner first. The owner may remove the others.
//
// Promise: a member who is being removed stays listed until the server confirms it.

import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { readGroup } from "./members";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { PersonLink } from "../shared/people/PeopleList";
import { many, say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { Note } from "../../ui/Note";
import { SendingNote } from "../shared/sending";
import { removeMember } from "./api";
import css from "./groups.module.css";

/** How many members are shown until the others are asked for. */
const SHOWN_COUNT = 5;

export function Members({ groupId, isMine, isNear }: { groupId: Id; isMine: boolean; isNear: boolean }) {
  const held = useStore((s) => s.groups.items[groupId]);
  const resyncs = useStore((s) => s.resyncs);
  const [failed, setFailed] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  /** How many members are being removed. */
  const [leaving, setLeaving] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const listId = useId();
  const isRead = held !== undefined && held.members !== null;

  // If members are listed already, a failed read keeps them.
  const failedNow = useEffectEvent(() => setFailed(!isRead));
  useEffect(() => {
    if (isNear && !failed) readGroup(groupId).catch(() => failedNow());
  }, [groupId, isNear, failed, resyncs]);

  if (held === undefined) return null;
  if (failed && !isRead) return <InlineError onRetry={() => setFailed(false)} />;
  const { members, owner_id: ownerId, members_count: count } = held;
  // The height that the members will need, so that nothing below moves when they are loaded.
  const style = { minBlockSize: `${String(Math.min(SHOWN_COUNT, count) * 3)}rem` };
  if (members === null)
    return (
      <p className={quiet} style={style}>
        {say(common.loading)}
      </p>
    );

  const remove = async (userId: Id) => {
    const at = members.indexOf(userId);
    setNote(null);
    setLeaving((n) => n + 1);
    try {
      await removeMember(groupId, userId);
      toast(say("Member removed from group"));
    } catch (error) {
      toast(say("Error removing member"), { error: true });
      setNote(refusalText(error, "") || null);
    }
    setLeaving((n) => n - 1);
    catchFocus(() => {
      const rows = list.current?.children;
      const row = rows?.[at] ?? rows?.[rows.length - 1];
      return row?.querySelector<HTMLElement>("button") ?? row?.querySelector<HTMLElement>("a");
    });
  };

  return (
    <>
      <ul
        role="list"
        id={listId}
        aria-label={say("Members")}
        ref={list}
        className={css.members}
        style={style}
      >
        {(isOpen ? members : members.slice(0, SHOWN_COUNT)).map((id) => (
          <Member
            key={id}
            userId={id}
            isOwner={id === ownerId}
            onRemove={isMine && id !== ownerId ? remove : null}
          />
        ))}
      </ul>
      {members.length > SHOWN_COUNT && (
        <Button
          variant="plain"
          small
          className={css.more}
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen
            ? say("Show less")
            : many(members.length - SHOWN_COUNT, "Show {n} more member", "Show {n} more members")}
        </Button>
      )}
      <Note text={note} className={quiet} />
      <SendingNote busy={leaving > 0} />
    </>
  );
}

type MemberProps = { userId: Id; isOwner: boolean; onRemove: ((userId: Id) => Promise<void>) | null };

function Member({ userId, isOwner, onRemove }: MemberProps) {
  const user = useStore((s) => s.users[userId]);
  const [busy, setBusy] = useState(false);
  const linkId = useId();
  if (user === undefined) return null;

  const remove = async () => {
    setBusy(true);
    await onRemove?.(userId);
    setBusy(false);
  };

  return (
    <li className={css.member}>
      <PersonLink user={user} linkId={linkId} />
      {isOwner && <span className={quiet}>{say("Owner")}</span>}
      {onRemove !== null && (
        // The button of every member has the same name.
        <Button variant="plain" small busy={busy} aria-describedby={linkId} onClick={() => void remove()}>
          {say("Remove")}
        </Button>
      )}
    </li>
  );
}
