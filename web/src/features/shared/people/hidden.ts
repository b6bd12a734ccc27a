// The people whom the viewer muted, as far as this page has read them. Blocked people are gone, like deleted
// accounts.

import type { EventOf } from "../../../engine/frames";
import type { Id, State } from "../../../engine/state";
import { put } from "../../../engine/state";
import type { User } from "../../../engine/types.gen";

declare module "../../../engine/state" {
  interface State {
    hidden: {
      /** Whether the viewer muted a person, by their id. */
      mutes: Record<Id, boolean>;
      /** Whether `mutes` has all people whom the viewer muted. */
      isRead: boolean;
      /** The newest change of whom the viewer blocked or muted. */
      at: number;
    };
  }
}

export const nothingHidden = (): State["hidden"] => ({ mutes: {}, isRead: false, at: 0 });

export const isMuted = (state: State, userId: Id): boolean =>
  state.hidden.mutes[userId] ?? state.profiles[userId]?.muted ?? false;

/** The viewer blocked, unblocked, muted or unmuted somebody, on any device. */
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

/** Applies whom the viewer muted, as it was read. Later changes stay. */
export function mutesRead(state: State, muted: readonly User[], seq: number): State {
  if (seq < state.hidden.at) return state;
  const mutes = Object.fromEntries(muted.map((user) => [user.id, true]));
  return { ...state, hidden: { ...state.hidden, mutes, isRead: true } };
}
