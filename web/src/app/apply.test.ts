import { describe, expect, test } from "vitest";
import { seededRandom } from "../testing/fakeSocket";
import type { AnyEvent } from "../engine/frames";
import type { Comment } from "../engine/types.gen";
import { apply, applyAll } from "../engine/apply";
import { loadPosts } from "../features/shared/posts/read";
import { storeCommentPage } from "../features/shared/posts/thread";
import type { State } from "../engine/state";
import { asRead } from "../engine/state";
import { emptyView } from "../features/shared/posts/types";
import {
  aDeletion,
  anEdit,
  aComment,
  aPicture,
  aPost,
  aView,
  anasFeed,
  BEN,
  created,
} from "../testing/fixtures";

const thread = (state: State, id = 100) => state.posts[id]?.thread;
const count = (state: State, id = 100) => state.posts[id]?.comments_count;

function commented(seq: number, comment: Comment, comments_count: number): AnyEvent {
  return { ev: "comments.created", seq, comment, users: [BEN], comments_count };
}

/** Simulates a server: it keeps one post's comments and publishes each change as an event. */
function history(seed: number, steps: number): { events: AnyEvent[]; left: Comment[] } {
  const random = seededRandom(seed);
  const events: AnyEvent[] = [];
  let left: Comment[] = [];
  let seq = 10;
  let id = 1_000;
  for (let step = 0; step < steps; step += 1) {
    seq += 1 + Math.floor(random() * 3);
    const what = random();
    if (what < 0.55) {
      id += 1;
      const comment = aComment(id);
      left = [...left, comment];
      events.push(commented(seq, comment, left.length));
    } else if (what < 0.8 && left.length > 0) {
      const gone = left[Math.floor(random() * left.length)] as Comment;
      left = left.filter((one) => one.id !== gone.id);
      events.push({
        ev: "comments.deleted",
        seq,
        post_id: 100,
        comment_id: gone.id,
        comments_count: left.length,
        first_comments: left.slice(0, 2),
        users: [BEN],
      });
    } else if (what < 0.9) {
      events.push({ ev: "votes.changed", seq, post_id: 100, vote: random() < 0.5 ? "positive" : "none" });
    } else if (what < 0.95) {
      events.push(anEdit(seq, { text: `edit ${seq}` }));
    } else {
      id += 1;
      events.push(created(seq, aPost(id)));
    }
  }
  return { events, left };
}

