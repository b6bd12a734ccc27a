// Tests for events of one write, which all have the same seq.

import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../engine/frames";
import type { Profile } from "../engine/types.gen";
import { apply, applyAll } from "../engine/apply";
import { groupRead, membersAdded, memberRemoved } from "../features/groups/members";
import {
  insertWaiting,
  loadFirstPage,
  loadOwnPost,
  loadPosts,
  loadRefreshed,
} from "../features/shared/posts/read";
import { loadProfile } from "../features/shared/people/profiles";
import { loadMoods } from "../features/moods/read";
import { loadOlderPolls, loadPolls } from "../features/polls/read";
import {
  hasDot,
  loadNotifications,
  setNotifications,
  notificationsDeleted,
  notificationsSeen,
} from "../features/notifications/state";
import { listPoll, pollVoted } from "../features/polls/state";
import { postDeleted, setView } from "../features/shared/posts/posts";
import { commentConfirmed } from "../features/shared/posts/thread";
import type { ListView } from "../features/shared/posts/types";
import type { State } from "../engine/state";
import {
  ANA,
  BEN,
  FAMILY,
  aComment,
  aDay,
  aGroup,
  aMe,
  aMood,
  aPoll,
  aPollView,
  aPost,
  aProfile,
  aView,
  anasFeed,
  created,
  inGroups,
  aDeletion,
  anEdit,
  toFamily,
  visible,
} from "../testing/fixtures";

const CLEO = { id: 3, name: "Cleo", photo_url: null };

const commented = (seq: number, id: number, comments_count: number): AnyEvent => ({
  ev: "comments.created",
  seq,
  comment: aComment(id),
  users: [BEN],
  comments_count,
});
const voted = (seq: number, vote: "positive" | "none"): AnyEvent => ({
  ev: "votes.changed",
  seq,
  post_id: 100,
  vote,
});
const liked = (seq: number, positive_count: number, post_id = 100): AnyEvent => ({
  ev: "votes.counted",
  seq,
  post_id,
  positive_count,
});
const followed = (seq: number, following: boolean): AnyEvent => ({
  ev: "follows.changed",
  seq,
  user_id: BEN.id,
  following,
});
const counted = (seq: number, followers_count: number): AnyEvent => ({
  ev: "profiles.counted",
  seq,
  user_id: BEN.id,
  followers_count,
  following_count: 2,
});
const described = (seq: number, bio: string, followers_count: number | null): AnyEvent => {
  const { followed: _, ...profile } = aProfile({ bio, followers_count });
  return { ev: "profiles.changed", seq, profile: profile satisfies Profile };
};
const joined = (seq: number, users = [CLEO], members_count = 3): AnyEvent => ({
  ev: "groups.joined",
  seq,
  group: aGroup({ members_count }),
  user_ids: users.map(({ id }) => id),
  users: [BEN, ...users],
});
const left = (seq: number, user_id: number, members_count: number): AnyEvent => ({
  ev: "groups.left",
  seq,
  group_id: FAMILY.id,
  user_id,
  members_count,
});
const notified = (seq: number, id: number): AnyEvent => ({
  ev: "notifications.created",
  seq,
  notification: {
    id,
    kind: "follow",
    actor_id: BEN.id,
    post_id: null,
    comment_id: null,
    comment_text: null,
    post_text: null,
    content_note: null,
    created_at_ms: id,
    unread: true,
  },
  users: [BEN],
});
const asked = (seq: number, id: number): AnyEvent => ({
  ev: "polls.created",
  seq,
  poll: aPoll(id),
  users: [BEN],
  groups: [],
});
const tallied = (seq: number, tally: number[]): AnyEvent => ({
  ev: "polls.counted",
  seq,
  poll_id: 100,
  tally,
});

const waits = (state: State) => state.views["feed:"]?.waiting.map((one) => one.id);
const family = (seq = 10): State =>
  groupRead(inGroups(anasFeed([]), aGroup()), { group: aGroup(), members: [BEN, ANA], posts_count: 0, seq });
const polls = (seq = 10, ...held: ReturnType<typeof aPollView>[]): State =>
  loadPolls(anasFeed([]), { polls: held, users: [BEN], groups: [], older: null, seq });
const withNotifications = (seq = 10): State =>
  loadNotifications(setNotifications(anasFeed([]), { status: "loading" }), {
    notifications: [],
    users: [],
    older: null,
    has_unread: false,
    seq,
  });

