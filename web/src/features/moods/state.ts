// Moods of the people the viewer follows, and the viewer's own day.
//
// Promises: a mood of a later event is never overwritten by a list that was read earlier; the mood of a
// person who is no longer followed, or whose account is deleted, is removed at once. No moods are held while
// no screen shows them.

import { defineFeature } from "../../engine/feature";
import type { Day, Mood } from "../../engine/types.gen";
import type { EventOf } from "../../engine/frames";
import { isGone, storeUsers } from "../shared/people/people";
import { mayBeFollowed, isNewestFollow } from "../shared/people/follows";
import type { Id, State } from "../../engine/state";

/** What a screen holds while it shows them. */
export const MOODS_VIEW = "moods";

/** `at`: as of when it is known. */
export type HeldMood = Mood & { at: number };

export type Moods = {
  /** The viewer's own day; null until it was read. */
  mine: Day | null;
  mineAt: number;
  /** The newest comes first. */
  list: HeldMood[];
  status: "none" | "loading" | "ready" | "failed";
  /** A newly followed user's mood is not known: read again. */
  stale: boolean;
  asOf: number;
  /** The viewer's own that is on its way: the word. It is final, so no other is picked meanwhile. */
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

/** Changes the slice. */
export function feel(state: State, changes: Partial<Moods>): State {
  return { ...state, moods: { ...state.moods, ...changes } };
}

/** The newest first. */
export const latestFirst = (moods: HeldMood[]): HeldMood[] =>
  moods.sort((a, b) => b.made_at_ms - a.made_at_ms || b.user_id - a.user_id);

export function moodChanged(state: State, { mood, users, seq }: EventOf<"moods.changed">): State {
  const { status, mine, mineAt, list, asOf } = state.moods;
  if (status === "none") return state;
  const { user_id, morning, evening } = mood;
  if (user_id === state.session.me?.id) {
    if (mine === null || seq < mineAt) return state;
    const isSet = (mine.slot === "morning" ? morning : evening) !== null;
    return feel(state, { mine: { ...mine, morning, evening, open: mine.open && !isSet }, mineAt: seq });
  }
  const isOld = seq < asOf || list.some((one) => one.user_id === user_id && one.at > seq);
  if (isOld || isGone(state, user_id) || !mayBeFollowed(state, user_id)) return state;
  const others = list.filter((one) => one.user_id !== user_id);
  return feel(storeUsers(state, users, seq), { list: latestFirst([{ ...mood, at: seq }, ...others]) });
}

/** A follow or unfollow. */
export function moodsOfFollowed(state: State, userId: Id, following: boolean): State {
  const { status, list } = state.moods;
  if (status === "none") return state;
  return feel(state, following ? { stale: true } : { list: list.filter((one) => one.user_id !== userId) });
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
    // A mood on its way stays known until it has arrived.
    return { ...state, moods: { ...noMoods(), sending: state.moods.sending } };
  },
  forgetSeqs: ({ moods: held }) => ({
    moods: { ...held, asOf: 0, mineAt: 0, list: held.list.map((one) => ({ ...one, at: 0 })) },
  }),
});
