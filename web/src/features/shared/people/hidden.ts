// The users whom the viewer muted, as far as this page has read them. Blocked users are treated like deleted
// accounts.

import type { EventOf } from "../../../engine/frames";
import type { Id, State } from "../../../engine/state";
import { put } from "../../../engine/state";
import type { User } from "../../../engine/types.gen";

declare module "../../../engine/state" {
  interface State {
    hidden: {
      /** Whether the viewer muted a user, by id. */
      mutes: Record<Id, boolean>;
      /** Whether `mutes` has all users whom the viewer muted. */
      isRead: boolean;
      /** The seq of the newest block, unblock, mute or unmute. */
      at: number;
    };
  }
}

export const nothingHidden = (): State["hidden"] => ({ mutes: {}, isRead: false, at: 0 });

export const isMuted = (state: State, userId: Id): boolean =>
  state.hidden.mutes[userId] ?? state.profiles[userId]?.muted ?? false;

/** The viewer blocked, unblocked, muted or unmuted a user, on any device. */
export function hiddenChanged(state: State, { user_id, muted, seq }: EventOf<"people.changed">): State {
  if (seq < state.hidden.at) return state;
  const { hidden, profiles } = state;
  const profile = profiles[user_id];
  return {
    ...state,
    hidden: { ...hidden, mutes: put(hidden.mutes, user_id, muted), at: seq },
    profiles: profile === undefined ? profiles : put(profiles, user_id, { ...profile, muted }),
  };
}

/** Applies the list of muted users. Later changes stay. */
export function mutesRead(state: State, muted: readonly User[], seq: number): State {
  if (seq < state.hidden.at) return state;
  const mutes = Object.fromEntries(muted.map((user) => [user.id, true]));
  return { ...state, hidden: { ...state.hidden, mutes, isRead: true } };
}
