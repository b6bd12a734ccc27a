// Drops posts and comments that no screen shows.
//
// Promises: a post in a list or page on screen stays. At most POSTS_MAX posts and COMMENTS_MAX comments are
// held.

import type { Shown } from "../../../engine/feature";
import type { Id, State } from "../../../engine/state";
import { without } from "../../../engine/state";
import { COMMENTS_MAX, POSTS_MAX, feedView } from "./types";

/** Your Space is kept while other screens are open, so that the reader can return to the same position. */
const HOME = feedView(null);
/** How many posts Your Space keeps at least while it is off screen. */
const HOME_MIN = 30;

export function evictPosts(state: State, shown: Shown): State {
  const views = Object.fromEntries(
    Object.entries(state.views).filter(([name]) => name === HOME || shown.views.has(name)),
  );
  const kept = new Set<Id>(shown.posts);
  for (const name of shown.views) for (const id of views[name]?.ids ?? []) kept.add(id);
  const home = views[HOME];
  if (home !== undefined && !shown.views.has(HOME)) {
    // Off screen the oldest posts of the list are dropped first.
    const ids = home.ids.slice(0, Math.max(HOME_MIN, POSTS_MAX - kept.size));
    if (ids.length < home.ids.length) views[HOME] = { ...home, ids, older: ids[ids.length - 1] ?? null };
    for (const id of ids) kept.add(id);
  }
  const gone = Object.keys(state.posts)
    .map(Number)
    .filter((id) => !kept.has(id));
  const left =
    gone.length === 0
      ? { ...state, views }
      : { ...state, views, posts: without(state.posts, gone), opened: openedOf(state.opened, kept) };
  return dropUnusedComments(trimThreads(left));
}

/**
 * If too many comments are held, threads that are not open as a whole keep only their two oldest comments.
 */
export function trimThreads(state: State): State {
  if (Object.keys(state.comments).length <= COMMENTS_MAX) return state;
  const posts = { ...state.posts };
  for (const post of Object.values(posts))
    if (post.thread.length > 2 && !isOpenedWhole(state, post.id))
      posts[post.id] = { ...post, thread: post.thread.slice(0, 2) };
  return dropUnusedComments({ ...state, posts });
}

function isOpenedWhole(state: State, postId: Id): boolean {
  return state.opened[`card:${postId}`] === "all" || state.opened[`page:${postId}`] === "all";
}

function openedOf(opened: State["opened"], kept: ReadonlySet<Id>): State["opened"] {
  return Object.fromEntries(
    Object.entries(opened).filter(([place]) => kept.has(Number(place.slice(place.indexOf(":") + 1)))),
  );
}

/** Drops comments that no thread lists. */
function dropUnusedComments(state: State): State {
  const listed = Object.values(state.posts).flatMap((post) => post.thread);
  const comments: State["comments"] = {};
  for (const id of listed) {
    const comment = state.comments[id];
    if (comment !== undefined) comments[id] = comment;
  }
  return { ...state, comments };
}
