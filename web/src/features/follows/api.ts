// Follows: follow and unfollow a user.
//
// Promise: the last press wins, and only one change is in flight at a time.

import { apply } from "../../engine/apply";
import { ask } from "../../engine/client";
import { pend } from "../shared/pending";
import { shownFollowing } from "../shared/people/follows";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

/**
 * Follows the user, or unfollows one who is followed. Returns whether the user is followed now. Throws a
 * RefusedError.
 */
export async function pressFollow(userId: Id): Promise<boolean> {
  return follow(userId, !shownFollowing(store.getState(), userId));
}

/** Sends a follow or an unfollow, or resends one of an earlier page. Throws a RefusedError. */
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
