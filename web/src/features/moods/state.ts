// The moods of the people whom the viewer follows, and the viewer's own day.
//
// Promises: a list that was read earlier never overwrites a mood of a later event. The mood of a user who is
// no longer followed, or whose account was deleted, is removed at once. No moods are held while no screen
// shows them.

import { defineFeature } from "../../engine/feature";
import type { Day, Mood } from "../../engine/types.gen";
import type { EventOf } from "../../engine/frames";
import { isGone, storeUsers } from "../shared/people/people";
import { mayBeFollowed, isNewestFollow } from "../shared/people/follows";
import type { Id, State } from "../../engine/state";

/** The view that a screen with moods registers. */
export const MOODS_VIEW = "moods";

/** `at`: the seq as of which the mood is known. */
export type HeldMood = Mood & { at: number };

export type Moods = {
  /** The viewer's own day; null until it is read. */
  mine: Day | null;
  mineAt: number;
  /** The newest mood is first. */
  list: HeldMood[];
  status: "none" | "loading" | "ready" | "failed";
  /** The list must be read again, because the mood of a newly followed user is unknown. */
  stale: boolean;
  asOf: number;
  /**
   * The word of the viewer's own mood that is being sent. It is final, so no other mood can be picked
   * meanwhile.
   */
  sending: string | null;
};

declare module "../../engine/state" {
  interface State {
    moods: Moods;
  }
}

export const noMoods = (): Moods => ({
  mine: null,
  mineAt: 0,
  list: [],
  status: "none",
  stale: false,
  asOf: 0,
  sending: null,
});

/** Changes the moods of the state. */
export function setMoods(state: State, changes: Partial<Moods>): State {
  return { ...state, moods: { ...state.moods, ...changes } };
}

/** Sorts moods, the newest first. */
export const latestFirst = (moods: HeldMood[]): HeldMood[] =>
  moods.sort((a, b) => b.made_at_ms - a.made_at_ms || b.user_id - a.user_id);

export function moodChanged(state: State, { mood, users, seq }: EventOf<"moods.changed">): State {
  const { status, mine, mineAt, list, asOf } = state.moods;
  if (status === "none") return state;
  const { user_id, morning, evening } = mood;
  if (user_id === state.session.me?.id) {
    if (mine === null || seq < mineAt) return state;
    const isSet = (mine.slot === "morning" ? morning : evening) !== null;
    return setMoods(state, { mine: { ...mine, morning, evening, open: mine.open && !isSet }, mineAt: seq });
  }
  const isOld = seq < asOf || list.some((one) => one.user_id === user_id && one.at > seq);
  if (isOld || isGone(state, user_id) || !mayBeFollowed(state, user_id)) return state;
  const others = list.filter((one) => one.user_id !== user_id);
  return setMoods(storeUsers(state, users, seq), { list: latestFirst([{ ...mood, at: seq }, ...others]) });
}

/** Applies a follow or an unfollow. */
export function moodsOfFollowed(state: State, userId: Id, following: boolean): State {
  const { status, list } = state.moods;
  if (status === "none") return state;
  return setMoods(
    state,
    following ? { stale: true } : { list: list.filter((one) => one.user_id !== userId) },
  );
}

export const moods = defineFeature({
  initial: () => ({ moods: noMoods() }),
  on: {
    "moods.changed": moodChanged,
    "follows.changed": (state, event) =>
      isNewestFollow(state, event) && event.seq >= state.moods.asOf
        ? moodsOfFollowed(state, event.user_id, event.following)
        : state,
    "people.changed": (state, { user_id, muted }) => moodsOfFollowed(state, user_id, !muted),
    "users.deleted": (state, { user_id }) => moodsOfFollowed(state, user_id, false),
  },
  evict: (state, shown) => {
    if (state.moods.status === "none" || shown.views.has(MOODS_VIEW)) return state;
    // A mood that is being sent is kept until the reply.
    return { ...state, moods: { ...noMoods(), sending: state.moods.sending } };
  },
  forgetSeqs: ({ moods: held }) => ({
    moods: { ...held, asOf: 0, mineAt: 0, list: held.list.map((one) => ({ ...one, at: 0 })) },
  }),
});
