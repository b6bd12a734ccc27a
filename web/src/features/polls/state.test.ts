import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../../engine/frames";
import type { Poll, PollView } from "../../engine/types.gen";
import { apply } from "../../engine/apply";
import { evict } from "../../engine/evict";
import { POLLS_MAX, closePoll, loadOlderPolls, loadPolls, refreshPolls } from "./read";
import { POLLS_VIEW, listPoll, setPolls, pollVoted } from "./state";
import { forgetSeqs } from "../../engine/resync";
import type { State } from "../../engine/state";
import { ANA, BEN, FAMILY, aGroup, aPoll, aPollView, anasFeed, toFamily } from "../../testing/fixtures";

const page = (polls: PollView[], seq = 10, older: number | null = null) => ({
  polls,
  users: [ANA, BEN],
  groups: [],
  older,
  seq,
});
const read = (polls = [aPollView(100)], seq = 10): State => loadPolls(anasFeed([]), page(polls, seq));
const created = (seq: number, made: Poll): AnyEvent => ({
  ev: "polls.created",
  seq,
  poll: made,
  users: [BEN],
  groups: made.audience.type === "group" ? [FAMILY] : [],
});
const counted = (seq: number, tally: number[]): AnyEvent => ({
  ev: "polls.counted",
  seq,
  poll_id: 100,
  tally,
});
const voted = (seq: number, choice: number, tally: number[]): AnyEvent => ({
  ev: "polls.voted",
  seq,
  poll_id: 100,
  choice,
  tally,
});
const waits = (state: State) => state.polls.waiting.map((one) => one.id);
const shown = (...views: string[]) => ({
  views: new Set(views),
  posts: new Set<number>(),
  profiles: new Set<number>(),
  people: new Set<number>(),
});

