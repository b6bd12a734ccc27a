// Following: follow and unfollow a user.
//
// Promise: the last press wins; one change is in flight at a time.

import { apply } from "../../engine/apply";
import { ask } from "../../engine/client";
import { pend } from "../shared/pending";
import { shownFollowing } from "../shared/people/follows";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

/** Follows or unfollows. Returns what is true now. Throws when the server refused. */
export async function pressFollow(userId: Id): Promise<boolean> {
  return follow(userId, !shownFollowing(store.getState(), userId));
}

/** Sends a follow, or one of an earlier page again. Throws when the server refused. */
export async function follow(userId: Id, following: boolean, key = newKey()): Promise<boolean> {
  update((s) => pend(s, "follows", userId, following));
  try {
    const ok = await ask("follows.set", { key, user_id: userId, following });
    update((s) => pend(apply(s, { ev: "follows.changed", ...ok }), "follows", userId, null));
    return ok.following;
  } catch (error) {
    update((s) => pend(s, "follows", userId, null));
    throw error;
  }
}
