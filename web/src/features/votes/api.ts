// Votes: set or clear the viewer's vote on a post.
//
// Promise: the last press wins, and only one change is in flight at a time. Never: a number for anybody but
// the author.

import { ask } from "../../engine/client";
import { apply } from "../../engine/apply";
import { pend, shownVote } from "../shared/pending";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";
import type { Vote } from "../../engine/types.gen";

/** Returns the vote after a press. A press on the present vote clears it. */
export function nextVote(now: Vote, pressed: "positive" | "negative"): Vote {
  return now === pressed ? "none" : pressed;
}

/** Applies a press, unless one is still being sent. Throws a RefusedError; the old vote is then shown again. */
export async function press(postId: Id, pressed: "positive" | "negative"): Promise<void> {
  const state = store.getState();
  if (postId in state.pending.votes) return;
  await vote(postId, nextVote(shownVote(state, postId), pressed));
}

/** Sends a vote, or resends one of an earlier page. Throws a RefusedError. */
export async function vote(postId: Id, vote: Vote, key = newKey()): Promise<void> {
  update((s) => pend(s, "votes", postId, vote));
  try {
    const ok = await ask("votes.set", { key, post_id: postId, vote });
    update((s) =>
      pend(
        apply(s, { ev: "votes.changed", post_id: ok.post_id, vote: ok.vote, seq: ok.seq }),
        "votes",
        postId,
        null,
      ),
    );
  } catch (error) {
    update((s) => pend(s, "votes", postId, null));
    throw error;
  }
}
