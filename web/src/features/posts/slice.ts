// Posts: write one, delete one, read one.
//
// Promise: a post is sent with one key, made once for what was composed, so it stands once however
// often it was sent.

import { postDeleted } from "../../store/apply";
import { ask } from "../../store/client";
import { loadOwnPost, loadPosts, loadRefreshed } from "../../store/load";
import type { Id } from "../../store/state";
import { store, update } from "../../store/store";
import { tidyLine, tidyTag, tidyText } from "../../store/words";
import { newKey } from "../../wire/keys";
import type { PostView } from "../../wire/types.gen";

export const TITLE_CHARS_MAX = 100;
export const TEXT_CHARS_MAX = 2_000;
export const TAG_CHARS_MAX = 30;

export type Words = { title: string; text: string; tag: string };

/** One composed post: the same words keep the same key, so pressing again after a lost answer posts once. */
export class Composed {
  private key = newKey();
  private sent = "";

  async post(words: Words): Promise<PostView> {
    const fields = {
      title: tidyLine(words.title) || null,
      text: tidyText(words.text),
      tag: tidyTag(words.tag) || null,
      audience: { type: "public" as const },
    };
    const body = JSON.stringify(fields);
    if (this.sent !== "" && this.sent !== body) this.key = newKey();
    this.sent = body;
    const ok = await ask("posts.create", { key: this.key, ...fields });
    update((s) => loadOwnPost(s, ok.post, ok.users, ok.seq));
    // Writing a post is not reading it: only a read begins to listen.
    ask("posts.refresh", { post_ids: [ok.post.id] }).then(
      (fresh) => update((s) => loadRefreshed(s, fresh.posts, fresh.users, fresh.gone, fresh.seq)),
      () => undefined,
    );
    return ok.post;
  }
}

/** Reads one post for its own page. Throws `not_found` when there is none to see. */
export async function readPost(postId: Id): Promise<void> {
  const ok = await ask("posts.get", { post_id: postId });
  update((s) => loadPosts(s, [ok.post], ok.users, ok.seq));
}

/** Deletes a post with everything below it. Throws when the server refused. */
export async function deletePost(postId: Id): Promise<void> {
  const ok = await ask("posts.delete", { key: newKey(), post_id: postId });
  if (store.getState().posts[postId] !== undefined) update((s) => postDeleted(s, postId, ok.seq));
}

/** The address of a post, whole, for sharing. */
export const postAddress = (postId: Id): string => `${location.origin}/post/${postId}`;