describe("several events of one write", () => {
  test("a post hidden from Ana and shared with her again in one write waits behind her new posts button", () => {
    const state = applyAll(anasFeed([aView(101), aView(100)]), [
      aDeletion(11),
      anEdit(11),
      created(11, aPost(100, { text: "again", updated_at_ms: 511 })),
    ]);
    expect(waits(state)).toEqual([100]);
    const taken = insertWaiting(state, "feed:", [100], {
      posts: [aView(100, { text: "again" })],
      users: [BEN],
      groups: [],
      gone: [],
      seq: 11,
    });
    expect(taken.posts[100]).toMatchObject({ removed: false, text: "again" });
  });

  test("a post that is edited twice in one write has the last text", () => {
    const state = applyAll(anasFeed([aView(100)]), [
      anEdit(11),
      anEdit(11, { text: "for the family", audience: toFamily, groups: [FAMILY] }),
    ]);
    expect(state.posts[100]).toMatchObject({ text: "for the family", audience: toFamily });
  });

  test("two comments created and one deleted in one write are all counted", () => {
    const less: AnyEvent = {
      ev: "comments.deleted",
      seq: 11,
      post_id: 100,
      comment_id: 1,
      comments_count: 1,
      first_comments: [aComment(2)],
      users: [BEN],
    };
    const state = applyAll(anasFeed([aView(100)]), [commented(11, 1, 1), commented(11, 2, 2), less]);
    expect(state.posts[100]).toMatchObject({ thread: [2], comments_count: 1 });
  });

  test("two members who leave Ana's group in one write are both removed", () => {
    const read = groupRead(inGroups(anasFeed([]), aGroup()), {
      group: aGroup({ members_count: 4 }),
      members: [BEN, ANA, CLEO, { ...CLEO, id: 4 }],
      posts_count: 0,
      seq: 10,
    });
    const state = applyAll(read, [left(11, 3, 3), left(11, 4, 2)]);
    expect(state.groups.items[FAMILY.id]).toMatchObject({ members: [2, 1], members_count: 2 });
  });

  test("Cleo joins the group and leaves it in one write", () => {
    expect(applyAll(family(), [joined(11), left(11, CLEO.id, 2)]).groups.items[FAMILY.id]).toMatchObject({
      members: [2, 1],
      members_count: 2,
    });
  });

  test("votes, follows, counts and tallies have the values of the last event of the write", () => {
    const state = applyAll(loadProfile(anasFeed([aView(100, { positive_count: 0 })]), aProfile(), 10), [
      voted(11, "positive"),
      voted(11, "none"),
      liked(11, 3),
      liked(11, 2),
      followed(11, true),
      followed(11, false),
      counted(11, 7),
      counted(11, 6),
    ]);
    expect(state.posts[100]).toMatchObject({ vote: "none", positive_count: 2 });
    expect(state.profiles[2]).toMatchObject({ followed: false, followers_count: 6 });
    const poll = aPollView(100, { choice: 0, tally: [1, 0] });
    expect(
      applyAll(polls(10, poll), [tallied(11, [2, 0]), tallied(11, [2, 1])]).polls.items[100]?.tally,
    ).toEqual([2, 1]);
  });

  test("Ben's name, profile and counts all change in one write", () => {
    const renamed: AnyEvent = { ev: "users.changed", seq: 11, user: { ...BEN, name: "Benno" } };
    const { followed: _, ...profile } = aProfile({ name: "Benno", bio: "Hi", followers_count: 4 });
    const events: AnyEvent[] = [renamed, { ev: "profiles.changed", seq: 11, profile }, counted(11, 5)];
    for (const order of [events, events.toReversed()]) {
      const state = applyAll(loadProfile(anasFeed([]), aProfile(), 10), order);
      expect(state.profiles[2]).toMatchObject({ name: "Benno", bio: "Hi" });
    }
    expect(applyAll(loadProfile(anasFeed([]), aProfile(), 10), events).profiles[2]?.followers_count).toBe(5);
  });

  test("counts that Ben hides right after a change are hidden", () => {
    const state = applyAll(loadProfile(anasFeed([]), aProfile(), 10), [
      counted(11, 7),
      described(11, "", null),
    ]);
    expect(state.profiles[2]?.followers_count).toBe(null);
  });

  test("a mood that changes twice in one write has the later value", () => {
    const read = loadMoods(anasFeed([]), { mine: aDay(), moods: [], users: [], seq: 10 });
    const changed = (morning: "Cozy" | "Happy"): AnyEvent => ({
      ev: "moods.changed",
      seq: 11,
      mood: aMood(2, { morning }),
      users: [BEN],
    });
    expect(applyAll(read, [changed("Cozy"), changed("Happy")]).moods.list.map((one) => one.morning)).toEqual([
      "Happy",
    ]);
    const own = (morning: "Cozy" | "Happy"): AnyEvent => ({
      ev: "moods.changed",
      seq: 11,
      mood: aMood(1, { morning }),
      users: [],
    });
    expect(applyAll(read, [own("Cozy"), own("Happy")]).moods.mine?.morning).toBe("Happy");
  });

  test("deleting Ben's account removes each of Ana's notifications of him, and the dot follows the last event", () => {
    const [one, two] = [[1], [2]].map((notification_ids, at): AnyEvent => ({
      ev: "notifications.deleted",
      seq: 12,
      notification_ids,
      has_unread: at === 0,
    })) as [AnyEvent, AnyEvent];
    const state = applyAll(withNotifications(), [notified(11, 1), notified(11, 2), one, two]);
    expect(state.notifications.items).toEqual([]);
    expect(hasDot(state)).toBe(false);
  });
});

