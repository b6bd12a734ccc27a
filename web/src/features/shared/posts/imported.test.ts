import { describe, expect, test, vi } from "vitest";
import { apply } from "../../../engine/apply";
import type { Ask } from "../../../engine/ask";
import type { AnyEvent } from "../../../engine/frames";
import type { State } from "../../../engine/state";
import type { PostView } from "../../../engine/types.gen";
import { ANA, BEN, aPost, aView, anasFeed, created } from "../../../testing/fixtures";
import { insertWaiting, loadFirstPage, loadOlderPage, loadOwnPost, readPage, refreshFirstPage } from "./read";
import { authorView, foundView, groupView } from "./types";

/** An imported post: its date is old, and its id is new. */
const old = (id: number, created_at_ms: number, author_id = BEN.id): PostView =>
  aView(id, { author_id, created_at_ms, updated_at_ms: created_at_ms, imported: true });
const page = (posts: PostView[], older: number | null = null, seq = 10) => ({
  posts,
  users: [ANA, BEN],
  groups: [],
  older,
  seq,
});
const ids = (state: State, name: string) => state.views[name]?.ids;

describe("d-w5: an imported post", () => {
  const bens = authorView(BEN.id);
  /** Ben's profile, with what he wrote here and what he imported. */
  const opened = () =>
    loadFirstPage(anasFeed([]), bens, page([aView(100), old(200, 80), aView(60), old(201, 20)]));

  test("has the place of its date on a profile, also when newer posts are shown and older ones are read", () => {
    const waits = apply(opened(), created(11, aPost(300)));
    expect(waits.views[bens]?.waiting).toEqual([{ id: 300, author_id: BEN.id }]);
    const shown = insertWaiting(waits, bens, [300], { ...page([aView(300)], null, 12), gone: [] });
    expect(ids(shown, bens)).toEqual([300, 100, 200, 60, 201]);
    expect(ids(loadOlderPage(shown, bens, page([aView(15), old(202, 10)])), bens)).toEqual([
      300, 100, 200, 60, 201, 15, 202,
    ]);
  });

  test("waits behind no button after an interruption", () => {
    const read = page(
      [aView(300), aView(100), old(200, 80), old(203, 70), aView(60), old(201, 20)],
      null,
      20,
    );
    const view = refreshFirstPage(opened(), bens, read).views[bens];
    expect(view?.waiting).toEqual([{ id: 300, author_id: BEN.id }]);
    expect(view?.ids).toEqual([100, 200, 60, 201]);
    // The old posts at its end are no sign of a gap, so the list is not read from its beginning again.
    expect(view?.stale).toBe(false);
  });

  test("of the time of an interruption hides no gap below the newest page", () => {
    const read = page([aView(300), old(301, 250), aView(240)], 240, 20);
    expect(refreshFirstPage(opened(), bens, read).views[bens]?.stale).toBe(true);
  });

  test.each([authorView(ANA.id), foundView("tea")])("of the viewer takes its place in %s", (name) => {
    const mine = (id: number): PostView => aView(id, { author_id: ANA.id });
    const state = loadFirstPage(anasFeed([]), name, page([mine(100), mine(60)]));
    const read = page([mine(100), old(200, 80, ANA.id), mine(60), old(201, 20, ANA.id)], null, 20);
    expect(ids(refreshFirstPage(state, name, read), name)).toEqual([100, 200, 60, 201]);
  });

  test("is below what the viewer writes next", () => {
    const name = authorView(ANA.id);
    const state = loadFirstPage(anasFeed([]), name, page([old(200, 80, ANA.id), old(201, 20, ANA.id)]));
    const post = aView(300, { author_id: ANA.id, positive_count: 0 });
    const written = loadOwnPost(state, { post, users: [ANA], groups: [], seq: 11 });
    expect(ids(written, name)).toEqual([300, 200, 201]);
    expect(ids(apply(state, created(11, aPost(300, { author_id: ANA.id }))), name)).toEqual([300, 200, 201]);
  });

  test("at the end of what was read is older than a post with a lower id that others see from now on", () => {
    const state = loadFirstPage(anasFeed([]), bens, page([aView(100), old(200, 80)], 200));
    const at = (id: number, created_at_ms: number) => created(11, aPost(id, { created_at_ms }));
    const waits = (event: AnyEvent) => apply(state, event).views[bens]?.waiting.map((one) => one.id);
    expect([at(90, 90), at(201, 80)].map(waits)).toEqual([[90], [201]]);
    // A later read brings these.
    expect([at(70, 70), at(199, 80), at(300, 70)].map(waits)).toEqual([[], [], []]);
    // In the other lists a lower id is an older post.
    const feed = loadFirstPage(state, "feed:", { ...page([aView(200)], 200), follows_anyone: true });
    expect(apply(feed, at(199, 300)).views["feed:"]?.waiting).toEqual([]);
  });

  test("changes nothing in the order of other lists, which is that of the ids", () => {
    // The server's clock went back.
    const early = aView(101, { created_at_ms: 50 });
    for (const name of ["feed:", groupView(50)]) {
      const state = loadFirstPage(anasFeed([]), name, page([early, aView(100)]));
      const shown = insertWaiting(state, name, [102], { ...page([aView(102)], null, 12), gone: [] });
      expect(ids(shown, name)).toEqual([102, 101, 100]);
    }
  });
});

test("a page of an author's posts begins after the date and the id of the post before it", async () => {
  const ask = vi.fn(() => Promise.resolve(page([])));
  for (const name of [authorView(BEN.id), foundView("tea"), "feed:"])
    await readPage(ask as unknown as Ask, name, 201, 20);
  expect(ask.mock.calls).toEqual([
    ["posts.by_author", { user_id: BEN.id, before: 201, before_at_ms: 20 }],
    ["posts.search", { term: "tea", before: 201, before_at_ms: 20 }],
    ["posts.feed", { tag: null, before: 201 }],
  ]);
});
