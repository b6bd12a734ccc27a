// The requests of groups: create, rename, delete, leave, add and remove members.
//
// Promises: a request to create that is repeated keeps its key, so the group is created once; a group that no
// longer exists, or a member who has left, counts as removed.

import { apply } from "../../engine/apply";
import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import { groupCreated, groupRenamed, groupsListed } from "../shared/groups/groups";
import { readGroups } from "../shared/groups/useGroups";
import { groupRead, memberRemoved, membersAdded, readGroup } from "./members";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { tidyLine } from "../shared/text";
import { RefusedError } from "../../engine/ask";
import { RequestKey, newKey } from "../../engine/keys";

export const loads = { "groups.list": groupsListed, "groups.get": groupRead } satisfies Loads;

/** The most people that the server adds in one request. */
const ADD_MAX = 150;

const createKey = new RequestKey();

const isGone = (error: unknown): boolean => error instanceof RefusedError && error.code === "not_found";

/** Creates a group and returns its id. Throws a RefusedError. */
export async function createGroup(name: string): Promise<Id> {
  const fields = { name: tidyLine(name) };
  const me = store.getState().session.me?.id;
  const ok = await ask("groups.create", { key: createKey.for([me, fields.name]), ...fields });
  createKey.done();
  update((s) => groupCreated(s, { group: ok.group, users: [], seq: ok.seq }));
  return ok.group.id;
}

/** Throws a RefusedError. */
export async function renameGroup(groupId: Id, name: string): Promise<void> {
  try {
    const ok = await ask("groups.rename", { key: newKey(), group_id: groupId, name: tidyLine(name) });
    update((s) => groupRenamed(s, ok));
  } catch (error) {
    if (isGone(error)) void readGroups();
    throw error;
  }
}

/** Deletes a group for all its members. Throws a RefusedError. */
export async function deleteGroup(groupId: Id): Promise<void> {
  await end(() => ask("groups.delete", { key: newKey(), group_id: groupId }), groupId);
}

/** Throws a RefusedError. */
export async function leaveGroup(groupId: Id): Promise<void> {
  await end(() => ask("groups.leave", { key: newKey(), group_id: groupId }), groupId);
}

/** Groups that the viewer deleted or left on this page, and so needs no message about. */
const endedHere = new Set<Id>();
export const wasEndedHere = (groupId: Id): boolean => endedHere.has(groupId);

async function end(go: () => Promise<{ seq: number }>, groupId: Id): Promise<void> {
  endedHere.add(groupId);
  try {
    const { seq } = await go();
    // Removes the group with everything shared with it, without waiting for the event.
    update((s) => apply(s, { ev: "groups.deleted", group_id: groupId, seq }));
  } catch (error) {
    if (!isGone(error)) {
      endedHere.delete(groupId);
      throw error;
    }
    await readGroups();
  }
}

/** Throws a RefusedError. */
export async function removeMember(groupId: Id, userId: Id): Promise<void> {
  try {
    const { seq } = await ask("groups.remove", { key: newKey(), group_id: groupId, user_id: userId });
    update((s) => memberRemoved(s, groupId, userId, seq));
  } catch (error) {
    if (!isGone(error)) throw error;
    // The user is no longer a member, or the group no longer exists.
    await readGroup(groupId).catch(() => readGroups());
  }
}

/** Adds people and returns how many were added. Throws a RefusedError, after which some of them may be members. */
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

/** Returns those of the viewer's groups that this user left and so cannot be added to again. */
export async function leftOfMine(userId: Id): Promise<readonly Id[]> {
  return (await ask("groups.left_of_mine", { user_id: userId })).group_ids;
}
