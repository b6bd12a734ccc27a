// The login hint: the id of the account that was last logged in here. It is not secret. It only says whether
// a request to the server is useful.

export const HINT = "mellow.signed-in";

/**
 * Stored instead of the hint when its login has ended. Nobody is signed in, and pages with typed text stay.
 */
const OVER = "over";

/**
 * The key that is written when the same account logs in again. The hint does not change then, so it sends no
 * event.
 */
export const LOGGED_IN = "mellow.entered";

export function readHint(): string | null {
  try {
    const held = localStorage.getItem(HINT);
    return held === OVER ? null : held;
  } catch {
    return null;
  }
}

/** Returns whether the hint was removed because its login ended, not because of a log-out. */
export function hasLoginEnded(): boolean {
  try {
    return localStorage.getItem(HINT) === OVER;
  } catch {
    return false;
  }
}

export function writeHint(id: string | null): void {
  try {
    if (id === null) localStorage.removeItem(HINT);
    else if (localStorage.getItem(HINT) !== id) localStorage.setItem(HINT, id);
  } catch {
    // Storage may be forbidden. Then the user logs in again at the next visit.
  }
}

export const writeLoginEnded = (): void => writeHint(OVER);

export function writeLoggedIn(): void {
  try {
    localStorage.setItem(LOGGED_IN, String(Date.now()));
  } catch {
    // Without storage tabs cannot notify one another.
  }
}
