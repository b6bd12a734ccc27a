// Posts: read one, delete one. publish.ts creates posts.

import { ask } from "../../engine/client";
import { loadPosts } from "../shared/posts/read";
import { postDeleted } from "../shared/posts/posts";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

export const TITLE_CHARS_MAX = 100;
export const TEXT_CHARS_MAX = 2_000;
export const TAG_CHARS_MAX = 30;

/** Reads one post for its own page. Throws `not_found` when there is none to see. */
export async function readPost(postId: Id): Promise<void> {
  const ok = await ask("posts.get", { post_id: postId });
  update((s) => loadPosts(s, { ...ok, posts: [ok.post] }));
}

/** Deletes a post with everything below it. Throws when the server refused. */
export async function deletePost(postId: Id): Promise<void> {
  const ok = await ask("posts.delete", { key: newKey(), post_id: postId });
  if (store.getState().posts[postId] !== undefined) update((s) => postDeleted(s, postId, ok.seq));
}

/** The address of a post, whole, for sharing. */
export const postAddress = (postId: Id): string => `${location.origin}/post/${postId}`;
