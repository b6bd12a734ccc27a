// The audience of a post or a poll: everybody, one group, or its author alone, who chose that or whose group was
// deleted. A group without an id is one that the viewer is no longer in, although its members still see the post.

import type { Id, State } from "../../../engine/state";
import type { Audience } from "../../../engine/types.gen";

/**
 * A new post or poll that waits until the reader asks for it. `group_id` is set if it is shared with a group.
 */
export type Waiting = { id: Id; author_id: Id; group_id?: Id };

/** The words of a post whose author chose that only they see it. */
export const ONLY_YOU = "Only you see this post.";

/**
 * Returns the group of an audience; null for everybody, for the author alone, and for a group that the viewer
 * is not in.
 */
export const groupOf = (audience: Audience): Id | null =>
  audience.type === "group" ? audience.group_id : null;

/** Returns whether the author of this audience is not in it. Then the author sees the post without comments. */
export const isOutside = ({ audience }: { audience: Audience }): boolean =>
  isAlone(audience) || (audience.type === "group" && audience.group_id === null);

/** Returns whether only the author is in this audience. */
export const isAlone = ({ type }: Audience): boolean => type === "author" || type === "group_deleted";

/** Returns whether the viewer is known to have left the group after `seq`. */
export const isGroupGone = (state: State, audience: Audience, seq: number): boolean =>
  seq < (state.groups.goneAt[groupOf(audience) ?? 0] ?? 0);

/** Makes an entry for a new post or poll. */
export const waitingOf = (id: Id, authorId: Id, audience: Audience): Waiting => {
  const groupId = groupOf(audience);
  return groupId === null ? { id, author_id: authorId } : { id, author_id: authorId, group_id: groupId };
};

/**
 * Returns the sentence about the group of a post or poll, whose name is given if it is known; null if it is for
 * everybody, or for the author by choice.
 */
export function sharedText(audience: Audience, group: string | null) {
  if (audience.type === "public" || audience.type === "author") return null;
  if (audience.type === "group_deleted") return "Shared with a group that no longer exists";
  if (audience.group_id === null) return "Shared with a group you're no longer in";
  return group === null ? "Shared with a group" : "Shared with {group}";
}
