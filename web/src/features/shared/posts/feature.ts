// Registers posts, their comments and lists of posts with the engine. New posts of the viewer that another device
// shared are read as a whole.

import type { Tools } from "../../../engine/feature";
import { defineFeature } from "../../../engine/feature";
import type { AnyEvent } from "../../../engine/frames";
import type { State } from "../../../engine/state";
import { withFields } from "../../../engine/state";
import { mentioned } from "../mentions";
import { isNewestFollow } from "../people/follows";
import { storeUsers, isViewer } from "../people/people";
import { evictPosts, trimThreads } from "./evict";
import {
  knownAt,
  commentsAllowed,
  feedsOfFollowed,
  feedsOfMuted,
  feedsOfReturned,
  ofLeft,
  ownOutside,
  postCreated,
  postDeleted,
  postUpdated,
  postsOfDeletedUser,
  postsOfJoined,
  postsOfLost,
  savedChanged,
} from "./posts";
import { loadRefreshed } from "./read";
import { forgetUnnamed, rereadPosts } from "./reread";
import { commentCreated, commentDeleted } from "./thread";

/** The most posts in one `posts.refresh`. */
const REFRESH_MAX = 30;

export const posts = defineFeature({
  initial: () => ({ posts: {}, comments: {}, views: {}, opened: {}, deletedComments: {} }),
  on: {
    "posts.created": (state, event) => postCreated(storeUsers(state, event.users, event.seq), event),
    "posts.updated": postUpdated,
    "posts.deleted": (state, { post_id, seq }) => postDeleted(state, post_id, seq),
    "comments.created": (state, { comment, users, comments_count, seq }) =>
      commentCreated(storeUsers(state, users, seq), comment, comments_count, seq),
    "comments.deleted": (state, { post_id, comment_id, users, comments_count, first_comments, seq }) =>
      commentDeleted(storeUsers(state, users, seq), post_id, comment_id, comments_count, first_comments, seq),
    "comments.allowed": commentsAllowed,
    "saved.changed": savedChanged,
    "follows.changed": (state, event) =>
      isNewestFollow(state, event) ? feedsOfFollowed(state, event) : state,
    "people.changed": feedsOfMuted,
    "users.returned": feedsOfReturned,
    "users.deleted": (state, { user_id, seq }) => postsOfDeletedUser(state, user_id, seq),
    "groups.joined": (state, { user_ids, seq }) =>
      isViewer(state, ...user_ids) ? postsOfJoined(state, seq) : state,
    "groups.left": (state, { user_id, group_id, seq }) =>
      isViewer(state, user_id) ? postsOfLost(state, group_id, ofLeft, seq) : state,
    "groups.deleted": (state, { group_id, seq }) =>
      postsOfLost(state, group_id, { type: "group_deleted" }, seq),
  },
  applied: refreshOwn,
  trim: trimThreads,
  evict: evictPosts,
  users: (state) =>
    Object.values(state.posts).flatMap((post) => [
      post.author_id,
      ...post.thread.flatMap((id) => {
        const comment = state.comments[id];
        return comment === undefined ? [] : [comment.author_id, ...mentioned(comment.text)];
      }),
    ]),
  topics: (state) => ({ posts: Object.keys(state.posts).map(Number) }),
  resumes: (state) => ({
    posts: Object.values(state.posts)
      .filter((post) => !post.removed)
      .map((post) => post.id),
  }),
  forgetSeqs: (state) => ({
    posts: withFields(state.posts, { ...knownAt(0), confirmedAt: 0, thereAt: 0 }),
    views: Object.fromEntries(
      Object.entries(state.views).map(([name, view]) => [name, { ...view, asOf: 0 }]),
    ),
    deletedComments: {},
  }),
  reread: rereadPosts,
  reconcile: forgetUnnamed,
});

/**
 * Reads the viewer's own posts that this page does not know completely. A post of another device is listed,
 * but its events arrive only after it was read. For a post whose group is gone, only a read says whether the
 * viewer is in that group again.
 */
function refreshOwn({ ask, update, state }: Tools, before: State, events: readonly AnyEvent[]): void {
  const me = before.session.me?.id;
  const now = state();
  const fresh = Object.values(now.posts).flatMap((post) =>
    post.author_id === me && before.posts[post.id] === undefined ? [post.id] : [],
  );
  const isIn = events.some((event) => event.ev === "groups.joined" && event.user_ids.includes(me ?? 0));
  const post_ids = [...fresh, ...(isIn ? ownOutside(now) : [])].slice(0, REFRESH_MAX);
  if (post_ids.length === 0) return;
  ask("posts.refresh", { post_ids }).then(
    (ok) => update((s) => loadRefreshed(s, ok)),
    // What is shown stays, and the next reconnect reads it again.
    () => undefined,
  );
}
