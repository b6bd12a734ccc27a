// The part of the state for data that this browser keeps.

import type { Op } from "../../engine/frames";

/** A request that was made without a network and could not be sent later: its text, and the reason. */
export type NotSent = { key: string; op: Op; text: string; reason: string };

declare module "../../engine/state" {
  interface State {
    /**
     * Set if the page was opened without a network; null after the server was reached. `savedMs` null: no
     * kept feed.
     */
    kept: { savedMs: number | null } | null;
    /** Requests that could not be sent, the oldest first. */
    notSent: NotSent[];
  }
}
