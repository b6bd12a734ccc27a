// The viewer's own comment between its reply and its event, with comments of others and overlapping reads.

import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../engine/frames";
import type { Comment } from "../engine/types.gen";
import type { State } from "../engine/state";
import { applyAll } from "../engine/apply";
import { storePost } from "../features/shared/posts/posts";
import { commentConfirmed } from "../features/shared/posts/thread";
import { ANA, BEN, aComment, aView, anasFeed } from "../testing/fixtures";

const commented = (seq: number, comment: Comment, comments_count: number): AnyEvent => ({
  ev: "comments.created",
  seq,
  comment,
  users: [ANA, BEN],
  comments_count,
});

const shown = (state: State) => ({
  thread: state.posts[100]?.thread,
  count: state.posts[100]?.comments_count,
});

describe("the viewer's own comment, whose reply arrives before its event", () => {
  const mine = aComment(9, { author_id: ANA.id });

  test("Ben's earlier comment, which arrives after the reply to Ana's comment, is listed above hers", () => {
    const events = [commented(11, aComment(8), 1), commented(12, mine, 2)];
    const replied = commentConfirmed(anasFeed([aView(100)]), mine, 12);
    expect(shown(replied)).toEqual({ thread: [9], count: 1 });
    expect(shown(applyAll(replied, events.slice(0, 1)))).toEqual({ thread: [8, 9], count: 2 });
    expect(shown(applyAll(replied, events))).toEqual({ thread: [8, 9], count: 2 });
    expect(shown(applyAll(anasFeed([aView(100)]), events))).toEqual({ thread: [8, 9], count: 2 });
  });

  test("Ana's comment stays when an older read arrives between the reply and the event", () => {
    const three = [1, 2, 3].map((id) => commented(10 + id, aComment(id), id));
    const replied = commentConfirmed(applyAll(anasFeed([aView(100)]), three), mine, 15);
    const read = aView(100, { comments_count: 3, first_comments: [aComment(1), aComment(2)] });
    const late = storePost(replied, read, 14.5);
    expect(shown(late)).toEqual({ thread: [1, 2, 3, 9], count: 4 });
    expect(shown(applyAll(late, [commented(15, mine, 4)]))).toEqual({ thread: [1, 2, 3, 9], count: 4 });
  });

  test("a read that has Ana's comment and a later one sets the count", () => {
    const replied = commentConfirmed(anasFeed([aView(100)]), mine, 12);
    const read = aView(100, { comments_count: 2, first_comments: [mine, aComment(10)] });
    expect(shown(storePost(replied, read, 13.5))).toEqual({ thread: [9, 10], count: 2 });
  });
});
