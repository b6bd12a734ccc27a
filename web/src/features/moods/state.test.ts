import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../../engine/frames";
import { apply } from "../../engine/apply";
import { evict } from "../../engine/evict";
import { dayKnown, dropExpired, loadMoods, nextExpiry, slotOver } from "./read";
import { MOODS_VIEW } from "./state";
import { forgetSeqs } from "../../engine/resync";
import type { State } from "../../engine/state";
import { ANA, BEN, aDay, aMood, anasFeed } from "../../testing/fixtures";

const ZOE = { id: 3, name: "Zoë", photo_url: null };
const changed = (seq: number, mood: ReturnType<typeof aMood>): AnyEvent => ({
  ev: "moods.changed",
  seq,
  mood,
  users: [BEN, ZOE],
});
const read = (moods = [aMood(2)], seq = 10, mine = aDay()): State =>
  loadMoods(anasFeed([]), { mine, moods, users: [BEN, ZOE], seq });
const words = (state: State) =>
  state.moods.list.map((mood) => `${String(mood.user_id)} ${mood.evening ?? mood.morning ?? ""}`);
const shown = (...views: string[]) => ({
  views: new Set(views),
  posts: new Set<number>(),
  profiles: new Set<number>(),
  people: new Set<number>(),
});

describe("moods", () => {
  test("the latest mood comes first, and a mood received twice is one", () => {
    const event = changed(11, aMood(3, { evening: "Silly", made_at_ms: 90 }));
    const once = apply(read(), event);
    expect(words(once)).toEqual(["3 Silly", "2 Cozy"]);
    expect(apply(once, event)).toEqual(once);
    expect(words(apply(once, changed(12, aMood(2, { evening: "Sleepy", made_at_ms: 95 }))))).toEqual([
      "2 Sleepy",
      "3 Silly",
    ]);
  });

  test("a list does not overwrite a later event", () => {
    const changedState = apply(read([]), changed(14, aMood(2, { morning: "Loved" })));
    expect(words(loadMoods(changedState, { mine: aDay(), moods: [aMood(2)], users: [], seq: 13 }))).toEqual([
      "2 Loved",
    ]);
    expect(words(loadMoods(changedState, { mine: aDay(), moods: [], users: [], seq: 15 }))).toEqual([]);
    expect(words(apply(read([]), changed(9, aMood(2))))).toEqual([]);
  });

  test("an unfollow removes the mood at once, and a late list does not bring it back", () => {
    const left = apply(read(), { ev: "follows.changed", seq: 12, user_id: 2, following: false });
    expect(words(left)).toEqual([]);
    expect(words(apply(left, changed(13, aMood(2))))).toEqual([]);
    expect(words(loadMoods(left, { mine: aDay(), moods: [aMood(2)], users: [BEN], seq: 11 }))).toEqual([]);
  });

  test("a follow makes the list stale", () => {
    expect(apply(read(), { ev: "follows.changed", seq: 12, user_id: 3, following: true }).moods.stale).toBe(
      true,
    );
  });

  test("the mood of a deleted user is removed and does not return", () => {
    const gone = apply(read(), { ev: "users.deleted", seq: 12, user_id: 2 });
    expect(words(gone)).toEqual([]);
    expect(words(apply(gone, changed(13, aMood(2))))).toEqual([]);
    expect(words(loadMoods(gone, { mine: aDay(), moods: [aMood(2)], users: [], seq: 11 }))).toEqual([]);
  });

  test("the viewer's own mood of another device is applied", () => {
    const set = apply(read(), changed(11, aMood(ANA.id, { morning: "Happy" })));
    expect(set.moods.mine).toMatchObject({ morning: "Happy", open: false });
    expect(words(set)).toEqual(["2 Cozy"]);
    expect(dayKnown(set, aDay(), 10).moods.mine?.morning).toBe("Happy");
  });

  test("d-e2: a mood expires exactly at its owner's midnight", () => {
    const state = read([aMood(2, { expires_at_ms: 5_000 }), aMood(3, { expires_at_ms: 9_000 })]);
    expect(nextExpiry(state)).toBe(5_000);
    expect(dropExpired(state, 4_999)).toBe(state);
    expect(words(dropExpired(state, 5_000))).toEqual(["3 Cozy"]);
    expect(nextExpiry(dropExpired(state, 9_000))).toBe(null);
  });

  test("c35: at 15:00 the evening begins, at midnight the next day", () => {
    const state = read([], 10, aDay({ slot_ends_at_ms: 15_000, open: false, morning: "Meh" }));
    expect(slotOver(state, 14_999)).toBe(state);
    const evening = slotOver(state, 15_000);
    expect(evening.moods.mine).toMatchObject({ slot: "evening", open: true, morning: "Meh" });
    const end = evening.moods.mine?.slot_ends_at_ms ?? 0;
    expect(slotOver(evening, end).moods.mine).toMatchObject({
      slot: "morning",
      open: true,
      morning: null,
      evening: null,
    });
  });

  test("no moods are held or applied while no screen shows them", () => {
    const kept = evict(read(), shown(MOODS_VIEW)).state;
    expect(words(kept)).toEqual(["2 Cozy"]);
    const gone = evict(kept, shown()).state;
    expect(gone.moods).toMatchObject({ list: [], mine: null, status: "none" });
    expect(apply(gone, changed(12, aMood(2)))).toBe(gone);
  });

  test("seqs of another epoch are forgotten", () => {
    const again = loadMoods(forgetSeqs(read()), {
      mine: aDay({ open: false }),
      moods: [aMood(3)],
      users: [ZOE],
      seq: 2,
    });
    expect(words(again)).toEqual(["3 Cozy"]);
    expect(again.moods.mine?.open).toBe(false);
  });
});
