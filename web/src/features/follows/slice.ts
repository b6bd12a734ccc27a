// Following: one person's wish to read another.
//
// Promise: the last press wins; one change is in flight at a time.

import { followChanged } from "../../store/apply";
import { ask } from "../../store/client";
import { pend, shownFollowing } from "../../store/pending";
import type { Id } from "../../store/state";
import { store, update } from "../../store/store";
import { newKey } from "../../wire/keys";

/** Follows or unfollows and answers with what is true now. Throws when the server refused. */
export async function pressFollow(userId: Id): Promise<boolean> {
  const following = !shownFollowing(store.getState(), userId);
  update((s) => pend(s, "follows", userId, following));
  try {
    const ok = await ask("follows.set", { key: newKey(), user_id: userId, following });
    update((s) => pend(followChanged(s, ok.user_id, ok.following, ok.seq), "follows", userId, null));
    return ok.following;
  } catch (error) {
    update((s) => pend(s, "follows", userId, null));
    throw error;
  }
}
