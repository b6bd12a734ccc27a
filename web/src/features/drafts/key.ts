// Where a person's draft lies in this browser. One each, under the person's id: the next one never sees it.

export const draftKey = (userId: number): string => `mellow.draft.${String(userId)}`;

export function hasDraft(userId: number): boolean {
  try {
    return localStorage.getItem(draftKey(userId)) !== null;
  } catch {
    return false;
  }
}
