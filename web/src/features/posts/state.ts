// Edits of the viewer's posts that are under way. They are dropped when the account changes.

import { defineFeature } from "../../engine/feature";
import type { Audience } from "../../engine/types.gen";

declare module "../../engine/state" {
  interface State {
    /** By post. */
    edits: Record<Id, Edit>;
  }
}

/** A field that was not touched is null and follows the post; `since` is the post's last edit when the first key was pressed. */
export type Edit = { title: string | null; text: string | null; audience: Audience | null; since: number };

export const postEdits = defineFeature({ initial: () => ({ edits: {} }) });
