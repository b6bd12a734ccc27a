import { describe, expect, test } from "vitest";
import type { EventOf } from "../../../engine/frames";
import type { User } from "../../../engine/types.gen";
import { apply } from "../../../engine/apply";
import { evict } from "../../../engine/evict";
import {
  GROUPS_VIEW,
  forgetGroupSeqs,
  groupCreated,
  groupNameOf,
  groupsListed,
  storeGroupNames,
} from "./groups";
import { groupRead, memberRemoved, membersAdded } from "../../groups/members";
import { myGroups } from "./useGroups";
import { resync } from "../../../engine/resync";
import type { State } from "../../../engine/state";
import { emptyState } from "../../../engine/feature";
import { ANA, BEN, FAMILY, aGroup, aMe, inGroups } from "../../../testing/fixtures";

const CLEO: User = { id: 3, name: "Cleo", photo_url: null };
const DAN: User = { id: 4, name: "Dan", photo_url: null };
const start = (): State => ({ ...emptyState(), session: { phase: "signed-in", me: aMe() } });
/** A group that Ana owns and Ben is in. */
const ours = (): State => inGroups(start(), aGroup({ owner_id: ANA.id }));
const opened = (state = ours(), seq = 10): State =>
  groupRead(state, { group: aGroup({ owner_id: ANA.id }), members: [ANA, BEN], posts_count: 0, seq });

const members = (state: State) => state.groups.items[50]?.members?.map((id) => state.users[id]?.name);
const count = (state: State) => state.groups.items[50]?.members_count;
const joined = (seq: number, user: User, members_count: number): EventOf<"groups.joined"> => ({
  ev: "groups.joined",
  seq,
  group: aGroup({ owner_id: ANA.id, members_count }),
  user_ids: [user.id],
  users: [user, ANA],
});
const left = (seq: number, user: User, members_count: number): EventOf<"groups.left"> => ({
  ev: "groups.left",
  seq,
  group_id: FAMILY.id,
  user_id: user.id,
  members_count,
});
const renamed = (seq: number, name: string): EventOf<"groups.renamed"> => ({
  ev: "groups.renamed",
  seq,
  group_id: FAMILY.id,
  name,
});

describe("the viewer's groups", () => {
  test("are sorted by name, and are the same array while nothing changes", () => {
    const state = inGroups(
      start(),
      aGroup({ id: 51, name: "Walks" }),
      aGroup({ id: 52, name: "älter" }),
      aGroup({ id: 53, name: "Book club 10" }),
      aGroup({ id: 54, name: "Book club 9" }),
    );
    expect(myGroups(state).map(({ name }) => name)).toEqual([
      "älter",
      "Book club 9",
      "Book club 10",
      "Walks",
    ]);
    expect(myGroups({ groups: state.groups })).toBe(myGroups(state));
  });

  test("are unknown before they are read", () => {
    const state = apply(start(), joined(11, ANA, 2));
    expect(myGroups(state)).toEqual([]);
    expect(state.groups.status).toBe("none");
  });

  test("keep events that are received during the read", () => {
    const asked = { ...start(), groups: { ...start().groups, status: "loading" as const } };
    const changed = apply(apply(asked, joined(12, CLEO, 3)), renamed(13, "Kin"));
    const state = groupsListed(changed, { groups: [aGroup({ owner_id: ANA.id })], users: [ANA], seq: 11 });
    expect(count(state)).toBe(3);
    expect(groupNameOf(state, 50)).toBe("Kin");
  });

  test("do not include a group that is gone again after a late reply", () => {
    const gone = apply(ours(), { ev: "groups.deleted", seq: 12, group_id: 50 });
    expect(myGroups(gone)).toEqual([]);
    expect(groupNameOf(gone, 50)).toBe(null);
    const late = groupsListed(storeGroupNames(gone, [FAMILY], 11), {
      groups: [aGroup()],
      users: [BEN],
      seq: 11,
    });
    expect(myGroups(late)).toEqual([]);
    expect(groupNameOf(late, 50)).toBe(null);
    // After Ana is added again, the group is listed again.
    const again = apply(late, joined(13, ANA, 2));
    expect(myGroups(again).map(({ name }) => name)).toEqual(["Family"]);
    expect(apply(again, { ev: "groups.deleted", seq: 12, group_id: 50 })).toEqual(again);
  });

  test("lose a group and its name when the viewer leaves it", () => {
    const state = apply(ours(), left(11, ANA, 1));
    expect(myGroups(state)).toEqual([]);
    expect(groupNameOf(state, 50)).toBe(null);
  });

  test("lose a group that is missing when they are read again", () => {
    const state = groupsListed(inGroups(start(), aGroup(), aGroup({ id: 51, name: "Walks" })), {
      groups: [aGroup()],
      users: [BEN],
      seq: 20,
    });
    expect(myGroups(state).map(({ id }) => id)).toEqual([50]);
    expect(groupNameOf(state, 51)).toBe(null);
  });

  test("include a group of another device once", () => {
    const made = {
      group: aGroup({ id: 51, name: "Walks", owner_id: ANA.id, members_count: 1 }),
      users: [ANA],
      seq: 12,
    };
    const once = apply(ours(), { ev: "groups.created", ...made });
    expect(myGroups(once).map(({ name }) => name)).toEqual(["Family", "Walks"]);
    expect(groupCreated(once, made)).toEqual(once);
  });
});

