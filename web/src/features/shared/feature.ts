import { defineFeature } from "../../engine/feature";
import "./kept";
import { nothingPending } from "./pending";

export const pending = defineFeature({
  initial: () => ({ pending: nothingPending(), kept: null, notSent: [] }),
  // The server has said who this is: nothing on screen is only what was kept.
  signedIn: (state) => (state.kept === null ? state : { ...state, kept: null }),
});
