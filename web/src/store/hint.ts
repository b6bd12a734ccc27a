// The hint: whose login this browser last had. It is no secret, and only says whether asking is worth it.

export const HINT = "mellow.signed-in";

export function readHint(): string | null {
  try {
    return localStorage.getItem(HINT);
  } catch {
    return null;
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
