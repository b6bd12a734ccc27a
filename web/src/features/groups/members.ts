// Applies replies about the members of a group: reads, and the viewer's own additions and removals.

import type { Ok } from "../../engine/frames";
import { ask } from "../../engine/client";
import type { Id, State } from "../../engine/state";
import { asRead } from "../../engine/state";
import { store, update } from "../../engine/store";
import {
  changeGroup,
  groupKnown,
  storeGroupNames,
  withMembers,
  withoutMember,
} from "../shared/groups/groups";
import { storeUsers } from "../shared/people/people";

/** How often a group is read if the reply is older than an event. */
const TRIES = 3;

/** Reads a group with its members. Throws `not_found` if the viewer is not a member. */
export async function readGroup(groupId: Id): Promise<Ok<"groups.get">> {
  for (let left = TRIES; ; left -= 1) {
    const ok = await ask("groups.get", { group_id: groupId });
    update((s) => groupRead(s, ok));
    // If members changed during the read, only the next reply has all of them.
    if (left === 1 || store.getState().groups.items[groupId]?.members !== null) return ok;
  }
}

/** Applies a read group with its members. */
export function groupRead(state: State, { group: read, members, seq }: Ok<"groups.get">): State {
  const at = asRead(seq);
  if (state.groups.items[read.id] === undefined || at < (state.groups.goneAt[read.id] ?? 0)) return state;
  const next = groupKnown(storeGroupNames(storeUsers(state, members, seq), [read], at), read, at);
  return changeGroup(next, read.id, (held) =>
    at < held.membersAt ? held : { ...held, members: members.map(({ id }) => id), membersAt: at },
  );
}

/**
 * Applies the reply to the viewer's own `groups.add`. Events of earlier changes may still follow, so it adds the
 * users, but does not change the seq as of which all members are known.
 */
export function membersAdded(state: State, { group_id, users, members_count, seq }: Ok<"groups.add">): State {
  return changeGroup(storeUsers(state, users, seq), group_id, (held) => {
    const counted = seq <= held.at ? held : { ...held, members_count, at: seq };
    return seq <= held.membersAt
      ? counted
      : withMembers(
          counted,
          users.map(({ id }) => id),
        );
  });
}

/** Applies the reply to the viewer's own `groups.remove`, in the same way. */
export function memberRemoved(state: State, groupId: Id, userId: Id, seq: number): State {
  return changeGroup(state, groupId, (held) => {
    if (seq <= held.membersAt || held.members?.includes(userId) !== true) return held;
    const counted = seq <= held.at ? held : { ...held, members_count: held.members_count - 1 };
    return withoutMember(counted, userId);
  });
}
