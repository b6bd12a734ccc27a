// Which of one's own groups somebody is put into.
//
// Promise: a group they are in stands checked and stays so; what was picked is kept when it could not be
// done.

import { useEffect, useState } from "react";
import { GROUPS_VIEW, groupNameOf } from "../../store/groups";
import { useHold } from "../../store/hold";
import { readGroup, useGroups } from "../../store/loadGroups";
import { says } from "../../store/says";
import type { Id } from "../../store/state";
import { store, useStore } from "../../store/store";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { toast } from "../../ui/toast";
import { Choice } from "./Choice";
import { NewGroup } from "./NewGroup";
import { Underway } from "./Underway";
import { addMembers } from "./slice";
import { added, words } from "./words";
import css from "./groups.module.css";

/** So many groups are read at a time. */
const AT_ONCE = 4;

export function PickGroups({ userId, onClose }: { userId: Id; onClose(): void }) {
  const { groups, status, again } = useGroups();
  const me = useStore((s) => s.session.me?.id);
  const items = useStore((s) => s.groups.items);
  const [picked, setPicked] = useState<readonly Id[]>([]);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  useHold(`view:${GROUPS_VIEW}`);

  const own = groups.filter(({ owner_id }) => owner_id === me);
  const unread = own.filter(({ id }) => items[id]?.members === null).map(({ id }) => id);
  useEffect(() => {
    if (unread.length > 0 && !failed) void readAll(unread).catch(() => setFailed(true));
  }, [unread.length > 0, failed]);

  const isIn = (id: Id) => items[id]?.members?.includes(userId) === true;
  const wanted = picked.filter((id) => items[id] !== undefined && !isIn(id));
  const isReady = status === "ready" && unread.length === 0;

  const add = async () => {
    setBusy(true);
    setNote(null);
    const into: string[] = [];
    try {
      for (const id of wanted) {
        await addMembers(id, [userId]);
        into.push(groupNameOf(store.getState(), id) ?? "");
      }
      onClose();
    } catch (error) {
      toast("Error adding user to groups. Please try again.", { error: true });
      setNote(says(error, "") || null);
      setBusy(false);
    }
    if (into.length > 0) toast(added(1, into.join(", ")));
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
          <Button busy={busy} disabled={!isReady || wanted.length === 0} onClick={() => void add()}>
            Add
          </Button>
        </>
      }
    >
      <div className={css.choices}>
        {(status === "failed" || failed) && (
          <InlineError
            onRetry={() => {
              setFailed(false);
              if (status === "failed") again();
            }}
          />
        )}
        {!isReady && status !== "failed" && !failed && <p className={quiet}>{common.loading}</p>}
        {isReady && own.length === 0 && <p className={quiet}>{`${words.none} ${words.what}`}</p>}
        {isReady && own.length > 0 && (
          <ul role="list" aria-label="Your groups">
            {own.map(({ id, name }) => (
              <li key={id}>
                <Choice
                  label={name}
                  checked={isIn(id) || picked.includes(id)}
                  disabled={isIn(id) || busy}
                  onChange={(checked) => setPicked(checked ? [...picked, id] : picked.filter((other) => other !== id))}
                />
              </li>
            ))}
          </ul>
        )}
        {isReady && own.length > 0 && own.every(({ id }) => isIn(id)) && <p className={quiet}>{words.inAll}</p>}
        <NewGroup failed="Error creating group. Please try again." onMade={(id) => setPicked((before) => [...before, id])} />
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

async function readAll(ids: readonly Id[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) await Promise.all(ids.slice(at, at + AT_ONCE).map(readGroup));
}
