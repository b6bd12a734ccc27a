// The dialog in which the viewer adds one user to the viewer's own groups.
//
// Promise: a group that the user is in is checked and cannot be unchecked. A group that they left cannot be
// checked. The selection is kept if adding fails.

import { useEffect, useEffectEvent, useState } from "react";
import { GROUPS_VIEW, groupNameOf } from "../shared/groups/groups";
import { useOnScreen } from "../../engine/useOnScreen";
import { useGroups } from "../shared/groups/useGroups";
import { readGroup } from "./members";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { store, useStore } from "../../engine/store";
import { languageNow, locale, say } from "../../say";
import { common } from "../../text";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { toast } from "../../ui/toast";
import { AddDialog } from "./AddDialog";
import { Checkbox } from "./Checkbox";
import { NewGroup } from "./NewGroup";
import { addMembers, leftOfMine } from "./api";
import { added, words } from "./words";

/** How many groups are read at a time. */
const AT_ONCE = 4;

export function PickGroups({ userId, onClose }: { userId: Id; onClose(): void }) {
  const { groups, status, again } = useGroups();
  const me = useStore((s) => s.session.me?.id);
  const items = useStore((s) => s.groups.items);
  const [picked, setPicked] = useState<readonly Id[]>([]);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  useOnScreen(`view:${GROUPS_VIEW}`);

  // Groups of the viewer that this user left, and so can be added to again only if the user allows it.
  const [left, setLeft] = useState<readonly Id[] | null>(null);
  const readLeft = useEffectEvent(() => {
    leftOfMine(userId).then(setLeft, () => setFailed(true));
  });
  useEffect(() => {
    if (left === null && !failed) readLeft();
  }, [left, failed]);

  const own = groups.filter(({ owner_id }) => owner_id === me);
  const unread = own.filter(({ id }) => items[id]?.members === null).map(({ id }) => id);
  const hasUnread = unread.length > 0;
  const readUnread = useEffectEvent(() => void readAll(unread).catch(() => setFailed(true)));
  useEffect(() => {
    if (hasUnread && !failed) readUnread();
  }, [hasUnread, failed]);

  const isIn = (id: Id) => items[id]?.members?.includes(userId) === true;
  const toAdd = picked.filter((id) => items[id] !== undefined && !isIn(id));
  const isReady = status === "ready" && unread.length === 0 && left !== null;
  const hasLeft = (id: Id) => left?.includes(id) === true && !isIn(id);

  const add = async () => {
    setBusy(true);
    setNote(null);
    const into: string[] = [];
    try {
      for (const id of toAdd) {
        await addMembers(id, [userId]);
        into.push(groupNameOf(store.getState(), id) ?? "");
      }
      onClose();
    } catch (error) {
      toast(say("Error adding user to groups. Please try again."), { error: true });
      setNote(refusalText(error, "") || null);
      setBusy(false);
    }
    if (into.length > 0) toast(added(1, listed(into)));
  };

  return (
    <AddDialog
      isPicked={toAdd.length > 0}
      canAdd={isReady && toAdd.length > 0}
      busy={busy}
      note={note}
      onAdd={() => void add()}
      onClose={onClose}
    >
      {(status === "failed" || failed) && (
        <InlineError
          onRetry={() => {
            setFailed(false);
            if (status === "failed") again();
          }}
        />
      )}
      {!isReady && status !== "failed" && !failed && <p className={quiet}>{say(common.loading)}</p>}
      {isReady && own.length === 0 && <p className={quiet}>{say(words.noneYet)}</p>}
      {isReady && own.length > 0 && (
        <ul role="list" aria-label={say("Your groups")}>
          {own.map(({ id, name }) => (
            <li key={id}>
              <Checkbox
                label={name}
                checked={isIn(id) || picked.includes(id)}
                disabled={isIn(id) || hasLeft(id) || busy}
                reason={
                  isIn(id) ? say("Already in this group") : hasLeft(id) ? say("Left this group") : undefined
                }
                onChange={(checked) =>
                  setPicked(checked ? [...picked, id] : picked.filter((other) => other !== id))
                }
              />
            </li>
          ))}
        </ul>
      )}
      {isReady && own.length > 0 && own.every(({ id }) => isIn(id)) && (
        <p className={quiet}>{say(words.inAll)}</p>
      )}
      <NewGroup
        failed={say("Error creating group. Please try again.")}
        onMade={(id) => setPicked((before) => [...before, id])}
      />
    </AddDialog>
  );
}

async function readAll(ids: readonly Id[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE)
    await Promise.all(ids.slice(at, at + AT_ONCE).map(readGroup));
}

/** Returns the names in one text. */
const listed = (names: readonly string[]): string =>
  languageNow() === "en" ? names.join(", ") : new Intl.ListFormat(locale()).format(names);
