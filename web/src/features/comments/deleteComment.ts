import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { loadRefreshed } from "../shared/posts/read";

/** Deletes a comment. Throws if the server refuses. */
export async function deleteComment(postId: Id, commentId: Id): Promise<void> {
  await ask("comments.delete", { key: newKey(), comment_id: commentId });
  // The event usually arrives before the reply. If it did not, the post is read again.
  if (store.getState().comments[commentId] === undefined) return;
  // If this fails too, the event still comes.
  const ok = await ask("posts.refresh", { post_ids: [postId] }).catch(() => null);
  if (ok !== null) update((s) => loadRefreshed(s, ok));
}