describe("a reply that already contains the whole write", () => {
  test("does not let the write's events change its posts", () => {
    const state = anasFeed(
      [
        aView(100, {
          text: "again",
          comments_count: 1,
          first_comments: [aComment(1)],
          vote: "positive",
          positive_count: 3,
        }),
      ],
      11,
    );
    for (const event of [
      aDeletion(11),
      anEdit(11, { text: "half" }),
      created(11, aPost(100)),
      commented(11, 1, 1),
      voted(11, "none"),
      liked(11, 2),
    ])
      expect(apply(state, event).posts).toEqual(state.posts);
    expect(waits(apply(state, created(11, aPost(102))))).toEqual([]);
    expect(waits(apply(state, created(12, aPost(102))))).toEqual([102]);
  });

  test("does not let them change its users, moods, polls, groups and notifications", () => {
    const profile = loadProfile(anasFeed([]), aProfile({ followed: true }), 11);
    for (const event of [described(11, "half", 9), counted(11, 9), followed(11, false)])
      expect(visible(apply(profile, event))).toEqual(visible(profile));
    const mood = loadMoods(anasFeed([]), {
      mine: aDay({ morning: "Happy", open: false }),
      moods: [],
      users: [],
      seq: 11,
    });
    for (const id of [1, 2])
      expect(apply(mood, { ev: "moods.changed", seq: 11, mood: aMood(id), users: [] })).toEqual(mood);
    const poll = polls(11, aPollView(100, { choice: 0, tally: [2, 0] }));
    for (const event of [asked(11, 101), tallied(11, [1, 0])]) expect(apply(poll, event)).toEqual(poll);
    for (const event of [joined(11), left(11, BEN.id, 1)])
      expect(visible(apply(family(11), event))).toEqual(visible(family(11)));
    expect(apply(withNotifications(11), notified(11, 1))).toEqual(withNotifications(11));
  });

  test("does not let a post that it shows as deleted return", () => {
    const state = loadRefreshed(anasFeed([aView(100)]), {
      posts: [],
      users: [],
      groups: [],
      gone: [100],
      seq: 11,
    });
    expect(apply(state, created(11, aPost(100)))).toEqual(state);
    expect(waits(apply(state, created(12, aPost(100))))).toEqual([100]);
  });

  test("is newer than the events of the write", () => {
    const state = applyAll(anasFeed([aView(100)]), [aDeletion(11), anEdit(11), created(11, aPost(100))]);
    expect(
      loadPosts(state, { posts: [aView(100, { text: "again" })], users: [], groups: [], seq: 11 }).posts[100],
    ).toMatchObject({ removed: false, text: "again" });
    const late = loadPosts(state, { posts: [aView(100)], users: [], groups: [], seq: 10 });
    expect(late.posts[100]?.removed).toBe(true);
  });
});

