// The audiences that the viewer can choose: everybody, and the viewer's groups.

import type { Audience } from "../../../engine/types.gen";
import type { GroupChoice } from "./useGroups";
import { useGroups } from "./useGroups";
import type { State } from "../../../engine/state";
import { groupOf } from "./audience";
import { useStore } from "../../../engine/store";
import { many } from "../../../say";

export const everyone: Audience = { type: "public" };

/**
 * The text beside a post that a group still sees, while its author, who is no longer in the group, edits the
 * post.
 */
export const GROUP_LEFT =
  "The members of that group still see this post. To change it, choose who sees it from now on.";

/** The error if the author then saves without choosing an audience. */
export const CHOOSE = "Choose who sees this post.";

/** The error beside a chosen group that was deleted or left. */
export const GROUP_GONE = "This group is gone, or you're no longer in it. Choose who sees this.";

/**
 * Returns whether the viewer may share with an audience. True while the groups are not read, because the
 * server decides then.
 */
export function mayShareWith({ groups }: State, audience: Audience): boolean {
  if (audience.type !== "group") return true;
  const id = audience.group_id;
  if (id === null) return false;
  return groups.items[id] !== undefined || (groups.status !== "ready" && groups.goneAt[id] === undefined);
}

/** The choices, and the state of the chosen one. */
export type Audiences = {
  groups: GroupChoice[];
  isKnown: boolean;
  /** Whether the chosen group was deleted or left. */
  isGone: boolean;
  hint: string | undefined;
};

/** Reads the groups if `enabled`, and checks the chosen one after every change. */
export function useAudiences(chosen: Audience, enabled = true): Audiences {
  const { groups, status } = useGroups(enabled);
  const isGone = !useStore((s) => mayShareWith(s, chosen));
  const count = useStore((s) => s.groups.items[groupOf(chosen) ?? 0]?.members_count);
  return {
    groups,
    isKnown: status === "ready",
    isGone,
    hint: count === undefined ? undefined : many(count, "{n} member", "{n} members"),
  };
}
