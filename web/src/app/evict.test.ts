import { describe, expect, test } from "vitest";
import { evict } from "../engine/evict";
import { trimThreads } from "../features/shared/posts/evict";
import { loadFirstPage, loadPosts } from "../features/shared/posts/read";
import { storeCommentPage } from "../features/shared/posts/thread";
import type { Shown } from "../engine/feature";
import { COMMENTS_MAX, POSTS_MAX } from "../features/shared/posts/types";
import { aComment, aLiveTab, aView, anasFeed, BEN } from "../testing/fixtures";

const shown = (views: string[] = [], posts: number[] = []): Shown => ({
  views: new Set(views),
  posts: new Set(posts),
  profiles: new Set(),
  people: new Set(),
});
const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => aView(from + at));

describe("eviction", () => {
  test("c15: data that no screen shows is evicted, and Your Space is kept", () => {
    let state = anasFeed(many(100, 30));
    state = loadFirstPage(state, "author:2", {
      posts: many(500, 30),
      users: [BEN],
      groups: [],
      older: null,
      seq: 11,
    });
    state = loadPosts(state, { posts: [aView(900)], users: [], groups: [], seq: 12 });
    const { state: left, posts } = evict(state, shown());
    expect(Object.keys(left.views)).toEqual(["feed:"]);
    expect(Object.keys(left.posts)).toHaveLength(30);
    expect(posts).toContain(900);
    expect(posts).toHaveLength(31);
    const { posts: none } = evict(state, shown(["feed:", "author:2"], [900]));
    expect(none).toEqual([]);
  });

  test("c15: a long feed off screen drops its oldest posts and can read them again", () => {
    let state = anasFeed(many(1_000, POSTS_MAX - 30));
    state = loadFirstPage(state, "author:2", {
      posts: many(5_000, 60),
      users: [BEN],
      groups: [],
      older: null,
      seq: 11,
    });
    const { state: left } = evict(state, shown(["author:2"]));
    expect(Object.keys(left.posts)).toHaveLength(POSTS_MAX);
    const ids = left.views["feed:"]?.ids ?? [];
    expect(left.views["feed:"]?.older).toBe(ids.at(-1));
  });

  test("the name of a user who is mentioned on screen or in a draft is kept", () => {
    const users = [
      { ...BEN, id: 7, name: "Zoë" },
      { ...BEN, id: 8, name: "Kim" },
      { ...BEN, id: 9, name: "Nobody" },
    ];
    const first_comments = [aComment(1, { text: "hi @7+Old_Name" })];
    const state = loadPosts(anasFeed([]), {
      posts: [aView(100, { comments_count: 1, first_comments })],
      users: users,
      groups: [],
      seq: 11,
    });
    const left = evict({ ...state, meant: { 100: [{ at: 0, id: 8, name: "Kim" }] } }, shown([], [100])).state;
    expect(Object.keys(left.users).map(Number)).toEqual([1, 2, 7, 8]);
  });

  test("c15: if there are too many comments, threads that the user has not opened are folded", () => {
    let state = anasFeed(many(100, 50));
    for (let post = 100; post < 150; post += 1) {
      const comments = Array.from({ length: 50 }, (_, at) => aComment(post * 1_000 + at, { post_id: post }));
      state = storeCommentPage(state, post, null, comments, 50, 11);
    }
    state = { ...state, opened: { "card:100": "all" } };
    expect(Object.keys(state.comments).length).toBeGreaterThan(COMMENTS_MAX);
    const trimmed = trimThreads(state);
    expect(Object.keys(trimmed.comments)).toHaveLength(50 + 49 * 2);
    expect(trimmed.posts[100]?.thread).toHaveLength(50);
    expect(trimmed.posts[101]).toMatchObject({ comments_count: 50 });
  });

  test("l6: a post that is no longer shown is unsubscribed", () => {
    const tab = aLiveTab();
    const leave = tab.client.onScreen("post:900");
    tab.client.update((s) => loadPosts(s, { posts: [aView(900)], users: [], groups: [], seq: 12 }));
    tab.client.tidy();
    expect(tab.wire().sent).toEqual([]);
    leave();
    tab.clock.pass(1_000);
    expect(tab.wire().last("live.leave")).toMatchObject({ posts: [900], profiles: [] });
    expect(tab.client.state.posts).toEqual({});
  });

  test("l6: a post is not unsubscribed while a reply that shows it again is awaited", async () => {
    const tab = aLiveTab();
    const leave = tab.client.onScreen("post:900");
    const left = () => tab.wire().sent.filter(({ op }) => op === "live.leave");
    const post = { posts: [aView(900)], users: [], groups: [], seq: 12 };
    tab.client.update((s) => loadPosts(s, post));
    leave();
    const reading = tab.client.ask("posts.refresh", { post_ids: [900] });
    tab.clock.pass(3_000);
    expect(left()).toEqual([]);
    tab.wire().answer("posts.refresh", post);
    tab.client.update((s) => loadPosts(s, post));
    await reading;
    const leaveAgain = tab.client.onScreen("post:900");
    tab.clock.pass(1_000);
    expect(left()).toEqual([]);
    leaveAgain();
    tab.clock.pass(1_000);
    expect(left()).toMatchObject([{ posts: [900] }]);
  });
});
