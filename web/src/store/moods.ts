// Moods: what the people one follows feel today, and the viewer's own day.
//
// Promises: a mood told later is never overwritten by a list that was read earlier; whoever is no longer
// followed, or is no more, is gone from the list at once. None is held while no screen shows them.

import type { Day, Mood } from "../wire/types.gen";
import type { EventOf } from "../wire/frames";
import { isGone, holdUsers } from "./people";
import { mayBeFollowed } from "./pending";
import type { Id, State } from "./state";

/** What a screen holds while it shows them. */
export const MOODS_VIEW = "moods";

/** `at`: as of when it is known. */
export type HeldMood = Mood & { at: number };

export type Moods = {
  /** The viewer's own day; null until it was read. */
  mine: Day | null;
  mineAt: number;
  /** Whoever shared last comes first. */
  list: HeldMood[];
  status: "none" | "loading" | "ready" | "failed";
  /** Somebody is followed whose mood is not known: read again. */
  stale: boolean;
  asOf: number;
  /** The viewer's own that is on its way: the word. It is final, so no other is picked meanwhile. */
  sending: string | null;
};

export const noMoods = (): Moods => ({ mine: null, mineAt: 0, list: [], status: "none", stale: false, asOf: 0, sending: null });

/** Changes the slice. */
export function feel(state: State, changes: Partial<Moods>): State {
  return { ...state, moods: { ...state.moods, ...changes } };
}

/** Whoever shared last first. */
export const latestFirst = (moods: HeldMood[]): HeldMood[] => moods.sort((a, b) => b.made_at_ms - a.made_at_ms || b.user_id - a.user_id);

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
  return feel(holdUsers(state, users, seq), { list: latestFirst([{ ...mood, at: seq }, ...others]) });
}

/** Somebody is followed or no longer is. */
export function moodsOfFollowed(state: State, userId: Id, following: boolean): State {
  const { status, list } = state.moods;
  if (status === "none") return state;
  return feel(state, following ? { stale: true } : { list: list.filter((one) => one.user_id !== userId) });
}
