// The storage key of a draft in this browser. It contains the user id, so that another user never sees the
// draft.

export const draftKey = (userId: number): string => `mellow.draft.${String(userId)}`;

export function hasDraft(userId: number): boolean {
  try {
    return localStorage.getItem(draftKey(userId)) !== null;
  } catch {
    return false;
  }
}