describe("a replayed write", () => {
  /** Expects that applying the event once more changes nothing visible. */
  const again = (state: State, event: AnyEvent) =>
    expect(visible(apply(state, event))).toEqual(visible(state));

  test("does not put a post Ana has read behind the new posts button again", () => {
    const waiting = apply(anasFeed([aView(100)]), created(11, aPost(101)));
    again(waiting, created(11, aPost(101)));
    const taken = insertWaiting(waiting, "feed:", [101], {
      posts: [aView(101)],
      users: [BEN],
      groups: [],
      gone: [],
      seq: 11,
    });
    again(taken, created(11, aPost(101)));
    expect(waits(apply(taken, created(11, aPost(101))))).toEqual([]);
  });

  test("does not list a post that was evicted from the top of a long list", () => {
    const state = anasFeed([aView(100)]);
    const cut = setView(state, "feed:", { ...(state.views["feed:"] as ListView), topCut: 110 });
    for (const author_id of [ANA.id, BEN.id]) again(cut, created(11, aPost(110, { author_id })));
    expect(waits(apply(cut, created(12, aPost(111))))).toEqual([111]);
  });

  test("does not bring back what Ana deleted meanwhile", () => {
    const own = created(11, aPost(101, { author_id: ANA.id }));
    const deleted = postDeleted(apply(anasFeed([]), own), 101, 12);
    again(deleted, own);
    const less = notificationsDeleted(apply(withNotifications(), notified(11, 7)), [7], null, 12);
    again(less, notified(11, 7));
  });

  test("does not show the dot again after Ana has opened her notifications", () => {
    const seen = notificationsSeen(apply(withNotifications(), notified(11, 7)), 12);
    again(seen, notified(11, 7));
    expect(hasDot(apply(seen, notified(11, 7)))).toBe(false);
    expect(hasDot(apply(seen, notified(13, 8)))).toBe(true);
  });

  test("adds nothing twice", () => {
    const all: AnyEvent[] = [
      commented(11, 1, 1),
      joined(12),
      asked(13, 101),
      asked(14, 102),
      notified(15, 7),
      followed(16, true),
      { ev: "moods.changed", seq: 17, mood: aMood(2), users: [BEN] },
    ];
    const start = loadMoods(
      loadPolls(loadPosts(family(), { posts: [aView(100)], users: [], groups: [], seq: 10 }), {
        polls: [],
        users: [],
        groups: [],
        older: null,
        seq: 10,
      }),
      { mine: aDay(), moods: [], users: [], seq: 10 },
    );
    const state = applyAll(
      loadNotifications(setNotifications(start, { status: "loading" }), {
        notifications: [],
        users: [],
        older: null,
        has_unread: false,
        seq: 10,
      }),
      all,
    );
    for (const event of all) again(state, event);
    again(applyAll(state, all), all[0] as AnyEvent);
  });

  test("does not list a poll of Ben, whom Ana unfollowed, or a poll that was evicted from a long list", () => {
    const without = apply(apply(polls(), asked(11, 101)), followed(12, false));
    again(without, asked(11, 101));
    const longer = loadOlderPolls(
      { ...polls(10, aPollView(100)), polls: { ...polls(10, aPollView(100)).polls, older: 100 } },
      100,
      { polls: [aPollView(90)], users: [], groups: [], older: null, seq: 10 },
    );
    const cut = apply(longer, asked(11, 101));
    const taken = { ...cut, polls: { ...listPoll(cut, aPollView(101), 11, true).polls, ids: [90] } };
    expect(apply(taken, asked(11, 101)).polls.waiting).toEqual([]);
  });

  test("does not change Ana's pending changes", () => {
    const sending: State = {
      ...anasFeed([aView(100)]),
      pending: { votes: { 100: "positive" }, follows: { 2: false }, comments: [] },
    };
    const state = applyAll(sending, [voted(11, "none"), followed(11, true)]);
    expect(applyAll(state, [voted(11, "none"), followed(11, true)]).pending).toEqual(sending.pending);
  });
});

