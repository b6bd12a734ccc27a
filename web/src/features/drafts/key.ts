// The storage key of a draft in this browser. It contains the user id, so that another user never sees the
// draft.

import { local } from "../../storage";

export const draftKey = (userId: number): string => `mellow.draft.${String(userId)}`;

export const hasDraft = (userId: number): boolean => local.getItem(draftKey(userId)) !== null;
