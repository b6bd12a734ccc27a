// Profiles: read one, and its address for sharing.

import { ask } from "../../store/client";
import { loadProfile } from "../../store/load";
import type { Id } from "../../store/state";
import { update } from "../../store/store";

/** Reads a profile and begins to listen to it. Throws `not_found` when there is none to see. */
export async function readProfile(userId: Id): Promise<void> {
  const ok = await ask("profiles.get", { user_id: userId });
  update((s) => loadProfile(s, ok.profile, ok.seq));
}

export const profileAddress = (userId: Id): string => `${location.origin}/profile/${userId}`;
