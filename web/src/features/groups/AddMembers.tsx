// The dialog in which the owner of a group adds followers to it.
//
// Promise: current members are checked and cannot be unchecked. The selection is kept while more people are
// loaded, and if adding fails.

import { useEffect, useRef, useState } from "react";
import { SHORT_NAME_MAX } from "../shared/people/PeopleList";
import { useOnScreen } from "../../engine/useOnScreen";
import { readGroup } from "./members";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { shorten } from "../shared/text";
import { say } from "../../say";
import { common } from "../../text";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { AddDialog } from "./AddDialog";
import { Checkbox } from "./Checkbox";
import { addMembers } from "./api";
import { useCandidates } from "./useCandidates";
import { added, isAbout } from "./words";

export function AddMembers({ groupId, name, onClose }: { groupId: Id; name: string; onClose(): void }) {
  const { users, hasMore, status, more } = useCandidates(groupId);
  const members = useStore((s) => s.groups.items[groupId]?.members) ?? null;
  const goneAt = useStore((s) => s.goneAt);
  const [picked, setPicked] = useState<readonly Id[]>([]);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  useOnScreen(`people:${(users ?? []).map((user) => user.id).join(",")}`);

  // The card of the group usually has read the members. If it could not, they are read here.
  const isUnread = members === null;
  useEffect(() => {
    // If this fails too, people can still be added, because the server knows who is a member already.
    if (isUnread) void readGroup(groupId).catch(() => undefined);
  }, [groupId, isUnread]);

  const shown = (users ?? []).filter((user) => goneAt[user.id] === undefined);
  const isIn = (id: Id) => members?.includes(id) === true;
  const toAdd = picked.filter((id) => !isIn(id) && goneAt[id] === undefined);
  const isAllIn = shown.length > 0 && !hasMore && shown.every((user) => isIn(user.id));

  const add = async () => {
    setBusy(true);
    setNote(null);
    try {
      toast(added(await addMembers(groupId, toAdd), name));
      onClose();
    } catch (error) {
      if (!isAbout(error)) toast(say("Error adding users to group"), { error: true });
      setNote(refusalText(error, "") || null);
      setBusy(false);
    }
  };

  const readMore = async () => {
    const before = await more();
    if (before !== null && before > 0)
      catchFocus(() => list.current?.querySelectorAll<HTMLElement>("input")[before]);
  };

  return (
    <AddDialog
      isPicked={toAdd.length > 0}
      canAdd={toAdd.length > 0}
      busy={busy}
      note={note}
      onAdd={() => void add()}
      onClose={onClose}
    >
      {users !== null && shown.length === 0 && (
        <p className={quiet}>
          {say("Nobody who follows you can be added. People you follow can be added from their profile.")}
        </p>
      )}
      {isAllIn && (
        <p className={quiet}>{say("Everyone who follows you and can be added is in this group.")}</p>
      )}
      {shown.length > 0 && (
        <ul role="list" aria-label={say("Your followers")} ref={list}>
          {shown.map((user) => (
            <li key={user.id}>
              <Person user={user} isIn={isIn(user.id)} picked={picked} busy={busy} onPick={setPicked} />
            </li>
          ))}
        </ul>
      )}
      {status === "loading" && users === null && <p className={quiet}>{say(common.loading)}</p>}
      {status === "failed" && <InlineError onRetry={() => void readMore()} />}
      {status !== "failed" && hasMore && (
        <Button variant="quiet" busy={status === "loading"} disabled={busy} onClick={() => void readMore()}>
          {say("Show more")}
        </Button>
      )}
    </AddDialog>
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
    <Checkbox
      label={shorten(name, SHORT_NAME_MAX)}
      checked={isIn || picked.includes(id)}
      disabled={isIn || busy}
      reason={isIn ? say("Already in this group") : undefined}
      onChange={(checked) => onPick(checked ? [...picked, id] : picked.filter((other) => other !== id))}
    >
      <Avatar id={id} name={name} photo={photo_url} size={32} />
    </Checkbox>
  );
}
