import { defineFeature } from "../../../engine/feature";
import { invitesKnown, noInvites } from "./state";

export const invites = defineFeature({
  initial: () => ({ invites: noInvites() }),
  on: { "invites.changed": (state, event) => invitesKnown(state, event.invites, event.seq) },
  forgetSeqs: (state) => ({ invites: { ...state.invites, at: 0 } }),
});
