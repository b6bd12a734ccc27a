import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../../../engine/frames";
import { settle } from "../../../testing/fakeSocket";
import { apply, applyAll } from "../../../engine/apply";
import { evict } from "../../../engine/evict";
import { loadFirstPage, loadPosts } from "../posts/read";
import { loadProfile } from "./profiles";
import { loadNotifications } from "../../notifications/state";
import { storeUsers } from "./people";
import { pend } from "../pending";
import { forgetSeqs } from "../../../engine/resync";
import type { State } from "../../../engine/state";
import { PEOPLE_REMEMBERED_MAX } from "./people";
import {
  ANA,
  BEN,
  aComment,
  aLiveTab,
  aMe,
  aPost,
  aProfile,
  aView,
  anasFeed,
} from "../../../testing/fixtures";
import { storeCommentPage } from "../posts/thread";

const renamed = (seq: number, name: string, id = BEN.id, photo_url: string | null = null): AnyEvent => ({
  ev: "users.changed",
  seq,
  user: { id, name, photo_url },
});
const deleted = (seq: number, user_id = BEN.id): AnyEvent => ({ ev: "users.deleted", seq, user_id });
const nameOf = (state: State, id = BEN.id) => state.users[id]?.name;

describe("names and photos", () => {
  test("change at once on posts, on the profile and in the viewer's own account", () => {
    let state = loadProfile(anasFeed([aView(100)]), aProfile(), 10);
    state = apply(state, renamed(11, "Benno", BEN.id, "/media/b"));
    expect(state.users[2]).toEqual({ id: 2, name: "Benno", photo_url: "/media/b" });
    expect(state.profiles[2]).toMatchObject({ name: "Benno", photo_url: "/media/b" });
    state = apply(state, renamed(12, "Anna", ANA.id, "/media/a"));
    expect(state.session.me).toMatchObject({ name: "Anna", photo_url: "/media/a", email: "ana@example.org" });
  });

  test("l3: are not reverted by a reply that is older than the change, also if the user was not loaded", () => {
    let state = applyAll(anasFeed([]), [renamed(20, "Benno"), renamed(21, "Cleopatra", 3)]);
    state = loadPosts(state, {
      posts: [aView(100)],
      users: [BEN, { id: 3, name: "Cleo", photo_url: null }],
      groups: [],
      seq: 19,
    });
    expect([nameOf(state), nameOf(state, 3)]).toEqual(["Benno", "Cleopatra"]);
    expect(
      nameOf(loadPosts(state, { posts: [], users: [{ ...BEN, name: "Ben again" }], groups: [], seq: 22 })),
    ).toBe("Ben again");
    expect(apply(state, renamed(18, "Earlier"))).toBe(state);
  });

  test("l5: do not change by the same event twice, and names in an event are known as of its seq", () => {
    const state = apply(anasFeed([aView(100)]), renamed(20, "Benno"));
    expect(apply(state, renamed(20, "Benno")).users).toBe(state.users);
    const late = apply(state, { ev: "posts.created", seq: 15, post: aPost(200), users: [BEN], groups: [] });
    expect(nameOf(late)).toBe("Benno");
  });

  test("are replaced by whatever is read first after a resync", () => {
    const state = forgetSeqs(apply(anasFeed([]), renamed(500, "Benno")));
    expect(state.resyncs).toBe(1);
    expect(nameOf(storeUsers(state, [{ ...BEN, name: "Ben" }], 3))).toBe("Ben");
  });

  test("have a bounded number of remembered changes, of which the newest are kept", () => {
    let state = anasFeed([]);
    for (let id = PEOPLE_REMEMBERED_MAX + 20; id >= 10; id -= 1)
      state = apply(state, renamed(10_000 - id, `n${id}`, id));
    expect(Object.keys(state.renamedAt)).toHaveLength(PEOPLE_REMEMBERED_MAX);
    expect(state.renamedAt[10]).toBe(9_990);
  });

  test("c15: are kept while only a list shows them", () => {
    const state = storeUsers(anasFeed([]), [{ id: 7, name: "Gus", photo_url: null }], 11);
    const shown = { views: new Set<string>(), posts: new Set<number>(), profiles: new Set<number>() };
    expect(nameOf(evict(state, { ...shown, people: new Set([7]) }).state, 7)).toBe("Gus");
    expect(nameOf(evict(state, { ...shown, people: new Set() }).state, 7)).toBeUndefined();
  });
});

