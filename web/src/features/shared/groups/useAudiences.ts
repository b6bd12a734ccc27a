// The audiences that the viewer can choose: everybody here, and the groups they are in.

import type { Audience } from "../../../engine/types.gen";
import type { GroupChoice } from "./useGroups";
import { useGroups } from "./useGroups";
import type { State } from "../../../engine/state";
import { groupOf } from "./audience";
import { useStore } from "../../../engine/store";
import { many } from "../text";

export const everyone: Audience = { type: "public" };

/** Said beside a group that was chosen and went away. */
export const GROUP_GONE = "This group is gone, or you're no longer in it. Choose who sees this.";

/** Whether something can be shared so, as far as is known: only the server knows while the groups are not read. */
export function mayShareWith({ groups }: State, audience: Audience): boolean {
  if (audience.type === "public") return true;
  const id = audience.group_id;
  if (id === null) return false;
  return groups.items[id] !== undefined || (groups.status !== "ready" && groups.lostAt[id] === undefined);
}

/** What there is to choose from, and what is to be said of the choice. */
export type Audiences = {
  groups: GroupChoice[];
  isKnown: boolean;
  /** The chosen group is gone, or not the viewer's any more. */
  isGone: boolean;
  hint: string | undefined;
};

/** Reads the groups when `wanted`, and keeps an eye on the one that is chosen. */
export function useAudiences(chosen: Audience, wanted = true): Audiences {
  const { groups, status } = useGroups(wanted);
  const isGone = !useStore((s) => mayShareWith(s, chosen));
  const count = useStore((s) => s.groups.items[groupOf(chosen) ?? 0]?.members_count);
  return {
    groups,
    isKnown: status === "ready",
    isGone,
    hint: count === undefined ? undefined : many(count, "member"),
  };
}
