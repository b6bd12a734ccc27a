// The follows of the viewer, as far as this page has read them.

import type { EventOf } from "../../../engine/frames";
import type { Id, State } from "../../../engine/state";
import { asRead, put } from "../../../engine/state";

declare module "../../../engine/state" {
  interface State {
    follows: Record<Id, FollowEntry>;
  }
}

export type FollowEntry = { following: boolean; at: number };

export function shownFollowing(state: State, userId: Id): boolean {
  return state.pending.follows[userId] ?? state.follows[userId]?.following ?? false;
}

/**
 * Returns false if the viewer is known not to follow this user. An unknown user counts as followed, because
 * the server sends only events of users who are followed or on screen.
 */
export function mayBeFollowed(state: State, userId: Id): boolean {
  return state.pending.follows[userId] ?? state.follows[userId]?.following ?? true;
}

/** The viewer followed or unfollowed a user. */
export function followChanged(state: State, { user_id, following, seq }: EventOf<"follows.changed">): State {
  const held = state.follows[user_id];
  if (held !== undefined && seq < held.at) return state;
  const next: State = { ...state, follows: put(state.follows, user_id, { following, at: seq }) };
  const profile = next.profiles[user_id];
  if (profile === undefined || profile.followed === following) return next;
  return { ...next, profiles: put(next.profiles, user_id, { ...profile, followed: following }) };
}

/** Applies which of these users the viewer follows, as read at `seq`. */
export function storeFollows(
  state: State,
  people: readonly { id: Id; followed: boolean }[],
  seq: number,
): State {
  return people.reduce(
    (next, { id, followed }) =>
      shownFollowing(next, id) === followed && next.follows[id] !== undefined
        ? next
        : followChanged(next, { ev: "follows.changed", user_id: id, following: followed, seq: asRead(seq) }),
    state,
  );
}

/** Returns whether this event is the newest one about the follow. An older event changes nothing. */
export const isNewestFollow = (state: State, { user_id, seq }: EventOf<"follows.changed">): boolean =>
  state.follows[user_id]?.at === seq;
