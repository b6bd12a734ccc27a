import { defineFeature } from "../../engine/feature";
import { noTheme, themeKnown } from "./state";

export const theme = defineFeature({
  initial: () => ({ theme: noTheme() }),
  on: { "theme.changed": (state, event) => themeKnown(state, event.theme, event.seq) },
  forgetSeqs: (state) => ({ theme: { ...state.theme, at: 0 } }),
});
