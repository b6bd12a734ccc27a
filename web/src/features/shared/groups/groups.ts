// The viewer's groups, and the names of the groups of posts and polls.
//
// Promises: a name is held once, so a new name is shown everywhere at once. A group that the viewer is no
// longer in is removed with its name and its members, and a late reply does not restore it. The members of a
// group are held only while a screen shows them. The features of posts and polls remove those of the group
// themselves.

import type { EventOf, Ok } from "../../../engine/frames";
import type { Group, GroupName } from "../../../engine/types.gen";
import { storeUsers } from "../people/people";
import type { Id, State } from "../../../engine/state";
import { asRead, put, without } from "../../../engine/state";

/** The view that a screen with the members of groups registers. */
export const GROUPS_VIEW = "groups";

/** How many groups in `goneAt` are remembered. */
const GONE_MAX = 500;

export type GroupEntry = Omit<Group, "name"> & {
  /** The seq as of which the number of members is known. */
  at: number;
  /** The members: the owner first, then in the order they were added; null if not read. */
  members: Id[] | null;
  membersAt: number;
};

export type Groups = {
  /** The groups that the viewer is in, own ones included. */
  items: Record<Id, GroupEntry>;
  status: "none" | "loading" | "ready" | "failed";
  /**
   * The names of these groups and of the groups of posts and polls. `at`: the seq as of which a name is
   * known.
   */
  names: Record<Id, { name: string; owner_id: Id; at: number }>;
  /** Groups that the viewer is no longer in or that were deleted, with the seq. */
  goneAt: Record<Id, number>;
};

declare module "../../../engine/state" {
  interface State {
    groups: Groups;
  }
}

export const noGroups = (): Groups => ({ items: {}, status: "none", names: {}, goneAt: {} });

/** Changes the groups of the state. */
export function setGroups(state: State, changes: Partial<Groups>): State {
  return { ...state, groups: { ...state.groups, ...changes } };
}

/** Returns the name of a group; null if it is unknown. */
export const groupNameOf = (state: State, groupId: Id): string | null =>
  state.groups.names[groupId]?.name ?? null;

/** Returns whether the viewer owns this group. */
export const isOwnGroup = (state: State, groupId: Id | null): boolean =>
  groupId !== null &&
  state.session.me !== null &&
  state.groups.names[groupId]?.owner_id === state.session.me.id;

/** Stores the names of groups that a reply or event contains. */
export function storeGroupNames(state: State, groups: readonly GroupName[], at: number): State {
  let { names } = state.groups;
  for (const { id, name, owner_id } of groups) {
    const held = names[id];
    if (at < (state.groups.goneAt[id] ?? 0) || (held !== undefined && at < held.at)) continue;
    if (held?.name !== name) names = put(names, id, { name, owner_id, at });
  }
  return names === state.groups.names ? state : setGroups(state, { names });
}

/** Applies the list of the viewer's groups. */
export function groupsListed(state: State, { groups, users, seq }: Ok<"groups.list">): State {
  const at = asRead(seq);
  const { items, goneAt } = state.groups;
  const listed = groups.filter(({ id }) => at >= (goneAt[id] ?? 0));
  const gone = Object.values(items).filter(
    (held) => held.at <= at && !listed.some(({ id }) => id === held.id),
  );
  const next = gone.reduce((kept, { id }) => groupLost(kept, id, at), state);
  const read = listed.reduce(
    (kept, one) => groupKnown(kept, one, at),
    storeGroupNames(storeUsers(next, users, seq), listed, at),
  );
  return setGroups(read, { status: "ready" });
}

/** The viewer created a group, here or on another device. */
export function groupCreated(
  state: State,
  { group: made, users, seq }: Omit<EventOf<"groups.created">, "ev">,
): State {
  if (state.groups.status === "none" || seq < (state.groups.goneAt[made.id] ?? 0)) return state;
  return groupKnown(storeGroupNames(storeUsers(state, users, seq), [made], seq), made, seq);
}

