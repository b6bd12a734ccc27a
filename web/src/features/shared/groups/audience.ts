// Who a post or a poll is shared with: everybody, or one group.

import type { Id, State } from "../../../engine/state";
import type { Audience } from "../../../engine/types.gen";
import { groupNameOf } from "./groups";

/** A post or poll that is known by id only, until the reader asks for it. `group_id` is set when it is shared with a group. */
export type Waiting = { id: Id; author_id: Id; group_id?: Id };

/** The group it is shared with; null for everybody, and for a group that is gone. */
export const groupOf = (audience: Audience): Id | null =>
  audience.type === "group" ? audience.group_id : null;

/** Shared with a group that is gone, or that its author is no longer in: for the author alone, without what others said. */
export const isAuthorOnly = ({ audience }: { audience: Audience }): boolean =>
  audience.type === "group" && audience.group_id === null;

/** Whether the viewer is known to be no longer in the group, since something was read or received as of `seq`. */
export const isLost = (state: State, audience: Audience, seq: number): boolean =>
  seq < (state.groups.lostAt[groupOf(audience) ?? 0] ?? 0);

/** It waits to be asked for. */
export const waiting = (id: Id, authorId: Id, audience: Audience): Waiting => {
  const groupId = groupOf(audience);
  return groupId === null ? { id, author_id: authorId } : { id, author_id: authorId, group_id: groupId };
};

/** The line with a post or a poll that is shared with a group; null for one that is for everybody. */
export function sharedWith(state: State, audience: Audience): string | null {
  if (audience.type === "public") return null;
  return audience.group_id === null
    ? "a group that no longer exists"
    : (groupNameOf(state, audience.group_id) ?? "a group");
}
