// Groups: making, naming and ending them, and who is in them.
//
// Promises: the same wish goes out with the same key until it is answered, so a group is made once; what
// is gone already is what was wanted.

import { apply } from "../../store/apply";
import { ask } from "../../store/client";
import { groupCreated, groupRenamed, memberRemoved, membersAdded } from "../../store/groups";
import { readGroup, readGroups } from "../../store/loadGroups";
import type { Id } from "../../store/state";
import { store, update } from "../../store/store";
import { tidyLine } from "../../store/words";
import { RefusedError } from "../../wire/ask";
import { newKey } from "../../wire/keys";

/** The server adds so many people at once. */
const ADD_MAX = 150;

let last: { wish: string; key: ArrayBuffer } | null = null;

/** A wish that was not answered is the same wish when it is sent again. */
function keyFor(wish: unknown[]): ArrayBuffer {
  const text = JSON.stringify(wish);
  if (last?.wish !== text) last = { wish: text, key: newKey() };
  return last.key;
}

const isGone = (error: unknown): boolean => error instanceof RefusedError && error.code === "not_found";

/** Makes a group and answers with its id. Throws when the server refused. */
export async function createGroup(name: string): Promise<Id> {
  const fields = { name: tidyLine(name) };
  const me = store.getState().session.me?.id;
  const ok = await ask("groups.create", { key: keyFor(["create", me, fields.name]), ...fields });
  last = null;
  update((s) => groupCreated(s, { group: ok.group, users: [], seq: ok.seq }));
  return ok.group.id;
}

/** Gives it another name. Throws when the server refused. */
export async function renameGroup(groupId: Id, name: string): Promise<void> {
  try {
    const ok = await ask("groups.rename", { key: newKey(), group_id: groupId, name: tidyLine(name) });
    update((s) => groupRenamed(s, ok));
  } catch (error) {
    if (isGone(error)) void readGroups();
    throw error;
  }
}

/** Ends it for everyone. Throws when the server refused. */
export async function deleteGroup(groupId: Id): Promise<void> {
  await end(() => ask("groups.delete", { key: newKey(), group_id: groupId }), groupId);
}

/** Leaves it. Throws when the server refused. */
export async function leaveGroup(groupId: Id): Promise<void> {
  await end(() => ask("groups.leave", { key: newKey(), group_id: groupId }), groupId);
}

/** The person knows of these: they went by a press of their own. */
const endedHere = new Set<Id>();
export const wasEndedHere = (groupId: Id): boolean => endedHere.has(groupId);

async function end(go: () => Promise<{ seq: number }>, groupId: Id): Promise<void> {
  endedHere.add(groupId);
  try {
    const { seq } = await go();
    // With all that was shared with it, without waiting to be told.
    update((s) => apply(s, { ev: "groups.deleted", group_id: groupId, seq }));
  } catch (error) {
    if (!isGone(error)) {
      endedHere.delete(groupId);
      throw error;
    }
    await readGroups();
  }
}

/** Takes somebody out of it. Throws when the server refused. */
export async function removeMember(groupId: Id, userId: Id): Promise<void> {
  try {
    const { seq } = await ask("groups.remove", { key: newKey(), group_id: groupId, user_id: userId });
    update((s) => memberRemoved(s, groupId, userId, seq));
  } catch (error) {
    if (!isGone(error)) throw error;
    // Either they are out of it already, or the group is no more.
    await readGroup(groupId).catch(() => readGroups());
  }
}

/** Adds people and answers with how many came. Throws when the server refused; some may be in it then. */
export async function addMembers(groupId: Id, userIds: readonly Id[]): Promise<number> {
  let came = 0;
  for (let at = 0; at < userIds.length; at += ADD_MAX) {
    const user_ids = userIds.slice(at, at + ADD_MAX);
    const ok = await ask("groups.add", { key: newKey(), group_id: groupId, user_ids });
    update((s) => membersAdded(s, ok));
    came += ok.users.length;
  }
  return came;
}