describe("polls", () => {
  test("a new poll of another user waits for a press, and the viewer's own is listed at once", () => {
    const state = apply(
      apply(read(), created(11, aPoll(101))),
      created(12, aPoll(102, { creator_id: ANA.id })),
    );
    expect(waits(state)).toEqual([101]);
    expect(state.polls.ids).toEqual([102, 100]);
    expect(apply(state, created(11, aPoll(101)))).toBe(state);
  });

  test("the first poll of an empty list is listed at once, and still has to be read", () => {
    const state = apply(read([]), created(11, aPoll(101)));
    expect(state.polls.ids).toEqual([101]);
    expect(state.polls.items[101]?.subscribed).toBe(false);
    expect(refreshPolls(state, page([aPollView(101)], 12), 0).polls.items[101]?.subscribed).toBe(true);
  });

  test("events of a user who is not followed, or older than the list, are ignored", () => {
    const left = apply(read(), { ev: "follows.changed", seq: 11, user_id: 2, following: false });
    expect(waits(apply(left, created(12, aPoll(101))))).toEqual([]);
    expect(waits(apply(read(), created(10, aPoll(101))))).toEqual([]);
  });

  test("c34: a vote of another device is applied with its tally", () => {
    const state = apply(read(), voted(11, 1, [2, 3]));
    expect(state.polls.items[100]).toMatchObject({ choice: 1, tally: [2, 3] });
    expect(apply(state, voted(11, 1, [2, 3])).polls).toEqual(state.polls);
  });

  test("a vote without a tally keeps the known tally", () => {
    const state = pollVoted(read([aPollView(100, { choice: 0, tally: [4, 1] })]), 100, 0, null, 11);
    expect(state.polls.items[100]).toMatchObject({ choice: 0, tally: [4, 1] });
    expect(pollVoted(read(), 100, 1, null, 11).polls.items[100]).toMatchObject({ choice: 1, tally: null });
  });

  test("d-f3: no tally is held before the viewer has voted, whatever is received", () => {
    expect(apply(read(), counted(11, [1, 0])).polls.items[100]?.tally).toBe(null);
  });

  test("only the newest tally is applied, and a late list changes neither tally nor choice", () => {
    const state = apply(apply(read(), voted(11, 0, [1, 0])), counted(14, [4, 1]));
    expect(apply(state, counted(13, [2, 1])).polls.items[100]?.tally).toEqual([4, 1]);
    expect(pollVoted(state, 100, 0, [1, 0], 11).polls.items[100]?.tally).toEqual([4, 1]);
    const late = refreshPolls(state, page([aPollView(100)], 12), 0);
    expect(late.polls.items[100]).toMatchObject({ choice: 0, tally: [4, 1] });
  });

  test("d-f12: an unfollow removes the user's polls, and a follow makes the list stale", () => {
    const state = apply(read([aPollView(100), aPollView(99, { creator_id: 3 })]), created(11, aPoll(101)));
    const left = apply(state, { ev: "follows.changed", seq: 12, user_id: 2, following: false });
    expect([left.polls.ids, waits(left)]).toEqual([[99], []]);
    expect(loadPolls(left, page([aPollView(100)], 11)).polls.ids).toEqual([]);
    expect(apply(left, { ev: "follows.changed", seq: 13, user_id: 2, following: true }).polls.stale).toBe(
      true,
    );
  });

  test("listed polls of a deleted user leave one line each, and waiting polls leave none", () => {
    const state = apply(read(), created(11, aPoll(101)));
    const gone = apply(state, { ev: "users.deleted", seq: 12, user_id: 2 });
    expect(gone.polls.items[100]?.removed).toBe(true);
    expect(waits(gone)).toEqual([]);
    expect(loadPolls(gone, page([aPollView(103)], 11)).polls.ids).toEqual([]);
  });

  test("after a second read new polls wait, missing polls are removed, and closed polls stay", () => {
    const listed = [aPollView(104), aPollView(103), aPollView(102, { closes_at_ms: 500 }), aPollView(101)];
    const state = refreshPolls(
      closePoll(read(listed), 101),
      page([aPollView(105), aPollView(104), aPollView(98, { creator_id: ANA.id })], 12),
      600,
    );
    expect(state.polls.ids).toEqual([104, 103, 102, 101, 98]);
    expect(waits(state)).toEqual([105]);
    expect(state.polls.items[103]?.removed).toBe(true);
    expect(state.polls.items[102]).toMatchObject({ closed: true, removed: false });
    expect(state.polls.items[101]).toMatchObject({ closed: true, removed: false });
  });

  test("polls beyond the pages that were read again do not change", () => {
    const state = loadOlderPolls(
      loadPolls(anasFeed([]), page([aPollView(104)], 10, 104)),
      104,
      page([aPollView(90)], 11),
    );
    expect(state.polls.ids).toEqual([104, 90]);
    const again = refreshPolls(state, page([aPollView(104)], 12, 104), 0);
    expect(again.polls.items[90]?.removed).toBe(false);
    expect(again.polls.older).toBe(null);
    expect(loadOlderPolls(state, 104, page([aPollView(80)], 12))).toBe(state);
  });

  test("a poll that is created while the list is read stays in the list", () => {
    const made = listPoll(read(), aPollView(106, { creator_id: ANA.id }), 14, false);
    expect(loadPolls(made, page([aPollView(100)], 13)).polls.ids).toEqual([106, 100]);
  });

  test("an event received during a read is neither lost nor listed twice", () => {
    const waiting = setPolls(anasFeed([]), { status: "loading" });
    const early = apply(waiting, created(14, aPoll(106)));
    expect(loadPolls(early, page([aPollView(100)], 13)).polls.ids).toEqual([106, 100]);
    expect(loadPolls(early, page([aPollView(106), aPollView(100)], 15)).polls.ids).toEqual([106, 100]);
    const withNew = apply(read(), created(14, aPoll(106)));
    expect(waits(refreshPolls(withNew, page([aPollView(105), aPollView(100)], 13), 0))).toEqual([106, 105]);
    expect(waits(refreshPolls(withNew, page([aPollView(106), aPollView(100)], 15), 0))).toEqual([106]);
    expect(waits(loadPolls(withNew, page([aPollView(106), aPollView(100)], 15)))).toEqual([]);
  });

  test("the list is bounded", () => {
    const many = Array.from({ length: POLLS_MAX }, (_, at) => aPollView(1_000 + at));
    const state = loadOlderPolls(
      loadPolls(anasFeed([]), page(many, 10, 1_000)),
      1_000,
      page([aPollView(999)], 11),
    );
    expect(state.polls.ids).toHaveLength(POLLS_MAX);
    expect(state.polls.ids.at(-1)).toBe(999);
  });

  test("only the draft is held while no screen shows polls", () => {
    const draft = {
      question: "Tea?",
      options: ["Yes", ""],
      audience: { type: "public" as const },
      sending: false,
    };
    const { state, polls } = evict(setPolls(read(), { draft }), shown());
    expect(polls).toEqual([100]);
    expect(state.polls).toMatchObject({ ids: [], items: {}, status: "none", draft });
    expect(evict(read(), shown(POLLS_VIEW)).polls).toEqual([]);
  });

  test("seqs of another epoch are forgotten", () => {
    const state = forgetSeqs(apply(read(), voted(50, 1, [0, 1])));
    expect(
      loadPolls(state, page([aPollView(100, { choice: 1, tally: [3, 1] })], 2)).polls.items[100]?.tally,
    ).toEqual([3, 1]);
  });

  const left: AnyEvent = {
    ev: "groups.left",
    seq: 20,
    group_id: FAMILY.id,
    user_id: ANA.id,
    members_count: 1,
  };
  const unfollowed: AnyEvent = { ev: "follows.changed", seq: 15, user_id: BEN.id, following: false };

  test("of a group are listed whether or not the author is followed", () => {
    const state = apply(
      read([aPollView(101, { audience: toFamily }), aPollView(100)]),
      created(11, aPoll(102, { audience: toFamily })),
    );
    const less = apply(apply(state, created(12, aPoll(103))), unfollowed);
    expect([less.polls.ids, waits(less)]).toEqual([[101], [102]]);
    expect(waits(apply(less, created(16, aPoll(104, { audience: toFamily }))))).toEqual([102, 104]);
  });

  test("of a group are removed at once with the group, and no late page restores them", () => {
    const before = read([
      aPollView(102, { audience: toFamily, creator_id: ANA.id }),
      aPollView(101, { audience: toFamily, choice: 0, tally: [1, 0] }),
      aPollView(100),
    ]);
    const state = apply(apply(before, created(11, aPoll(103, { audience: toFamily }))), left);
    expect([101, 102].map((id) => state.polls.items[id])).toMatchObject([
      { removed: true, question: "", options: [], tally: null },
      { removed: true, question: "" },
    ]);
    expect(state.polls.items[100]?.removed).toBe(false);
    expect(waits(state)).toEqual([]);
    expect(waits(apply(state, created(13, aPoll(104, { audience: toFamily }))))).toEqual([]);
    expect(
      refreshPolls(state, page([aPollView(104, { audience: toFamily }), aPollView(100)], 19), 0).polls
        .waiting,
    ).toEqual([]);
  });

  test("of a group are listed at the next read after the viewer is added to it", () => {
    const out = apply(read([aPollView(101, { audience: toFamily }), aPollView(100)]), left);
    const state = apply(out, {
      ev: "groups.joined",
      seq: 21,
      group: aGroup(),
      user_ids: [ANA.id],
      users: [ANA, BEN],
    });
    expect(state.polls).toMatchObject({ ids: [100], stale: true });
    expect(
      waits(refreshPolls(state, page([aPollView(101, { audience: toFamily }), aPollView(100)], 22), 0)),
    ).toEqual([101]);
  });
});
