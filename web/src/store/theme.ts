// Today's theme: one for everybody here.
//
// Promise: it is the one that was told last, by whichever way it came (page, reply, event).

import type { Theme } from "../wire/types.gen";
import type { State } from "./state";

/** `at` is the seq it is known as of; 0: the server has not been asked. */
export type TodaysTheme = { now: Theme | null; at: number };

export const noTheme = (): TodaysTheme => ({ now: null, at: 0 });

/** This is the theme as of `seq`; null: there is none. */
export function themeKnown(state: State, now: Theme | null, seq: number): State {
  return seq < state.theme.at ? state : { ...state, theme: { now, at: seq } };
}
