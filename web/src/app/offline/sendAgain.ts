// Sends a request of an earlier page again, with the same key. It is shown as pending meanwhile.

import type { Fields } from "../../engine/frames";
import { comment } from "../../features/comments/api";
import { follow } from "../../features/follows/api";
import { share } from "../../features/moods/api";
import { create } from "../../features/posts/publish";
import { vote } from "../../features/votes/api";
import { hexOf } from "../../features/shared/postDraft";
import { store } from "../../engine/store";
import type { KeptOp } from "./offlineData";
import { forgetSentDraft } from "../compose/forgetDraft";

/** Throws a RefusedError if the server refuses it. */
export async function sendAgain(op: KeptOp, fields: Fields<KeptOp>): Promise<void> {
  if (op === "comments.create") {
    const { post_id, text, key, audience } = fields as Fields<typeof op>;
    await comment("card", post_id, text, { key, audience });
  } else if (op === "votes.set") {
    const { post_id, vote: value, key } = fields as Fields<typeof op>;
    await vote(post_id, value, key);
  } else if (op === "follows.set") {
    const { user_id, following, key } = fields as Fields<typeof op>;
    await follow(user_id, following, key);
  } else if (op === "moods.set") await share(fields as Fields<typeof op>);
  else if (op === "posts.create") await post(fields as Fields<typeof op>);
}

/** Sends a post. Its draft is no longer needed, because the post is kept as a request meanwhile. */
async function post(fields: Fields<"posts.create">): Promise<void> {
  const userId = store.getState().session.me?.id;
  if (userId !== undefined) forgetSentDraft(userId, hexOf(fields.key));
  await create(fields);
}
