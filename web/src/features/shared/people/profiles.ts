// The profiles on screen, with the numbers of followers and followed people.
//
// Promise: a reply that was read earlier never overwrites a later event.

import { apply } from "../../../engine/apply";
import type { EventOf } from "../../../engine/frames";
import type { State } from "../../../engine/state";
import { asRead, put } from "../../../engine/state";
import type { Profile, ProfileView } from "../../../engine/types.gen";
import { storeUsers, isGone } from "./people";

declare module "../../../engine/state" {
  interface State {
    profiles: Record<Id, ProfileEntry>;
  }
}

export type ProfileEntry = ProfileView & { asOf: number; countedAt: number };

/**
 * A profile changed. Numbers that its owner hides are null in the event, and the owner keeps the known ones.
 */
export function profileChanged(state: State, profile: Profile, seq: number): State {
  const held = state.profiles[profile.id];
  const next = storeUsers(state, [profile], seq);
  if (held === undefined || seq < held.asOf) return next;
  const { followers_count, following_count, countedAt } = held;
  const keeps = countedAt > seq || (profile.followers_count === null && next.session.me?.id === profile.id);
  const counts = keeps ? { followers_count, following_count, countedAt } : { countedAt: seq };
  return { ...next, profiles: put(next.profiles, profile.id, { ...held, ...profile, ...counts, asOf: seq }) };
}

export function profileCounted(state: State, event: EventOf<"profiles.counted">): State {
  const { user_id, followers_count, following_count, seq: countedAt } = event;
  const profile = state.profiles[user_id];
  if (profile === undefined || countedAt < profile.countedAt) return state;
  return {
    ...state,
    profiles: put(state.profiles, user_id, { ...profile, followers_count, following_count, countedAt }),
  };
}

/** Applies a profile that was read. */
export function loadProfile(state: State, profile: ProfileView, seq: number): State {
  const at = asRead(seq);
  const held = state.profiles[profile.id];
  if (isGone(state, profile.id) || (held !== undefined && held.asOf > at)) return state;
  const entry = { ...profile, asOf: at, countedAt: at };
  if (held !== undefined && held.countedAt > at)
    Object.assign(entry, {
      followers_count: held.followers_count,
      following_count: held.following_count,
      countedAt: held.countedAt,
    });
  const next = storeUsers({ ...state, profiles: put(state.profiles, profile.id, entry) }, [profile], seq);
  const known = next.follows[profile.id];
  if (known === undefined)
    return { ...next, follows: put(next.follows, profile.id, { following: profile.followed, at }) };
  return known.following === profile.followed
    ? next
    : apply(next, { ev: "follows.changed", user_id: profile.id, following: profile.followed, seq: at });
}
