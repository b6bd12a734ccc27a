import { expect, test } from "vitest";
import { apply } from "../../engine/apply";
import { emptyState, withSession } from "../../engine/feature";
import { FAMILY, aComment, aMe, aView, anasFeed, toFamily } from "../../testing/fixtures";
import { storeGroupNames } from "../../features/shared/groups/groups";
import { loadFirstPage } from "../../features/shared/posts/read";
import type { ListView } from "../../features/shared/posts/types";
import { POSTS_MAX, feedOf, shownFeed } from "./feed";

const many = (count: number) => Array.from({ length: count }, (_, at) => aView(1_000 - at));

test("d-r2: the newest page is kept as it is shown, with its users, groups and two comments of each post", () => {
  const view = aView(101, {
    audience: toFamily,
    vote: "positive",
    content_note: "Grief, a funeral",
    comments_count: 1,
    first_comments: [aComment(7, { post_id: 101 })],
  });
  const live = storeGroupNames(anasFeed([view, ...many(40).map(({ id }) => aView(id - 950))]), [FAMILY], 10);
  const feed = feedOf(live, 5);
  expect(feed?.page.posts).toHaveLength(POSTS_MAX);
  if (feed === null) throw new Error("nothing is kept");
  const shown = shownFeed(withSession(emptyState(), "unknown", feed.me), structuredClone(feed));
  expect(shown.kept).toEqual({ savedMs: 5 });
  expect(shown.session).toEqual({ phase: "unknown", me: aMe() });
  expect(shown.posts[101]).toMatchObject({
    text: view.text,
    content_note: "Grief, a funeral",
    vote: "positive",
    thread: [7],
  });
  expect(shown.comments[7]).toEqual(live.comments[7]);
  expect(shown.groups.names[FAMILY.id]?.name).toBe(FAMILY.name);
  expect(shown.users[view.author_id]).toEqual(live.users[view.author_id]);
});

test("d-r2: a deleted post is not kept; nothing is kept if the newest posts were evicted or the login ended", () => {
  const live = apply(anasFeed([aView(101), aView(100)]), {
    ev: "posts.deleted",
    seq: 11,
    post_id: 101,
    author_id: 2,
  });
  expect(feedOf(live, 5)?.page.posts.map(({ id }) => id)).toEqual([100]);
  const view = live.views["feed:"] as ListView;
  expect(feedOf({ ...live, views: { "feed:": { ...view, topCut: 101 } } }, 5)).toBe(null);
  expect(feedOf(withSession(live, "ended", live.session.me), 5)).toBe(null);
});

test("d-r3: after the log-in is confirmed the list is read again, and the reply replaces what was kept", () => {
  const feed = feedOf(anasFeed([aView(101, { text: "old" })]), 5);
  if (feed === null) throw new Error("nothing is kept");
  const kept = shownFeed(withSession(emptyState(), "unknown", feed.me), feed);
  expect(kept.views["feed:"]?.stale).toBe(true);
  const live = withSession(kept, "signed-in", feed.me);
  expect(live.kept).toBe(null);
  const page = { posts: [aView(101, { text: "new" })], users: [], groups: [], older: null, seq: 1 };
  expect(loadFirstPage(live, "feed:", page).posts[101]?.text).toBe("new");
});
