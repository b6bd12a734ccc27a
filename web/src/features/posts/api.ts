// Posts: read one and delete one. publish.ts creates posts, and shared/posts/lists.ts reads lists of them.

import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import type { Ok } from "../../engine/frames";
import type { Page } from "../shared/posts/read";
import { loadFirstPage, loadOlderPage, loadPosts, loadRefreshed } from "../shared/posts/read";
import { postDeleted } from "../shared/posts/posts";
import { SAVED_VIEW, authorView, feedView, foundView, groupView } from "../shared/posts/types";
import type { Id, State } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

export const TITLE_CHARS_MAX = 100;
export const TEXT_CHARS_MAX = 2_000;
export const TAG_CHARS_MAX = 30;
export const CONTENT_NOTE_CHARS_MAX = 60;

export const loads = {
  "posts.feed": (state, page, { tag, before }) => loadPage(state, feedView(tag), page, before),
  "posts.by_author": (state, page, { user_id, before }) => loadPage(state, authorView(user_id), page, before),
  "posts.by_group": (state, page, { group_id, before }) => loadPage(state, groupView(group_id), page, before),
  "posts.saved": (state, page, { before }) => loadPage(state, SAVED_VIEW, page, before),
  "posts.search": (state, page, { term, before }) => loadPage(state, foundView(term), page, before),
  "posts.get": loadPost,
  "posts.refresh": loadRefreshed,
} satisfies Loads;

const loadPage = (state: State, name: string, page: Page, before: Id | null): State =>
  before === null ? loadFirstPage(state, name, page) : loadOlderPage(state, name, page);

function loadPost(state: State, { post, ...read }: Ok<"posts.get">): State {
  return loadPosts(state, { ...read, posts: [post] });
}

/** Reads one post for its own page. Throws `not_found` if it does not exist or the viewer may not see it. */
export async function readPost(postId: Id): Promise<void> {
  const ok = await ask("posts.get", { post_id: postId });
  update((s) => loadPost(s, ok));
}

/** Deletes a post with its comments. Throws a RefusedError. */
export async function deletePost(postId: Id): Promise<void> {
  const ok = await ask("posts.delete", { key: newKey(), post_id: postId });
  if (store.getState().posts[postId] !== undefined) update((s) => postDeleted(s, postId, ok.seq));
}

/** Returns the whole address of a post, for sharing. */
export const postAddress = (postId: Id): string => `${location.origin}/post/${postId}`;
