// Following: one person's wish to read another.
//
// Promise: the last press wins; one change is in flight at a time.

import { followChanged } from "../../store/apply";
import { ask } from "../../store/client";
import { pend, shownFollowing } from "../../store/pending";
import { holdUsers } from "../../store/people";
import type { Id } from "../../store/state";
import { store, update } from "../../store/store";
import { newKey } from "../../wire/keys";
import type { Ok } from "../../wire/frames";
import type { Side } from "../../wire/types.gen";

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

/** One page of the viewer's own followers or followed, newest first. Their names are then known. */
export async function readFollows(side: Side, before: Id | null): Promise<Ok<"follows.page">> {
  const ok = await ask("follows.page", { side, before });
  update((s) => holdUsers(s, ok.users, ok.seq));
  return ok;
}
