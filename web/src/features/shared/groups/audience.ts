// The audience of a post or a poll: everybody, one group, or its author alone. A group without an id is one
// that the viewer is no longer in, although its members still see the post.

import type { Id, State } from "../../../engine/state";
import type { Audience } from "../../../engine/types.gen";
import { groupNameOf } from "./groups";

/**
 * A new post or poll that waits until the reader asks for it. `group_id` is set if it is shared with a group.
 */
export type Waiting = { id: Id; author_id: Id; group_id?: Id };

/**
 * Returns the group of an audience; null for everybody, for the author alone, and for a group that the viewer
 * is not in.
 */
export const groupOf = (audience: Audience): Id | null =>
  audience.type === "group" ? audience.group_id : null;

/** Returns whether the author of this audience is not in it. Then the author sees the post without comments. */
export const isOutside = ({ audience }: { audience: Audience }): boolean =>
  audience.type === "author" || (audience.type === "group" && audience.group_id === null);

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
  if (audience.type === "author") return "a group that no longer exists";
  return audience.group_id === null
    ? "a group you're no longer in"
    : (groupNameOf(state, audience.group_id) ?? "a group");
}
