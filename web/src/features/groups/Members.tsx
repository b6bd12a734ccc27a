// Who is in a group: its owner first. The owner may remove the others.
//
// Promise: somebody who is being removed stands here until the server says that it is done.

import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { readGroup } from "../../store/loadGroups";
import { says } from "../../store/says";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { shorten } from "../../store/words";
import { common } from "../../text";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { Underway } from "./Underway";
import { removeMember } from "./slice";
import { SHORT_NAME_MAX } from "./words";
import css from "./groups.module.css";

/** So many stand under each other before the list begins to scroll; the style sheet says it too. */
const ROWS_MAX = 8.5;

export function Members({ groupId, isMine, isNear }: { groupId: Id; isMine: boolean; isNear: boolean }) {
  const held = useStore((s) => s.groups.items[groupId]);
  const rereads = useStore((s) => s.rereads);
  const [failed, setFailed] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  /** So many are being removed. */
  const [leaving, setLeaving] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const isRead = held !== undefined && held.members !== null;

  useEffect(() => {
    if (!isNear || failed) return;
    // Who is listed stays listed while they are read again.
    readGroup(groupId).catch(() => setFailed(!isRead));
  }, [groupId, isNear, failed, rereads]);

  if (held === undefined) return null;
  if (failed && !isRead) return <InlineError onRetry={() => setFailed(false)} />;
  const { members, owner_id: ownerId, members_count: count } = held;
  // The room they will take, so that nothing below moves when they come.
  const style = { minBlockSize: `${String(Math.min(ROWS_MAX, count) * 3)}rem` };
  if (members === null)
    return (
      <p className={quiet} style={style}>
        {common.loading}
      </p>
    );

  const remove = async (userId: Id) => {
    const at = members.indexOf(userId);
    setNote(null);
    setLeaving((n) => n + 1);
    try {
      await removeMember(groupId, userId);
      toast("Member removed from group");
    } catch (error) {
      toast("Error removing member", { error: true });
      setNote(says(error, "") || null);
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
      <ul role="list" aria-label="Members" ref={list} className={css.members} style={style}>
        {members.map((id) => (
          <Member key={id} userId={id} isOwner={id === ownerId} onRemove={isMine && id !== ownerId ? remove : null} />
        ))}
      </ul>
      {note !== null && (
        <p role="alert" className={quiet}>
          {note}
        </p>
      )}
      <Underway busy={leaving > 0} />
    </>
  );
}

type MemberProps = { userId: Id; isOwner: boolean; onRemove: ((userId: Id) => Promise<void>) | null };

function Member({ userId, isOwner, onRemove }: MemberProps) {
  const user = useStore((s) => s.users[userId]);
  const [busy, setBusy] = useState(false);
  if (user === undefined) return null;

  const remove = async () => {
    setBusy(true);
    await onRemove?.(userId);
    setBusy(false);
  };

  return (
    <li className={css.member}>
      <Link href={`/profile/${String(userId)}`} className={css.person}>
        <span aria-hidden="true">
          <Avatar id={userId} name={user.name} photo={user.photo_url} size={32} />
        </span>
        <bdi>{shorten(user.name, SHORT_NAME_MAX)}</bdi>
      </Link>
      {isOwner && <span className={quiet}>Owner</span>}
      {onRemove !== null && (
        <Button variant="plain" small busy={busy} onClick={() => void remove()}>
          Remove
        </Button>
      )}
    </li>
  );
}
