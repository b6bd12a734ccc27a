// Profiles: read one, and make its address for sharing.

import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import { loadProfile } from "../shared/people/profiles";
import type { Id } from "../../engine/state";
import { update } from "../../engine/store";

export const loads = {
  "profiles.get": (state, { profile, seq }) => loadProfile(state, profile, seq),
} satisfies Loads;

/**
 * Reads a profile, which subscribes this connection to it. Throws `not_found` if it does not exist or the
 * viewer may not see it.
 */
export async function readProfile(userId: Id): Promise<void> {
  const ok = await ask("profiles.get", { user_id: userId });
  update((s) => loadProfile(s, ok.profile, ok.seq));
}

export const profileAddress = (userId: Id): string => `${location.origin}/profile/${userId}`;