export function groupRenamed(
  state: State,
  { group_id, name, seq }: Omit<EventOf<"groups.renamed">, "ev">,
): State {
  const owner_id = state.groups.names[group_id]?.owner_id;
  return owner_id === undefined ? state : storeGroupNames(state, [{ id: group_id, name, owner_id }], seq);
}

/** Members were added. The viewer may be one of them. */
export function groupJoined(
  state: State,
  { group: now, user_ids, users, seq }: EventOf<"groups.joined">,
): State {
  if (state.groups.status === "none" || seq < (state.groups.goneAt[now.id] ?? 0)) return state;
  const next = groupKnown(storeGroupNames(storeUsers(state, users, seq), [now], seq), now, seq);
  return changeGroup(next, now.id, (held) =>
    seq < held.membersAt ? held : { ...withMembers(held, user_ids), membersAt: seq },
  );
}

/** A member left or was removed. If it was the viewer, the group is gone. */
export function groupLeft(
  state: State,
  { group_id, user_id, members_count, seq }: EventOf<"groups.left">,
): State {
  if (user_id === state.session.me?.id) return groupLost(state, group_id, seq);
  return changeGroup(state, group_id, (held) => {
    const counted = seq < held.at ? held : { ...held, members_count, at: seq };
    return seq < held.membersAt ? counted : { ...withoutMember(counted, user_id), membersAt: seq };
  });
}

/** The group was deleted, or the viewer is no longer in it. */
export function groupLost(state: State, groupId: Id, at: number): State {
  const { items, names, goneAt } = state.groups;
  const held = items[groupId];
  if (held !== undefined && at < held.at) return state;
  const all = Object.entries({ ...goneAt, [groupId]: Math.max(at, goneAt[groupId] ?? 0) });
  const kept = all.sort(([, a], [, b]) => a - b).slice(-GONE_MAX);
  return setGroups(state, {
    items: without(items, [groupId]),
    names: without(names, [groupId]),
    goneAt: Object.fromEntries(kept),
  });
}

/** Drops the members of all groups, because no screen shows them. */
export function dropMembers(state: State): State {
  const open = Object.values(state.groups.items).filter(({ members }) => members !== null);
  if (open.length === 0) return state;
  let { items } = state.groups;
  for (const held of open) items = put(items, held.id, { ...held, members: null, membersAt: 0 });
  return setGroups(state, { items });
}

/** Forgets the seqs of the old epoch. */
export function forgetGroupSeqs({ groups }: State): Groups {
  const items = Object.values(groups.items).map((held) => [held.id, { ...held, at: 0, membersAt: 0 }]);
  const names = Object.entries(groups.names).map(([id, held]) => [id, { ...held, at: 0 }]);
  return { ...groups, items: Object.fromEntries(items), names: Object.fromEntries(names), goneAt: {} };
}

/** Applies a group as of `at`. Its members stay as they were. */
export function groupKnown(state: State, { name: _name, ...known }: Group, at: number): State {
  const held = state.groups.items[known.id];
  if (held !== undefined && at < held.at) return state;
  const { members, membersAt } = held ?? { members: null, membersAt: 0 };
  return setGroups(state, { items: put(state.groups.items, known.id, { ...known, at, members, membersAt }) });
}

/** Changes a group that is held. */
export function changeGroup(state: State, groupId: Id, how: (held: GroupEntry) => GroupEntry): State {
  const held = state.groups.items[groupId];
  if (held === undefined) return state;
  const changed = how(held);
  return changed === held ? state : setGroups(state, { items: put(state.groups.items, groupId, changed) });
}

export const withMembers = (held: GroupEntry, userIds: readonly Id[]): GroupEntry => ({
  ...held,
  members: held.members === null ? null : [...new Set([...held.members, ...userIds])],
});

export const withoutMember = (held: GroupEntry, userId: Id): GroupEntry => ({
  ...held,
  members: held.members === null ? null : held.members.filter((id) => id !== userId),
});
