// The hint: whose login this browser last had. It is no secret, and only says whether asking is worth it.

export const HINT = "mellow.signed-in";

/** In the hint's place when the login it spoke of proved over: nobody is in, and pages with words on them stay. */
const OVER = "over";

/** Written when the same person logs in again: other tabs hear of what changes, and the hint does not. */
export const ENTERED = "mellow.entered";

export function readHint(): string | null {
  try {
    const held = localStorage.getItem(HINT);
    return held === OVER ? null : held;
  } catch {
    return null;
  }
}

/** Whether the hint was taken away because its login is over, and not because somebody logged out. */
export function isHintOver(): boolean {
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
    // Storage may be forbidden: then the person logs in again at the next visit.
  }
}

export const writeHintOver = (): void => writeHint(OVER);

export function writeEntered(): void {
  try {
    localStorage.setItem(ENTERED, String(Date.now()));
  } catch {
    // Without storage no tab knows of another.
  }
}
