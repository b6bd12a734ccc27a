// The login hint: the id of the account that is logged in here. It is not secret, because it only says
// whether a request to the server is useful.
//
// The hint is a cookie that the server sets beside the cookie of the login. Without it the page opens its
// sockets as a guest, so deleting it logs this browser out at once, also without a network (D-A19). Local
// storage has a copy, because only its changes are events in other tabs.

import { local } from "../storage";

export const HINT = "mellow.signed-in";

/** The copy is this when its login has ended. Nobody is signed in, and pages with typed text stay. */
const OVER = "over";
/** The copy is this after a log-out of which the server does not know yet. */
const LEAVING = "leaving";

/**
 * The key that is written when the same account logs in again, because the copy then does not change and so
 * sends no event.
 */
export const LOGGED_IN = "mellow.entered";

const COOKIE = /(?:^|; )((?:__Host-)?mellow-user)=(\d+)/u;

/** The login that another tab announced, until scripts of this tab see its cookie, which may be a little later. */
let announced: string | null = null;

/** Notes what another tab announced. */
export function hear({ key, newValue }: StorageEvent): void {
  if (key === HINT || key === null) announced = idIn(newValue);
  else if (key === LOGGED_IN) announced = idIn(local.getItem(HINT));
}

const idIn = (copy: string | null): string | null => (copy === OVER || copy === LEAVING ? null : copy);

/** Returns the id of the account that is logged in here; null if there is none, as after a log-out. */
export function readHint(): string | null {
  const seen = COOKIE.exec(cookies())?.[2] ?? null;
  if (seen !== null) announced = null;
  return seen ?? announced;
}

/**
 * Returns the hint as another tab announced it. The cookie may reach this tab a little later than the event. Storage
 * that was cleared says nothing.
 */
export function announcedHint(): string | null {
  const copy = local.getItem(HINT);
  return copy === null ? readHint() : idIn(copy);
}

/**
 * Returns whether the hint was removed because its login ended, not because of a log-out. The cookie does not count: in
 * Firefox another tab may still see it when it receives the event.
 */
export const hasLoginEnded = (): boolean => local.getItem(HINT) === OVER;

/**
 * Returns whether this browser has logged out and the server does not know yet. A copy that is an id, without the
 * cookie, means the same: somebody was logged in here until the cookies were deleted.
 */
export function isLeaving(): boolean {
  const copy = local.getItem(HINT);
  return readHint() === null && copy !== null && copy !== OVER;
}

/** Notifies other tabs that this account is logged in here. */
export function writeHint(id: string): void {
  if (local.getItem(HINT) !== id) local.setItem(HINT, id);
}

/** Notifies other tabs of a log-in, also of one by the account that was logged in here before. */
export function writeLoggedIn(id: string): void {
  if (local.getItem(HINT) === id) local.setItem(LOGGED_IN, String(Date.now()));
  else local.setItem(HINT, id);
}

/** Logs this browser out at once. */
export function writeLeaving(): void {
  dropCookie();
  local.setItem(HINT, LEAVING);
}

/** The server knows of the log-out. */
export function writeLeft(): void {
  if (isLeaving()) local.removeItem(HINT);
}

export function writeLoginEnded(): void {
  dropCookie();
  local.setItem(HINT, OVER);
}

function dropCookie(): void {
  announced = null;
  const name = COOKIE.exec(cookies())?.[1];
  if (name === undefined) return;
  const secure = name.startsWith("__Host-") ? "; Secure" : "";
  document.cookie = `${name}=; Path=/; Max-Age=0${secure}`;
}

function cookies(): string {
  try {
    return document.cookie;
  } catch {
    // A page in a frame may have no cookies.
    return "";
  }
}
