// Sends a request of an earlier page again, with its key, and shows it as pending meanwhile.

import type { Fields } from "../../engine/frames";
import { comment } from "../../features/comments/api";
import { follow } from "../../features/follows/api";
import { share } from "../../features/moods/api";
import { create } from "../../features/posts/publish";
import { vote } from "../../features/votes/api";
import { hexOf } from "../../features/shared/postDraft";
import { browserStorage, readDraft } from "../../features/drafts/draft";
import { store } from "../../engine/store";
import type { KeptOp } from "./kept";
import { forgetDraftOf } from "../compose/forgetDraft";

/** Throws a RefusedError. */
export async function sendAgain(op: KeptOp, fields: Fields<KeptOp>): Promise<void> {
  if (op === "comments.create") {
    const { post_id, text, key } = fields as Fields<typeof op>;
    await comment("card", post_id, text, key);
  } else if (op === "votes.set") {
    const { post_id, vote: value, key } = fields as Fields<typeof op>;
    await vote(post_id, value, key);
  } else if (op === "follows.set") {
    const { user_id, following, key } = fields as Fields<typeof op>;
    await follow(user_id, following, key);
  } else if (op === "moods.set") await share(fields as Fields<typeof op>);
  else if (op === "posts.create") await post(fields as Fields<typeof op>);
}

/** Its draft waited with it: whether it stands now or waits under Not sent, the draft is of the past. */
async function post(fields: Fields<"posts.create">): Promise<void> {
  const userId = store.getState().session.me?.id;
  try {
    await create(fields);
  } finally {
    const isItsDraft =
      userId !== undefined && readDraft(browserStorage, userId)?.asked?.key === hexOf(fields.key);
    if (isItsDraft) forgetDraftOf(userId);
  }
}
