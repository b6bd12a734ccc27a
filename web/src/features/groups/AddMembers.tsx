// The owner picks who else is in the group, among those who follow them.
//
// Promise: who is in it already stands checked and stays so; what was picked is kept while more is read,
// and when it could not be added.

import { useEffect, useRef, useState } from "react";
import { useFollows } from "../../store/follows";
import { useHold } from "../../store/hold";
import { readGroup } from "../../store/loadGroups";
import { says } from "../../store/says";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { shorten } from "../../store/words";
import { common } from "../../text";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { Choice } from "./Choice";
import { Underway } from "./Underway";
import { addMembers } from "./slice";
import { SHORT_NAME_MAX, added, isAbout, words } from "./words";
import css from "./groups.module.css";

export function AddMembers({ groupId, name, onClose }: { groupId: Id; name: string; onClose(): void }) {
  const { users, hasMore, status, more } = useFollows("followers");
  const members = useStore((s) => s.groups.items[groupId]?.members) ?? null;
  const goneAt = useStore((s) => s.goneAt);
  const [picked, setPicked] = useState<readonly Id[]>([]);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  useHold(`people:${(users ?? []).map((user) => user.id).join(",")}`);

  // Who is in it is read with the card; a card that could not read it is no reason not to add.
  useEffect(() => {
    if (members === null) void readGroup(groupId).catch(() => undefined);
  }, [groupId, members === null]);

  const shown = (users ?? []).filter((user) => goneAt[user.id] === undefined);
  const isIn = (id: Id) => members?.includes(id) === true;
  const wanted = picked.filter((id) => !isIn(id) && goneAt[id] === undefined);
  const isAllIn = shown.length > 0 && !hasMore && shown.every((user) => isIn(user.id));

  const add = async () => {
    setBusy(true);
    setNote(null);
    try {
      toast(added(await addMembers(groupId, wanted), name));
      onClose();
    } catch (error) {
      if (!isAbout(error)) toast("Error adding users to group", { error: true });
      setNote(says(error, "") || null);
      setBusy(false);
    }
  };

  const readMore = async () => {
    const before = await more();
    if (before !== null && before > 0) catchFocus(() => list.current?.querySelectorAll<HTMLElement>("input")[before]);
  };

  return (
    <Dialog
      open
      title={words.add}
      closeOnBackdrop={wanted.length === 0}
      onClose={onClose}
      actions={
        <>
          {/* What there is to pick comes later, and no keyboard should open by itself. */}
          <Button variant="quiet" data-autofocus onClick={onClose}>
            {common.cancel}
          </Button>
          <Button busy={busy} disabled={wanted.length === 0} onClick={() => void add()}>
            Add
          </Button>
        </>
      }
    >
      <div className={css.choices}>
        {users !== null && shown.length === 0 && (
          <p className={quiet}>Nobody follows you yet. People you follow can be added from their profile.</p>
        )}
        {isAllIn && <p className={quiet}>Everyone who follows you is in this group.</p>}
        {shown.length > 0 && (
          <ul role="list" aria-label="Your followers" ref={list}>
            {shown.map((user) => (
              <li key={user.id}>
                <Person user={user} isIn={isIn(user.id)} picked={picked} busy={busy} onPick={setPicked} />
              </li>
            ))}
          </ul>
        )}
        {status === "loading" && users === null && <p className={quiet}>{common.loading}</p>}
        {status === "failed" && <InlineError onRetry={() => void readMore()} />}
        {status !== "failed" && hasMore && (
          <Button variant="quiet" busy={status === "loading"} disabled={busy} onClick={() => void readMore()}>
            Show more
          </Button>
        )}
        {note !== null && (
          <p role="alert" className={quiet}>
            {note}
          </p>
        )}
        <Underway busy={busy} />
      </div>
    </Dialog>
  );
}

type PersonProps = {
  user: { id: Id; name: string; photo_url: string | null };
  isIn: boolean;
  picked: readonly Id[];
  busy: boolean;
  onPick(picked: readonly Id[]): void;
};

function Person({ user, isIn, picked, busy, onPick }: PersonProps) {
  const { id, name, photo_url } = useStore((s) => s.users[user.id]) ?? user;
  return (
    <Choice
      label={shorten(name, SHORT_NAME_MAX)}
      checked={isIn || picked.includes(id)}
      disabled={isIn || busy}
      onChange={(checked) => onPick(checked ? [...picked, id] : picked.filter((other) => other !== id))}
    >
      <Avatar id={id} name={name} photo={photo_url} size={32} />
    </Choice>
  );
}
