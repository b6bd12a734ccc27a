// What this browser kept for the person, as far as it is on screen.

import type { Op } from "../../engine/frames";

/** What was asked without a network and did not go out: the words, and why. */
export type NotSent = { key: string; op: Op; text: string; reason: string };

declare module "../../engine/state" {
  interface State {
    /** The page was opened without a network; null: the server is there, or was. `savedMs` null: no feed was kept. */
    kept: { savedMs: number | null } | null;
    /** Oldest first. */
    notSent: NotSent[];
  }
}