describe("events", () => {
  test("c19, l5: applying any event or any suffix of the log again changes nothing", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { events } = history(seed, 40);
      const random = seededRandom(seed * 7);
      let twice = anasFeed([aView(100)]);
      for (const event of events) twice = apply(apply(twice, event), event);
      const once = applyAll(anasFeed([aView(100)]), events);
      expect(twice).toEqual(once);
      const suffix = events.slice(Math.floor(random() * events.length));
      expect(applyAll(once, suffix)).toEqual(once);
    }
  });

  test("c29: shown and hidden comments add up to the server's count, and the two oldest are shown in order", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { events, left } = history(seed, 60);
      let state = anasFeed([aView(100)]);
      for (const event of events) {
        state = apply(state, event);
        const held = thread(state) ?? [];
        expect(held.length).toBeLessThanOrEqual(count(state) ?? 0);
        expect(held).toEqual([...held].sort((a, b) => a - b));
      }
      expect(count(state)).toBe(left.length);
      expect(thread(state)?.slice(0, 2)).toEqual(left.slice(0, 2).map((one) => one.id));
    }
  });

  test("c29: with the first two of five loaded, a deletion shows the next oldest", () => {
    const five = [1, 2, 3, 4, 5].map((id) => aComment(id));
    const state = anasFeed([aView(100, { comments_count: 5, first_comments: five.slice(0, 2) })]);
    const after = apply(state, {
      ev: "comments.deleted",
      seq: 11,
      post_id: 100,
      comment_id: 1,
      comments_count: 4,
      first_comments: [five[1], five[2]] as Comment[],
      users: [BEN],
    });
    expect(thread(after)).toEqual([2, 3]);
    expect(count(after)).toBe(4);
  });

  test("d-d4: a new comment is only counted in a folded thread, and is appended to an open one", () => {
    const folded = anasFeed([aView(100, { comments_count: 3, first_comments: [aComment(1), aComment(2)] })]);
    const grown = apply(folded, commented(11, aComment(4), 4));
    expect(thread(grown)).toEqual([1, 2]);
    expect(count(grown)).toBe(4);
    const whole = storeCommentPage(grown, 100, 2, [aComment(3), aComment(4)], 4, 12);
    expect(thread(apply(whole, commented(13, aComment(5), 5)))).toEqual([1, 2, 3, 4, 5]);
  });

  test("l3: an event that a reply already contains changes nothing, also when the reply arrives late", () => {
    const state = anasFeed([aView(100)]);
    const comment = aComment(1);
    const read = loadPosts(state, {
      posts: [aView(100, { comments_count: 1, first_comments: [comment] })],
      users: [BEN],
      groups: [],
      seq: 20,
    });
    expect(apply(read, commented(20, comment, 1))).toEqual(read);
    const commentedOn = apply(read, commented(21, aComment(2), 2));
    const late = loadPosts(commentedOn, {
      posts: [aView(100, { comments_count: 1, first_comments: [comment] })],
      users: [BEN],
      groups: [],
      seq: 20,
    });
    expect(thread(late)).toEqual([1, 2]);
  });

  test("a page that was read before a deletion was received does not bring the comment back", () => {
    const state = anasFeed([aView(100, { comments_count: 4, first_comments: [aComment(1), aComment(2)] })]);
    const gone = apply(state, {
      ev: "comments.deleted",
      seq: 15,
      post_id: 100,
      comment_id: 3,
      comments_count: 3,
      first_comments: [aComment(1), aComment(2)],
      users: [BEN],
    });
    const late = storeCommentPage(gone, 100, 2, [aComment(3), aComment(4)], 4, 14);
    expect(thread(late)).toEqual([1, 2, 4]);
    expect(count(late)).toBe(3);
  });

  test("c25: a followed user's post waits behind the new posts button; one's own is listed at once", () => {
    const state = anasFeed([aView(100)]);
    const waiting = apply(state, created(11, aPost(101)));
    expect(waiting.views["feed:"]).toMatchObject({ ids: [100], waiting: [{ id: 101, author_id: 2 }] });
    const own = apply(waiting, created(12, aPost(102, { author_id: 1 })));
    expect(own.views["feed:"]?.ids).toEqual([102, 100]);
    expect(own.posts[102]).toMatchObject({ vote: "none", positive_count: 0 });
  });

  test("c30: a deleted post that waits is removed, and one in the list leaves one line", () => {
    const state = apply(anasFeed([aView(100)]), created(11, aPost(101)));
    const fewer = apply(state, aDeletion(12, 101));
    expect(fewer.views["feed:"]?.waiting).toEqual([]);
    const gone = apply(fewer, aDeletion(13, 100));
    expect(gone.posts[100]).toMatchObject({ removed: true, text: "" });
    expect(gone.views["feed:"]?.ids).toEqual([100]);
    expect(loadPosts(gone, { posts: [aView(100)], users: [], groups: [], seq: 12 })).toEqual(gone);
  });

  test("d-u7: an edit replaces the content note, and a read from before it does not uncover the post", () => {
    const state = apply(anasFeed([aView(100)]), anEdit(15, { content_note: "Grief" }));
    expect(state.posts[100]?.content_note).toBe("Grief");
    const before = { posts: [aView(100)], users: [], groups: [], seq: 12 };
    expect(loadPosts(state, before).posts[100]?.content_note).toBe("Grief");
    const after = { ...before, posts: [aView(100, { content_note: "A funeral" })], seq: 16 };
    expect(loadPosts(state, after).posts[100]?.content_note).toBe("A funeral");
  });

  test("an edit replaces the text wherever the post is shown, and never with older text", () => {
    const edited = (seq: number, text: string) => anEdit(seq, { text });
    const state = apply(
      anasFeed([aView(100, { title: "Before", pictures: [aPicture()] })]),
      edited(15, "after"),
    );
    expect(state.posts[100]).toMatchObject({
      title: null,
      text: "after",
      updated_at_ms: 515,
      created_at_ms: 100,
      pictures: [{ width: 1600 }],
    });
    expect(apply(state, edited(15, "after"))).toEqual(state);
    expect(apply(state, edited(12, "late"))).toBe(state);
    const read = loadPosts(state, {
      posts: [aView(100, { text: "read before the edit", vote: "positive" })],
      users: [BEN],
      groups: [],
      seq: 14,
    });
    expect(read.posts[100]).toMatchObject({ text: "after", updated_at_ms: 515, vote: "positive" });
    expect(
      loadPosts(state, { posts: [aView(100, { text: "read after it" })], users: [BEN], groups: [], seq: 16 })
        .posts[100],
    ).toMatchObject({ text: "read after it", editedAt: asRead(16) });
    const gone = apply(state, aDeletion(20, 100));
    expect(gone.posts[100]).toMatchObject({ removed: true, text: "", pictures: [] });
    expect(apply(gone, edited(21, "too late"))).toBe(gone);
    expect(apply(gone, anEdit(22, { post_id: 999 }))).toBe(gone);
  });

  test("another user's post, received because the profile is open, does not enter the feed", () => {
    let state = anasFeed([]);
    state = {
      ...state,
      follows: { 2: { following: false, at: 5 } },
      views: { ...state.views, "author:2": { ...emptyView(), status: "ready" } },
    };
    const next = apply(state, created(11, aPost(101)));
    expect(next.views["feed:"]?.waiting).toEqual([]);
    expect(next.views["author:2"]?.waiting).toEqual([{ id: 101, author_id: 2 }]);
  });

  test("d-b11: unfollowing removes that user's waiting posts and leaves the listed ones", () => {
    const state = apply(anasFeed([aView(100)]), created(11, aPost(101)));
    const left = apply(state, { ev: "follows.changed", seq: 12, user_id: 2, following: false });
    expect(left.views["feed:"]).toMatchObject({ ids: [100], waiting: [], stale: true });
  });
});
