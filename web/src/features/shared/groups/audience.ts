// The audience of a post or a poll: everybody, or one group.

import type { Id, State } from "../../../engine/state";
import type { Audience } from "../../../engine/types.gen";
import { groupNameOf } from "./groups";

/**
 * A new post or poll that waits until the reader asks for it. `group_id` is set if it is shared with a group.
 */
export type Waiting = { id: Id; author_id: Id; group_id?: Id };

/** Returns the group of an audience; null for everybody, and for a deleted group. */
export const groupOf = (audience: Audience): Id | null =>
  audience.type === "group" ? audience.group_id : null;

/**
 * Returns whether the group was deleted or its author is no longer in it. Then only the author sees the post
 * or poll, without the comments of others.
 */
export const isAuthorOnly = ({ audience }: { audience: Audience }): boolean =>
  audience.type === "group" && audience.group_id === null;

/** Returns whether the viewer is known to have left the group after `seq`. */
export const isGroupGone = (state: State, audience: Audience, seq: number): boolean =>
  seq < (state.groups.goneAt[groupOf(audience) ?? 0] ?? 0);

/** Makes an entry for a new post or poll. */
export const waitingOf = (id: Id, authorId: Id, audience: Audience): Waiting => {
  const groupId = groupOf(audience);
  return groupId === null ? { id, author_id: authorId } : { id, author_id: authorId, group_id: groupId };
};

/** Returns the line that names the group of a post or poll; null if it is for everybody. */
export function sharedWith(state: State, audience: Audience): string | null {
  if (audience.type === "public") return null;
  return audience.group_id === null
    ? "a group that no longer exists"
    : (groupNameOf(state, audience.group_id) ?? "a group");
}
