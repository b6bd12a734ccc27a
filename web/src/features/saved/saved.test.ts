import { describe, expect, test } from "vitest";
import { apply, applyAll } from "../../engine/apply";
import type { AnyEvent } from "../../engine/frames";
import type { State } from "../../engine/state";
import { aDeletion, aPost, aView, anasFeed, created } from "../../testing/fixtures";
import { loadFirstPage, loadPosts } from "../shared/posts/read";
import { SAVED_VIEW } from "../shared/posts/types";

const changed = (seq: number, saved: boolean, post_id = 100): AnyEvent => ({
  ev: "saved.changed",
  seq,
  post_id,
  saved,
});
const isSaved = (state: State, id = 100) => state.posts[id]?.saved;
const read = (state: State, seq: number, saved: boolean) =>
  loadPosts(state, { posts: [aView(100, { saved })], users: [], groups: [], seq });

describe("whether a post is saved", () => {
  test("is known from reads and events, of which the newest counts", () => {
    const state = anasFeed([aView(100)]);
    expect(isSaved(state)).toBe(false);
    const saved = apply(state, changed(12, true));
    expect(isSaved(saved)).toBe(true);
    expect(isSaved(apply(saved, changed(11, false)))).toBe(true);
    expect(isSaved(read(saved, 11, false))).toBe(true);
    expect(isSaved(read(saved, 13, false))).toBe(false);
    expect(isSaved(apply(read(saved, 13, false), changed(12, true)))).toBe(false);
  });

  test("is not in the event of a wider audience, which keeps it", () => {
    const state = applyAll(anasFeed([aView(100)]), [changed(11, true), created(13, aPost(100))]);
    expect(isSaved(state)).toBe(true);
    expect(isSaved(apply(state, changed(10, false)))).toBe(true);
    expect(isSaved(apply(state, changed(12, false)))).toBe(false);
  });
});

describe("the list of saved posts", () => {
  const opened = loadFirstPage(anasFeed([]), SAVED_VIEW, {
    posts: [aView(100, { saved: true }), aView(102, { saved: true })],
    users: [],
    groups: [],
    older: null,
    seq: 10,
  });
  const list = (state: State) => state.views[SAVED_VIEW];

  test("loses what is removed, and is out of date once something is saved", () => {
    expect(list(apply(opened, changed(11, false)))).toMatchObject({ ids: [102], stale: false });
    expect(list(apply(opened, changed(11, true, 105)))).toMatchObject({ ids: [100, 102], stale: true });
    expect(list(apply(opened, changed(10, false)))?.ids, "the read has it already").toEqual([100, 102]);
    const twice = applyAll(opened, [changed(11, false), changed(11, false)]);
    expect(twice).toEqual(apply(opened, changed(11, false)));
  });

  test("gets no new posts of others", () => {
    expect(list(apply(opened, created(11, aPost(103))))).toMatchObject({ ids: [100, 102], waiting: [] });
  });

  test("keeps the place of a deleted post until the page drops it", () => {
    const state = apply(opened, aDeletion(11));
    expect([list(state)?.ids, state.posts[100]?.removed]).toEqual([[100, 102], true]);
  });
});
