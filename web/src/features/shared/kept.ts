// The kept data of this browser that is on screen.

import type { Op } from "../../engine/frames";

/** A request that was made without a network and not sent: its text, and why. */
export type NotSent = { key: string; op: Op; text: string; reason: string };

declare module "../../engine/state" {
  interface State {
    /** The page was opened without a network; null: the server was reached. `savedMs` null: no feed was kept. */
    kept: { savedMs: number | null } | null;
    /** Oldest first. */
    notSent: NotSent[];
  }
}
