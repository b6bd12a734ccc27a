// Registers the viewer's groups with the engine. Their members are held only while a screen shows them.

import { defineFeature } from "../../../engine/feature";
import {
  forgetGroupSeqs,
  GROUPS_VIEW,
  groupCreated,
  groupJoined,
  groupLeft,
  groupLost,
  groupRenamed,
  groupsListed,
  dropMembers,
  noGroups,
} from "./groups";

export const groups = defineFeature({
  initial: () => ({ groups: noGroups() }),
  on: {
    "groups.created": groupCreated,
    "groups.renamed": groupRenamed,
    "groups.joined": groupJoined,
    "groups.left": groupLeft,
    "groups.deleted": (state, { group_id, seq }) => groupLost(state, group_id, seq),
  },
  evict: (state, shown) => (shown.views.has(GROUPS_VIEW) ? state : dropMembers(state)),
  users: ({ groups: { items } }) =>
    Object.values(items).flatMap(({ owner_id, members }) => members ?? [owner_id]),
  forgetSeqs: (state) => ({ groups: forgetGroupSeqs(state) }),
  reread: async ({ ask, update }, before) => {
    if (before.groups.status !== "ready") return;
    const ok = await ask("groups.list", {});
    update((s) => groupsListed(s, ok));
  },
});
