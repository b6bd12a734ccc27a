// Which posts and comments are dropped when no screen shows them.
//
// Promises: a post that a shown list or page shows stays; at most POSTS_MAX posts and COMMENTS_MAX comments
// remain in any case.

import type { Shown } from "../../../engine/feature";
import type { Id, State } from "../../../engine/state";
import { without } from "../../../engine/state";
import { COMMENTS_MAX, POSTS_MAX, feedView } from "./types";

/** Your Space is kept while other screens are open, so that coming back finds the same place. */
const HOME = feedView(null);
/** Off screen, Your Space keeps at least so many posts. */
const HOME_MIN = 30;

export function evictPosts(state: State, shown: Shown): State {
  const views = Object.fromEntries(
    Object.entries(state.views).filter(([name]) => name === HOME || shown.views.has(name)),
  );
  const kept = new Set<Id>(shown.posts);
  for (const name of shown.views) for (const id of views[name]?.ids ?? []) kept.add(id);
  const home = views[HOME];
  if (home !== undefined && !shown.views.has(HOME)) {
    // Off screen, the list gives up its oldest end first.
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

/** Threads that are not opened whole go back to their two oldest comments when too many are held. */
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
