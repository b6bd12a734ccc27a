import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../../../engine/frames";
import type { Group, Notification, Post } from "../../../engine/types.gen";
import { apply, applyAll } from "../../../engine/apply";
import { insertWaiting, loadFirstPage, loadPosts } from "./read";
import { loadNotifications, setNotifications } from "../../notifications/state";
import { sharedText } from "../groups/audience";
import { groupNameOf } from "../groups/groups";
import { storeCommentPage } from "./thread";
import { groupView } from "./types";
import type { State } from "../../../engine/state";
import {
  ANA,
  BEN,
  FAMILY,
  aComment,
  aGroup,
  aLiveTab,
  aPost,
  aView,
  anasFeed,
  created,
  inGroups,
  aDeletion,
  anEdit,
  toFamily,
} from "../../../testing/fixtures";

const ZOE = { id: 3, name: "Zoë", photo_url: null };
const ofLeft = { type: "group" as const, group_id: null };
const alone = { type: "author" as const };

/**
 * Ana is in the group Family. Ben's post 100 and Ana's post 101 are shared with it, and both have comments.
 */
function family(): State {
  const commented = { comments_count: 1, first_comments: [aComment(1)] };
  const hers = { comments_count: 1, first_comments: [aComment(2, { post_id: 101 })] };
  const posts = [
    aView(101, { author_id: ANA.id, audience: toFamily, ...hers }),
    aView(100, { audience: toFamily, vote: "positive", ...commented }),
    aView(99),
  ];
  const read = loadPosts(anasFeed(posts), { posts: [], users: [], groups: [FAMILY], seq: 10 });
  return inGroups({ ...read, drafts: { 100: "half a thought", 99: "another" } }, aGroup());
}

const left = (seq: number, user_id = ANA.id): AnyEvent => ({
  ev: "groups.left",
  seq,
  group_id: FAMILY.id,
  user_id,
  members_count: 1,
});
const ended = (seq: number): AnyEvent => ({ ev: "groups.deleted", seq, group_id: FAMILY.id });
const joined = (seq: number, group: Group = aGroup()): AnyEvent => ({
  ev: "groups.joined",
  seq,
  group,
  user_ids: [ANA.id],
  users: [ANA, BEN],
});
const shared = (seq: number, id: number, more: Partial<Post> = {}) =>
  created(seq, aPost(id, { audience: toFamily, ...more }), [FAMILY]);
const feed = (state: State) => state.views["feed:"];
const waits = (state: State) => feed(state)?.waiting.map((one) => one.id);
const post = (state: State, id = 100) => state.posts[id];
const commented = (id: number, post_id: number, more: Partial<Notification> = {}): Notification => ({
  id,
  kind: "comment",
  actor_id: BEN.id,
  post_id,
  comment_id: 2,
  comment_text: "hm",
  post_text: "post",
  content_note: null,
  created_at_ms: id,
  unread: false,
  ...more,
});

describe("the list of a group", () => {
  const name = groupView(FAMILY.id);
  const list = (state: State) => state.views[name];
  /** The page of the group is open too. */
  const opened = () =>
    loadFirstPage(family(), name, {
      posts: [aView(100, { audience: toFamily })],
      users: [],
      groups: [FAMILY],
      older: null,
      seq: 10,
    });

  test("has the new posts of this group alone behind the button, and the viewer's own at once", () => {
    const walks = { id: 60, name: "Walks", owner_id: 2 };
    const state = applyAll(opened(), [
      shared(11, 102),
      created(12, aPost(103)),
      created(13, aPost(104, { audience: { type: "group", group_id: walks.id } }), [walks]),
      shared(14, 105, { author_id: ANA.id }),
    ]);
    expect(list(state)).toMatchObject({ ids: [105, 100], waiting: [{ id: 102 }] });
  });

  test("keeps a post that gets another audience until it is opened again, and drops one that waits", () => {
    const state = applyAll(opened(), [shared(11, 102), anEdit(12), anEdit(13, { post_id: 102 })]);
    expect(list(state)).toMatchObject({ ids: [100], waiting: [], stale: true });
    expect(waits(state)).toEqual([102]);
  });

  test("leaves out muted people, like a feed, until they are muted no more", () => {
    const mutes = (seq: number, muted: boolean): AnyEvent => ({
      ev: "people.changed",
      seq,
      user_id: BEN.id,
      blocked: false,
      muted,
    });
    const state = applyAll(opened(), [shared(11, 102), mutes(12, true), shared(13, 103)]);
    expect(list(state)).toMatchObject({ ids: [], waiting: [] });
    expect(list(apply(state, mutes(14, false)))?.stale).toBe(true);
  });

  test("keeps the line of a post that was deleted or narrowed", () => {
    const state = apply(opened(), aDeletion(11));
    expect(list(state)?.ids).toEqual([100]);
    expect(post(state)?.removed).toBe(true);
  });
});

