// Profiles: read one, and its address for sharing.

import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import { loadProfile } from "../shared/people/profiles";
import type { Id } from "../../engine/state";
import { update } from "../../engine/store";

export const loads = {
  "profiles.get": (state, { profile, seq }) => loadProfile(state, profile, seq),
} satisfies Loads;

/** Reads a profile and begins to listen to it. Throws `not_found` when there is none to see. */
export async function readProfile(userId: Id): Promise<void> {
  const ok = await ask("profiles.get", { user_id: userId });
  update((s) => loadProfile(s, ok.profile, ok.seq));
}

export const profileAddress = (userId: Id): string => `${location.origin}/profile/${userId}`;
