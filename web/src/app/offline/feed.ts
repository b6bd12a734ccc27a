// Turns the newest page of Your Space into the form that the browser keeps, and back. Pure.

import type { Me, PostView } from "../../engine/types.gen";
import type { State } from "../../engine/state";
import type { Ok } from "../../engine/frames";
import { mentioned } from "../../features/shared/mentions";
import { loadFirstPage } from "../../features/shared/posts/read";
import { setView } from "../../features/shared/posts/posts";
import { feedView } from "../../features/shared/posts/types";

/** As many posts as the server sends in one page. */
export const POSTS_MAX = 30;

export type Feed = { me: Me; savedMs: number; page: Ok<"posts.feed"> };

/** Returns the value to keep; null if the newest posts are not on the page. */
export function feedOf(state: State, nowMs: number): Feed | null {
  const { phase, me } = state.session;
  const view = state.views[feedView(null)];
  if (phase !== "signed-in" || me === null || view?.status !== "ready" || view.topCut !== null) return null;
  const posts = view.ids
    .flatMap((id) => state.posts[id] ?? [])
    .filter((post) => !post.removed)
    .slice(0, POSTS_MAX)
    .map(
      ({
        editedAt: _e,
        voteAt: _v,
        savedAt: _s,
        positiveAt: _p,
        countAt: _c,
        confirmedAt: _a,
        thereAt: _t,
        removed: _r,
        groupGone: _g,
        thread,
        ...post
      }) => ({
        ...post,
        first_comments: thread.slice(0, 2).flatMap((id) => state.comments[id] ?? []),
      }),
    ) satisfies PostView[];
  const comments = posts.flatMap((post) => post.first_comments);
  const people = new Set([
    ...posts.map((post) => post.author_id),
    ...comments.flatMap((comment) => [comment.author_id, ...mentioned(comment.text)]),
  ]);
  const groups = new Set(
    posts.flatMap(({ audience }) =>
      audience.type === "group" && audience.group_id !== null ? [audience.group_id] : [],
    ),
  );
  return {
    me,
    savedMs: nowMs,
    page: {
      posts,
      users: [...people].flatMap((id) => state.users[id] ?? []),
      groups: [...groups].flatMap((id) => {
        const known = state.groups.names[id];
        return known === undefined ? [] : [{ id, name: known.name, owner_id: known.owner_id }];
      }),
      older: null,
      follows_anyone: view.followsAnyone,
      seq: 0,
    },
  };
}

/**
 * Returns the state with the kept feed. Everything that the server sends is newer, and the list is read
 * again.
 */
export function shownFeed(state: State, { page, savedMs }: Feed): State {
  const name = feedView(null);
  const next = loadFirstPage({ ...state, kept: { savedMs } }, name, page);
  const view = next.views[name];
  return view === undefined ? next : setView(next, name, { ...view, stale: true });
}
