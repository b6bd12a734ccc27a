// Whether this browser keeps something of a person that was not sent. It is asked before the file that knows more is
// fetched, so a person without such things never waits for that file.

const keyOf = (userId: number): string => `mellow.unsent.${userId}`;

export function mayHaveUnsent(userId: number): boolean {
  try {
    return localStorage.getItem(keyOf(userId)) !== null;
  } catch {
    return false;
  }
}

export function flagUnsent(userId: number, has: boolean): void {
  try {
    if (has) localStorage.setItem(keyOf(userId), "1");
    else localStorage.removeItem(keyOf(userId));
  } catch {
    // Without storage nothing is kept either.
  }
}
