// Reads the viewer's groups when a screen first needs them. Events keep them current afterwards.

import { useEffect } from "react";
import { ask } from "../../../engine/client";
import type { Groups } from "./groups";
import { setGroups, groupsListed } from "./groups";
import type { State } from "../../../engine/state";
import type { GroupName } from "../../../engine/types.gen";
import { locale } from "../../../say";
import { store, update, useStore } from "../../../engine/store";

export type GroupChoice = GroupName;

let sorted = new WeakMap<Groups, GroupChoice[]>();
let sortedIn = "";

/** Returns the viewer's groups, sorted by name. It returns the same array while no group changes. */
export function myGroups({ groups }: Pick<State, "groups">): GroupChoice[] {
  if (sortedIn !== locale()) {
    sorted = new WeakMap();
    sortedIn = locale();
  }
  const known = sorted.get(groups);
  if (known !== undefined) return known;
  const all = Object.values(groups.items).map(({ id, owner_id }) => ({
    id,
    owner_id,
    name: groups.names[id]?.name ?? "",
  }));
  const byName = new Intl.Collator(locale(), { numeric: true });
  all.sort((a, b) => byName.compare(a.name, b.name) || a.id - b.id);
  sorted.set(groups, all);
  return all;
}

/** Reads the viewer's groups, also again in place. */
export async function readGroups(): Promise<void> {
  const isNew = store.getState().groups.status !== "ready";
  if (isNew) update((s) => setGroups(s, { status: "loading" }));
  try {
    const ok = await ask("groups.list", {});
    update((s) => groupsListed(s, ok));
  } catch {
    // The viewer may have logged out meanwhile.
    update((s) => (s.groups.status === "loading" ? setGroups(s, { status: "failed" }) : s));
  }
}

/** Returns the viewer's groups, sorted by name. It reads them when they are first needed. */
export function useGroups(enabled = true): {
  groups: GroupChoice[];
  status: Groups["status"];
  again(): void;
} {
  const groups = useStore(myGroups);
  const status = useStore((s) => s.groups.status);
  const since = useStore((s) => (s.connection.state === "live" ? s.connection.since : null));
  const isUnread = status === "none";
  // A failed read is repeated at the next reconnect.
  useEffect(() => {
    const { status: now } = store.getState().groups;
    if (enabled && (isUnread || (now === "failed" && since !== null))) void readGroups();
  }, [enabled, isUnread, since]);
  return { groups, status: status === "none" ? "loading" : status, again: () => void readGroups() };
}
