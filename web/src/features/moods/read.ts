// Puts moods that were read into the state, and drops moods that have expired.

import type { Day } from "../../engine/types.gen";
import type { Ok } from "../../engine/frames";
import { setMoods, latestFirst } from "./state";
import { storeUsers, isGone } from "../shared/people/people";
import type { State } from "../../engine/state";
import { asRead } from "../../engine/state";

const HOUR = 3_600_000;

/** Applies a read list. Moods of later events stay. */
export function loadMoods(state: State, { mine, moods, users, seq }: Ok<"moods.today">): State {
  const { list, asOf } = state.moods;
  const at = asRead(seq);
  if (at < asOf) return state;
  const later = list.filter((one) => one.at > at);
  const read = moods.filter(({ user_id }) => {
    const follow = state.follows[user_id];
    const isLeft = follow !== undefined && follow.at > at && !follow.following;
    return !isLeft && !isGone(state, user_id) && !later.some((one) => one.user_id === user_id);
  });
  const all = latestFirst([...later, ...read.map((mood) => ({ ...mood, at }))]);
  return setMoods(dayKnown(storeUsers(state, users, seq), mine, at), {
    list: all,
    status: "ready",
    asOf: at,
  });
}

/** Applies the viewer's own day. */
export function dayKnown(state: State, mine: Day, at: number): State {
  return at < state.moods.mineAt ? state : setMoods(state, { mine, mineAt: at });
}

/** Returns the first midnight of a listed user; null if nobody is listed. */
export function nextExpiry(state: State): number | null {
  const { list } = state.moods;
  return list.length === 0 ? null : Math.min(...list.map((one) => one.expires_at_ms));
}

/** Drops moods that have expired by the server's clock. */
export function dropExpired(state: State, now: number): State {
  const left = state.moods.list.filter((one) => one.expires_at_ms > now);
  return left.length === state.moods.list.length ? state : setMoods(state, { list: left });
}

/** Begins the next slot if the current one is over by the server's clock. The server confirms it later. */
export function slotOver(state: State, now: number): State {
  const { mine } = state.moods;
  if (mine === null || mine.slot_ends_at_ms > now) return state;
  const isNewDay = mine.slot === "evening";
  const day: Day = isNewDay
    ? {
        slot: "morning",
        slot_ends_at_ms: mine.slot_ends_at_ms + 15 * HOUR,
        open: true,
        morning: null,
        evening: null,
      }
    : {
        ...mine,
        slot: "evening",
        slot_ends_at_ms: mine.slot_ends_at_ms + 9 * HOUR,
        open: mine.evening === null,
      };
  return setMoods(state, { mine: day });
}