describe("posts of a group", () => {
  test("wait behind the new posts button whether or not the author is followed, also after an unfollow", () => {
    const unfollowed: AnyEvent = { ev: "follows.changed", seq: 12, user_id: BEN.id, following: false };
    const state = applyAll(family(), [
      shared(11, 102),
      created(11, aPost(103)),
      unfollowed,
      shared(13, 104),
      created(14, aPost(105)),
    ]);
    expect(waits(state)).toEqual([104, 102]);
  });

  test("show the group's current name", () => {
    const state = apply(family(), { ev: "groups.renamed", seq: 11, group_id: FAMILY.id, name: "The family" });
    expect(groupNameOf(state, FAMILY.id)).toBe("The family");
    expect(sharedText(toFamily, "The family")).toBe("Shared with {group}");
    expect(sharedText(toFamily, null)).toBe("Shared with a group");
    expect(sharedText({ type: "group_deleted" }, null)).toBe("Shared with a group that no longer exists");
    expect(sharedText(alone, null)).toBe(null);
    expect(sharedText(ofLeft, null)).toBe("Shared with a group you're no longer in");
    expect(sharedText({ type: "public" }, null)).toBe(null);
  });

  test("are removed at once when the viewer leaves or is removed; the viewer's unsent comments stay", () => {
    for (const event of [left(12), ended(12)]) {
      const state = applyAll(family(), [shared(11, 102), event]);
      expect(post(state)).toMatchObject({
        removed: true,
        groupGone: true,
        text: "",
        thread: [],
        pictures: [],
      });
      expect(post(state, 99)?.removed).toBe(false);
      expect(feed(state)).toMatchObject({ ids: [101, 100, 99], waiting: [] });
      expect(state.drafts).toEqual({ 100: "half a thought", 99: "another" });
      expect(state.comments).toEqual({});
    }
  });

  test("stay for their author, without the comments of others", () => {
    const state = apply(family(), left(12));
    expect(post(apply(family(), ended(12)), 101)).toMatchObject({
      audience: { type: "group_deleted" },
      comments_count: 0,
    });
    expect(post(state, 101)).toMatchObject({
      removed: false,
      text: "post 101",
      audience: ofLeft,
      comments_count: 0,
      thread: [],
    });
    expect(storeCommentPage(state, 101, null, [aComment(2, { post_id: 101 })], 1, 11)).toBe(state);
    expect(
      apply(state, {
        ev: "comments.created",
        seq: 13,
        comment: aComment(3, { post_id: 101 }),
        users: [BEN],
        comments_count: 2,
      }).posts,
    ).toEqual(state.posts);
  });

  test("stay when somebody else leaves", () => {
    expect(apply(family(), left(12, BEN.id)).posts).toEqual(family().posts);
  });

  test("do not return with older replies or events", () => {
    const state = apply(family(), left(12));
    const late = {
      posts: [
        aView(101, { author_id: ANA.id, audience: toFamily, comments_count: 4 }),
        aView(98, { audience: toFamily }),
      ],
      users: [],
      groups: [FAMILY],
      older: null,
      seq: 11,
    };
    const read = loadFirstPage(state, "author:2", late);
    expect(read.posts[98]).toBe(undefined);
    expect(read.views["author:2"]?.ids).toEqual([101]);
    expect(post(read, 101)).toMatchObject({ audience: ofLeft, comments_count: 0 });
    expect(waits(apply(state, shared(11, 103)))).toEqual([]);
    expect(
      apply(state, anEdit(11, { post_id: 101, author_id: ANA.id, audience: toFamily, groups: [FAMILY] })),
    ).toBe(state);
  });

  test("are listed at the next read after the viewer is added again, not before", () => {
    const state = applyAll(family(), [left(12), joined(20)]);
    expect(feed(state)).toMatchObject({ ids: [101, 100, 99], waiting: [], stale: true });
    expect(post(state)?.removed).toBe(true);
    const read = loadFirstPage(state, "feed:", {
      posts: [aView(100, { audience: toFamily })],
      users: [BEN],
      groups: [FAMILY],
      older: null,
      seq: 21,
    });
    expect(post(read)).toMatchObject({ removed: false, groupGone: false, text: "post 100" });
    expect(apply(read, left(12)).posts).toEqual(read.posts);
  });

  test("are read again for their author after joining the group again", () => {
    const tab = aLiveTab();
    tab.client.update(() => ({ ...family(), session: tab.client.state.session }));
    tab.wire().event(left(12));
    expect(tab.wire().sent.filter((one) => one.op === "posts.refresh")).toEqual([]);
    tab.wire().event(joined(20));
    expect(tab.wire().sent.filter((one) => one.op === "posts.refresh")).toMatchObject([{ post_ids: [101] }]);
  });
});

