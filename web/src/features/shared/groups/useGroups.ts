// Reads the viewer's groups when a screen first needs them. Events keep them current afterwards.

import { useEffect } from "react";
import type { Ok } from "../../../engine/frames";
import { ask } from "../../../engine/client";
import type { GroupChoice, Groups } from "./groups";
import { group, groupRead, groupsListed, myGroups } from "./groups";
import type { Id } from "../../../engine/state";
import { store, update, useStore } from "../../../engine/store";

/** Reads all groups the viewer is in, or reads them again in place. */
export async function readGroups(): Promise<void> {
  const isNew = store.getState().groups.status !== "ready";
  if (isNew) update((s) => group(s, { status: "loading" }));
  try {
    const ok = await ask("groups.list", {});
    update((s) => groupsListed(s, ok));
  } catch {
    // After a logout there are no groups any more.
    update((s) => (s.groups.status === "loading" ? group(s, { status: "failed" }) : s));
  }
}

/** So often an answer may be older than what was received meanwhile. */
const TRIES = 3;

/** Reads one group with who is in it. Throws `not_found` when it is none of the viewer's. */
export async function readGroup(groupId: Id): Promise<Ok<"groups.get">> {
  for (let left = TRIES; ; left -= 1) {
    const ok = await ask("groups.get", { group_id: groupId });
    update((s) => groupRead(s, ok));
    // Members changed while it was read: only the next answer has all of them.
    if (left === 1 || store.getState().groups.items[groupId]?.members !== null) return ok;
  }
}

/** The groups the viewer is in, by name, read when first needed. */
export function useGroups(wanted = true): { groups: GroupChoice[]; status: Groups["status"]; again(): void } {
  const groups = useStore(myGroups);
  const status = useStore((s) => s.groups.status);
  const since = useStore((s) => (s.connection.state === "live" ? s.connection.since : null));
  const isUnread = status === "none";
  // After a failed read the next reconnect is another chance.
  useEffect(() => {
    const { status: now } = store.getState().groups;
    if (wanted && (isUnread || (now === "failed" && since !== null))) void readGroups();
  }, [wanted, isUnread, since]);
  return { groups, status: status === "none" ? "loading" : status, again: () => void readGroups() };
}
