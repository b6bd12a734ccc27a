// The open edits of the viewer's posts. They are dropped when the account changes.

import { defineFeature } from "../../engine/feature";
import type { Audience } from "../../engine/types.gen";

declare module "../../engine/state" {
  interface State {
    /** The open edits, by post. */
    edits: Record<Id, Edit>;
  }
}

/**
 * An untouched field is null and follows the post. `since` is the time of the post's last edit before typing
 * began.
 */
export type Edit = {
  title: string | null;
  text: string | null;
  content_note: string | null;
  audience: Audience | null;
  since: number;
};

export const postEdits = defineFeature({ initial: () => ({ edits: {} }) });