describe("the reply to the viewer's own write and its events, in either order", () => {
  /** Applies the reply before and after the events, and then all events again. Expects the same result. */
  function either(state: State, reply: (state: State) => State, events: AnyEvent[]): void {
    const replyFirst = applyAll(reply(state), events);
    expect(visible(reply(applyAll(state, events)))).toEqual(visible(replyFirst));
    expect(visible(applyAll(replyFirst, events))).toEqual(visible(replyFirst));
  }

  test("a comment of Ana's is listed and counted once", () => {
    const mine = aComment(9, { author_id: ANA.id });
    const event: AnyEvent = {
      ev: "comments.created",
      seq: 11,
      comment: mine,
      users: [ANA],
      comments_count: 1,
    };
    either(anasFeed([aView(100)]), (s) => commentConfirmed(s, mine, 11), [event]);
    expect(commentConfirmed(apply(anasFeed([aView(100)]), event), mine, 11).posts[100]).toMatchObject({
      thread: [9],
      comments_count: 1,
    });
    expect(commentConfirmed(anasFeed([aView(100)]), mine, 11).posts[100]).toMatchObject({
      thread: [9],
      comments_count: 1,
    });
  });

  test("a post of Ana's is listed once, with the edited text", () => {
    const mine = aPost(101, { author_id: ANA.id });
    either(
      anasFeed([]),
      (s) =>
        loadOwnPost(s, {
          post: { ...mine, vote: "none", saved: false, positive_count: 0, comments_only_for: null },
          users: [ANA],
          groups: [],
          seq: 11,
        }),
      [created(11, mine)],
    );
    const own = anasFeed([aView(101, { author_id: ANA.id })]);
    const changes = [
      anEdit(12, { post_id: 101, author_id: ANA.id }),
      created(12, { ...mine, text: "again", updated_at_ms: 512 }),
    ];
    either(
      own,
      (s) =>
        loadPosts(s, {
          posts: [aView(101, { author_id: ANA.id, text: "again", updated_at_ms: 512 })],
          users: [],
          groups: [],
          seq: 12,
        }),
      changes,
    );
  });

  test("a user whom Ana adds is in the group once, and a user whom she removes is removed once", () => {
    either(
      family(),
      (s) => membersAdded(s, { group_id: FAMILY.id, users: [CLEO], members_count: 3, seq: 11 }),
      [joined(11)],
    );
    either(apply(family(), joined(11)), (s) => memberRemoved(s, FAMILY.id, CLEO.id, 12), [
      left(12, CLEO.id, 2),
    ]);
  });

  test("Ana's vote in a poll is counted once", () => {
    const events: AnyEvent[] = [
      { ev: "polls.voted", seq: 11, poll_id: 100, choice: 0, tally: [1, 0] },
      tallied(11, [1, 0]),
    ];
    either(polls(10, aPollView(100)), (s) => pollVoted(s, 100, 0, [1, 0], 11), events);
  });
});

describe("delayed counts", () => {
  test("are dropped if they are older than the last count of the same post, profile or poll", () => {
    const own = loadProfile(anasFeed([aView(100, { positive_count: 1 })]), aProfile(), 10);
    const state = applyAll(own, [created(20, aPost(300)), liked(15, 5), counted(15, 5)]);
    expect(state.posts[100]?.positive_count).toBe(5);
    expect(state.profiles[2]?.followers_count).toBe(5);
    expect(applyAll(state, [liked(14, 4), counted(14, 4)])).toEqual(state);
    const poll = apply(polls(10, aPollView(100, { choice: 0, tally: [1, 0] })), tallied(15, [5, 0]));
    expect(apply(poll, tallied(14, [4, 0]))).toEqual(poll);
  });

  test("the event of Ana's edit has no vote count, so a delayed count from before it still applies", () => {
    const mine = aView(101, { author_id: ANA.id, positive_count: 1 });
    const state = applyAll(anasFeed([mine]), [
      anEdit(12, { post_id: 101, author_id: ANA.id }),
      created(12, aPost(101, { author_id: ANA.id, updated_at_ms: 512 })),
      liked(11, 2, 101),
    ]);
    expect(state.posts[101]?.positive_count).toBe(2);
  });
});

test("a replayed `account.changed` does not show the dot again", () => {
  const changed: AnyEvent = {
    ev: "account.changed",
    seq: 11,
    me: aMe({ hide_numbers: true, has_unread: true }),
  };
  const seen = notificationsSeen(apply(withNotifications(), changed), 12);
  expect(hasDot(apply(seen, changed))).toBe(false);
});

test("the events of a write do not change a profile's posts that were read after it", () => {
  const read = loadFirstPage(anasFeed([]), "author:2", {
    posts: [],
    users: [],
    groups: [],
    older: null,
    seq: 11,
  });
  expect(apply(read, created(11, aPost(101))).views["author:2"]?.waiting).toEqual([]);
});