describe("profiles", () => {
  const { followed: _followed, ...plain } = aProfile({
    bio: "Hello",
    followers_count: null,
    following_count: null,
  });

  test("change without changing whether the viewer follows the user", () => {
    let state = loadProfile(anasFeed([]), aProfile({ followed: true }), 10);
    state = apply(state, {
      ev: "profiles.changed",
      seq: 11,
      profile: { ...plain, followers_count: 4, following_count: 5 },
    });
    expect(state.profiles[2]).toMatchObject({
      bio: "Hello",
      followed: true,
      followers_count: 4,
      following_count: 5,
    });
    expect(
      apply(state, { ev: "profiles.changed", seq: 10, profile: { ...plain, bio: "Old" } }).profiles,
    ).toBe(state.profiles);
  });

  test("lose hidden counts on the screens of others, and their owner still sees them", () => {
    const state = apply(loadProfile(anasFeed([]), aProfile(), 10), {
      ev: "profiles.changed",
      seq: 11,
      profile: plain,
    });
    expect(state.profiles[2]).toMatchObject({ followers_count: null, following_count: null });
    const own = loadProfile(anasFeed([]), aProfile({ ...ANA, followers_count: 7, following_count: 8 }), 10);
    const hidden = apply(own, { ev: "profiles.changed", seq: 11, profile: { ...plain, ...ANA } });
    expect(hidden.profiles[1]).toMatchObject({ bio: "Hello", followers_count: 7, following_count: 8 });
    const counted = apply(hidden, {
      ev: "profiles.counted",
      seq: 12,
      user_id: 1,
      followers_count: 9,
      following_count: 8,
    });
    expect(counted.profiles[1]).toMatchObject({ followers_count: 9 });
  });

  test("keep a later count when an earlier change arrives", () => {
    let state = loadProfile(anasFeed([]), aProfile(), 10);
    state = apply(state, {
      ev: "profiles.counted",
      seq: 13,
      user_id: 2,
      followers_count: 9,
      following_count: 9,
    });
    state = apply(state, {
      ev: "profiles.changed",
      seq: 12,
      profile: { ...plain, followers_count: 1, following_count: 1 },
    });
    expect(state.profiles[2]).toMatchObject({ bio: "Hello", followers_count: 9 });
  });

  test("include changes that the viewer made on another device", () => {
    const state = apply(anasFeed([]), {
      ev: "account.changed",
      seq: 11,
      me: aMe({ email: "new@example.org", hide_numbers: true }),
    });
    expect(state.session.me).toMatchObject({ email: "new@example.org", hide_numbers: true });
    expect(apply(state, { ev: "account.changed", seq: 12, me: aMe({ id: 9 }) })).toBe(state);
  });
});

describe("a user whose account is deleted", () => {
  function scene(): State {
    let state = anasFeed([
      aView(100),
      aView(101, {
        author_id: 1,
        comments_count: 3,
        first_comments: [aComment(1, { post_id: 101 }), aComment(2, { post_id: 101, author_id: 1 })],
      }),
    ]);
    state = storeCommentPage(
      state,
      101,
      null,
      [
        aComment(1, { post_id: 101 }),
        aComment(2, { post_id: 101, author_id: 1 }),
        aComment(3, { post_id: 101 }),
      ],
      3,
      10,
    );
    state = loadFirstPage(state, "author:2", {
      posts: [aView(100)],
      users: [BEN],
      groups: [],
      older: null,
      seq: 10,
    });
    state = loadProfile(state, aProfile({ followed: true }), 10);
    state = apply(state, { ev: "posts.created", seq: 11, post: aPost(110), users: [BEN], groups: [] });
    return pend(state, "follows", 2, false);
  }

  test("leaves one line per post and nothing else", () => {
    expect(scene().views["feed:"]?.waiting).toHaveLength(1);
    const state = apply(scene(), deleted(12));
    expect(state.posts[100]).toMatchObject({ removed: true, text: "" });
    expect(state.views["author:2"]).toBeUndefined();
    expect(state.views["feed:"]?.waiting).toEqual([]);
    expect(state.posts[101]?.thread).toEqual([2]);
    expect([state.users[2], state.profiles[2], state.follows[2], state.pending.follows[2]]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(state)).not.toContain("Ben");
    expect(apply(state, deleted(12))).toBe(state);
  });

  test("leaves no notifications", () => {
    const notification = {
      id: 5,
      kind: "follow" as const,
      actor_id: 2,
      post_id: null,
      comment_id: null,
      comment_text: null,
      post_text: null,
      content_note: null,
      created_at_ms: 1,
      unread: true,
    };
    const page = {
      notifications: [notification, { ...notification, id: 4, actor_id: 3 }],
      users: [BEN, { id: 3, name: "Cleo", photo_url: null }],
      older: null,
      has_unread: true,
      seq: 11,
    };
    const state = apply(loadNotifications(scene(), page), deleted(12));
    expect(state.notifications.items.map((one) => one.id)).toEqual([4]);
  });

  test("leaves posts with the right number of comments, which events of the same write send", () => {
    const state = applyAll(scene(), [
      deleted(12),
      {
        ev: "comments.deleted",
        seq: 12,
        post_id: 101,
        comment_id: 1,
        comments_count: 1,
        first_comments: [aComment(2, { post_id: 101, author_id: 1 })],
        users: [ANA],
      },
    ]);
    expect(state.posts[101]).toMatchObject({ thread: [2], comments_count: 1 });
  });

  test("does not return with a late reply", () => {
    let state = apply(scene(), deleted(12));
    state = loadFirstPage(state, "feed:", {
      posts: [
        aView(120),
        aView(101, { author_id: 1, comments_count: 2, first_comments: [aComment(1, { post_id: 101 })] }),
      ],
      users: [BEN],
      groups: [],
      older: null,
      seq: 11,
    });
    expect(state.views["feed:"]?.ids).toEqual([101]);
    expect(state.posts[101]?.thread.includes(1)).toBe(false);
    state = loadProfile(state, aProfile(), 11);
    expect([nameOf(state), state.profiles[2], state.posts[120]]).toEqual([undefined, undefined, undefined]);
  });

  test("is removed when the profile is read again after a lost connection", async () => {
    const tab = aLiveTab();
    tab.client.onScreen("profile:2");
    tab.client.update((s) => loadProfile(s, aProfile(), 10));
    tab.wire().drop(1006);
    tab.clock.pass(4_000);
    tab.wire().hello({ epoch: "e2", seq: 3 });
    tab.wire().answer("live.resume", { resync: true, seq: 3 });
    await settle();
    tab.wire().refuse("profiles.get", { code: "not_found" });
    await settle();
    expect(tab.client.state.profiles[2]).toBeUndefined();
    expect(tab.client.state.goneAt[2]).toBeDefined();
  });
});