describe("the name of a group", () => {
  test("is the name received last, wherever it is shown", () => {
    const state = apply(storeGroupNames(start(), [FAMILY], 10), renamed(12, "Kin"));
    expect(groupNameOf(state, 50)).toBe("Kin");
    expect(groupNameOf(storeGroupNames(state, [FAMILY], 11), 50)).toBe("Kin");
    expect(groupNameOf(storeGroupNames(state, [{ ...FAMILY, name: "Clan" }], 13), 50)).toBe("Clan");
  });
});

describe("the members of a group", () => {
  test("change by events, each of which is applied once", () => {
    const came = apply(opened(), joined(11, CLEO, 3));
    expect(members(came)).toEqual(["Ana", "Ben", "Cleo"]);
    expect(count(came)).toBe(3);
    expect(apply(came, joined(11, CLEO, 3))).toEqual(came);
    const went = apply(came, left(12, BEN, 2));
    expect(members(went)).toEqual(["Ana", "Cleo"]);
    expect(count(went)).toBe(2);
  });

  test("are unknown before they are read, except for their number", () => {
    const state = apply(ours(), joined(11, CLEO, 3));
    expect(state.groups.items[50]?.members).toBe(null);
    expect(count(state)).toBe(3);
  });

  test("are correct if a reply arrives before earlier events", () => {
    // Ben left at 11 and Cleo was added at 12. The reply to adding Cleo arrives first.
    const replied = membersAdded(opened(), { group_id: 50, users: [CLEO], members_count: 2, seq: 12 });
    expect(members(replied)).toEqual(["Ana", "Ben", "Cleo"]);
    const changed = apply(apply(replied, left(11, BEN, 1)), joined(12, CLEO, 2));
    expect(members(changed)).toEqual(["Ana", "Cleo"]);
    expect(count(changed)).toBe(2);
  });

  test("do not change by a reply after its own events, also after later events", () => {
    const back = apply(apply(opened(), left(11, BEN, 1)), joined(12, BEN, 2));
    expect(memberRemoved(back, 50, BEN.id, 11)).toEqual(back);
    const gone = memberRemoved(opened(), 50, BEN.id, 11);
    expect(members(gone)).toEqual(["Ana"]);
    expect(count(gone)).toBe(1);
    expect(count(apply(gone, left(11, BEN, 1)))).toBe(1);
  });

  test("do not change by a reply that is older than an event", () => {
    const came = apply(apply(opened(), joined(12, CLEO, 3)), joined(13, DAN, 4));
    expect(members(opened(came, 11))).toEqual(["Ana", "Ben", "Cleo", "Dan"]);
    expect(count(opened(came, 11))).toBe(4);
  });

  test("are evicted with their names when no screen shows them; owners' names stay", () => {
    const state = apply(opened(), joined(11, CLEO, 3));
    const none = { posts: new Set<number>(), profiles: new Set<number>(), people: new Set<number>() };
    const kept = evict(state, { ...none, views: new Set([GROUPS_VIEW]) }).state;
    expect(members(kept)).toEqual(["Ana", "Ben", "Cleo"]);
    const away = evict(
      inGroups(state, aGroup({ id: 51, name: "Walks", owner_id: BEN.id }), aGroup({ owner_id: ANA.id })),
      { ...none, views: new Set() },
    ).state;
    expect(away.groups.items[50]?.members).toBe(null);
    expect(Object.keys(away.users).map(Number)).toEqual([ANA.id, BEN.id]);
  });
});

describe("after a resync", () => {
  test("the groups are read again, and the new reply replaces them whatever its seq", async () => {
    let state = apply(opened(), renamed(900, "Kin"));
    expect(forgetGroupSeqs(state).items[50]?.at).toBe(0);
    const asked: string[] = [];
    await resync({
      ask: (async (op: string) => {
        asked.push(op);
        if (op !== "groups.list") throw new Error("no line");
        return { groups: [aGroup({ id: 51, name: "Walks" })], users: [BEN], seq: 2 };
      }) as never,
      update: (how) => {
        state = how(state);
      },
      state: () => state,
    });
    expect(asked).toContain("groups.list");
    expect(myGroups(state).map(({ name }) => name)).toEqual(["Walks"]);
  });

  test("groups that were not read before are not read", async () => {
    const asked: string[] = [];
    const state = start();
    await resync({
      ask: (async (op: string) => {
        asked.push(op);
        throw new Error("no line");
      }) as never,
      update: () => undefined,
      state: () => state,
    });
    expect(asked).not.toContain("groups.list");
  });
});
