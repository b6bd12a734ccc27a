// The viewer's invitations.
//
// Promise: a reply that was read earlier never overwrites a later event.

import { defineFeature } from "../../../engine/feature";
import type { State } from "../../../engine/state";
import type { Invite } from "../../../engine/types.gen";

declare module "../../../engine/state" {
  interface State {
    /** The newest invitation is first; null if not read yet. */
    invites: { list: Invite[] | null; at: number };
  }
}

export const noInvites = (): State["invites"] => ({ list: null, at: 0 });

export function invitesKnown(state: State, list: Invite[], at: number): State {
  return at < state.invites.at ? state : { ...state, invites: { list, at } };
}

export const invites = defineFeature({
  initial: () => ({ invites: noInvites() }),
  on: { "invites.changed": (state, event) => invitesKnown(state, event.invites, event.seq) },
  forgetSeqs: (state) => ({ invites: { ...state.invites, at: 0 } }),
});
