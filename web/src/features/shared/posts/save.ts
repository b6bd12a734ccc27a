// Saves a post, or removes it from the saved ones.

import { apply } from "../../../engine/apply";
import { ask } from "../../../engine/client";
import { newKey } from "../../../engine/keys";
import type { Id } from "../../../engine/state";
import { update } from "../../../engine/store";

/** Sets whether the viewer has saved a post. Throws a RefusedError. */
export async function save(postId: Id, saved: boolean): Promise<void> {
  const ok = await ask("saved.set", { key: newKey(), post_id: postId, saved });
  update((s) => apply(s, { ev: "saved.changed", ...ok }));
}