describe("the audience of a post", () => {
  test("changes by an event that keeps vote and thread of a loaded post", () => {
    const more = storeCommentPage(family(), 100, 1, [aComment(3)], 2, 11);
    const state = applyAll(more, [
      anEdit(12, { text: "post 100" }),
      created(
        12,
        aPost(100, { comments_count: 2, first_comments: [aComment(1), aComment(3)], updated_at_ms: 512 }),
      ),
    ]);
    expect(post(state)).toMatchObject({
      audience: { type: "public" },
      vote: "positive",
      thread: [1, 3],
      comments_count: 2,
      updated_at_ms: 512,
    });
    expect(feed(state)).toMatchObject({ ids: [101, 100, 99], waiting: [] });
  });

  test("hides a post from a user; shared with them again, it waits and then returns to its place", () => {
    const less = apply(anasFeed([aView(101), aView(100)]), aDeletion(11));
    expect(post(less)).toMatchObject({ removed: true, groupGone: false });
    const back = applyAll(less, [created(12, aPost(100, { text: "again", updated_at_ms: 512 }))]);
    expect(waits(back)).toEqual([100]);
    expect(post(back)?.removed).toBe(true);
    const taken = insertWaiting(back, "feed:", [100], {
      posts: [aView(100, { text: "again" })],
      users: [BEN],
      groups: [],
      gone: [],
      seq: 13,
    });
    expect(feed(taken)).toMatchObject({ ids: [101, 100], waiting: [] });
    expect(post(taken)).toMatchObject({ removed: false, text: "again" });
    expect(apply(taken, aDeletion(11)).posts).toEqual(taken.posts);
  });

  test("lists an old post that is shared with more people only with its page of the list", () => {
    const page = { posts: [aView(100)], users: [BEN], groups: [], older: 90, follows_anyone: true, seq: 10 };
    const state = loadFirstPage(anasFeed([]), "feed:", page);
    expect(
      waits(
        applyAll(state, [
          created(11, aPost(80, { updated_at_ms: 511 })),
          created(12, aPost(95, { updated_at_ms: 512 })),
        ]),
      ),
    ).toEqual([95]);
  });

  test("keeps a post that was listed only for its group until the list is opened again", () => {
    const state = apply(family(), anEdit(12, { text: "post 100" }));
    expect(feed(state)).toMatchObject({ ids: [101, 100, 99], stale: true });
    expect(feed(apply(family(), anEdit(12, { text: "other words", audience: toFamily })))).toMatchObject({
      stale: false,
    });
  });

  test("removes a waiting post with the group that it was moved to", () => {
    const state = applyAll(anasFeed([]), [
      created(11, aPost(100)),
      anEdit(12, { audience: toFamily, groups: [FAMILY] }),
      left(13),
    ]);
    expect(waits(state)).toEqual([]);
  });

  test("l5: does not change if the events or any suffix of them are applied again", () => {
    const all = [
      shared(11, 102),
      anEdit(12, { text: "post 100" }),
      created(12, aPost(100, { updated_at_ms: 512 })),
      anEdit(13, { audience: toFamily, groups: [FAMILY] }),
      aDeletion(14, 99),
      left(15),
      joined(16),
      shared(17, 103),
      created(18, aPost(99, { updated_at_ms: 518 })),
      ended(19),
    ];
    const once = applyAll(family(), all);
    let twice = family();
    for (const event of all) twice = apply(apply(twice, event), event);
    expect(twice).toEqual(once);
    for (let from = 0; from < all.length; from += 1)
      expect(applyAll(once, all.slice(from)).posts).toEqual(once.posts);
  });
});

describe("notifications of a group's posts", () => {
  const withNotifications = (state: State, ...notifications: Notification[]) =>
    loadNotifications(setNotifications(state, { status: "loading" }), {
      notifications,
      users: [BEN, ZOE],
      older: null,
      has_unread: false,
      seq: 10,
    });
  const lines = (state: State) =>
    state.notifications.items.map(({ id, post_id, comment_text }) => [id, post_id, comment_text]);

  test("keep their line and lose text and link, at once if the post is held", () => {
    const state = apply(withNotifications(family(), commented(7, 101), commented(6, 99)), left(12));
    expect(lines(state)).toEqual([
      [7, null, null],
      [6, 99, "hm"],
    ]);
    expect(state.notifications.stale).toBe(false);
    expect(
      lines(
        loadNotifications(state, {
          notifications: [commented(7, 101)],
          users: [],
          older: null,
          has_unread: false,
          seq: 11,
        }),
      ),
    ).toEqual([[7, null, null]]);
  });

  test("are read again if the post is not held", () => {
    expect(apply(withNotifications(family(), commented(7, 55)), left(12)).notifications.stale).toBe(true);
  });

  test("get text and link back when the viewer is added, or the post is shared with more users", () => {
    const state = apply(withNotifications(family(), commented(7, 101)), left(12));
    expect(apply(state, joined(13)).notifications.stale).toBe(true);
    expect(apply(state, created(13, aPost(200))).notifications.stale).toBe(false);
    expect(apply(state, created(13, aPost(77, { updated_at_ms: 513 }))).notifications.stale).toBe(true);
  });

  test("are removed with a post the viewer may no longer see", () => {
    expect(
      lines(
        apply(withNotifications(anasFeed([aView(100)]), commented(7, 100, { kind: "reply" })), aDeletion(11)),
      ),
    ).toEqual([[7, null, null]]);
  });
});
