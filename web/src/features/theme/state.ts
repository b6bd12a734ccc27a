// Today's theme, which is the same for everybody.
//
// Promise: the theme received last is shown, whether by page, reply or event.

import { defineFeature } from "../../engine/feature";
import type { Theme } from "../../engine/types.gen";
import type { State } from "../../engine/state";

/** `at`: the seq as of which the theme is known; 0 before the server's reply. */
export type TodaysTheme = { now: Theme | null; at: number };

declare module "../../engine/state" {
  interface State {
    theme: TodaysTheme;
  }
}

export const noTheme = (): TodaysTheme => ({ now: null, at: 0 });

/** Sets the theme; null if there is none. */
export function themeKnown(state: State, now: Theme | null, at: number): State {
  return at < state.theme.at ? state : { ...state, theme: { now, at } };
}

export const theme = defineFeature({
  initial: () => ({ theme: noTheme() }),
  on: { "theme.changed": (state, event) => themeKnown(state, event.theme, event.seq) },
  forgetSeqs: (state) => ({ theme: { ...state.theme, at: 0 } }),
});
