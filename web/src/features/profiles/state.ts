// The open edit of the viewer's own profile. It is dropped when the account changes.

import { defineFeature } from "../../engine/feature";
import type { Color } from "../../engine/types.gen";

declare module "../../engine/state" {
  interface State {
    profileEdit: ProfileEdit | null;
  }
}

/** An untouched field is null and follows the profile. */
export type ProfileEdit = { name: string | null; bio: string | null; from: Color | null; to: Color | null };

export const profileEdit = defineFeature({ initial: () => ({ profileEdit: null }) });
