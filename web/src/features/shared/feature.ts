// The parts of the state for pending changes and for data that this browser keeps. A log-out empties them.

import { defineFeature } from "../../engine/feature";
import "./kept";
import { nothingPending } from "./pending";

export const pending = defineFeature({
  initial: () => ({ pending: nothingPending(), kept: null, notSent: [] }),
  // The server has sent the viewer, so the screen no longer shows kept data.
  signedIn: (state) => (state.kept === null ? state : { ...state, kept: null }),
});
