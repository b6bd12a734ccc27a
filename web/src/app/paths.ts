// The paths of this site, and the rule for where a log-in may redirect to.

const NEXT_MAX = 500;
/** A log-in never leads to one of these. */
const ACCOUNT_PAGES = ["/login", "/signup", "/forgot", "/reset", "/verify", "/away"];

/** Returns whether a path is the page to which people step away (D-U6). The router ignores case and a slash at the end. */
export const isAway = (path = location.pathname): boolean => /^\/away\/?$/iu.test(path);

/** Returns the address of a page, to come back to it. */
export function addressOf(path: string, search: string): string {
  return search === "" ? path : `${path}?${search}`;
}

/**
 * Returns the page that a guest wants: the current page, or the one that an account page has in its address.
 */
export function nextOf(path: string, search: string): string {
  return ACCOUNT_PAGES.includes(path)
    ? safeNext(new URLSearchParams(search).get("next"))
    : addressOf(path, search);
}

/** Returns the address of the log-in page that leads to the wanted page. */
export function logInPath(next: string): string {
  return withNext("/login", next);
}

/**
 * Returns the address of an account page with the wanted page in it. Home is the default, so it is left out.
 */
export function withNext(path: "/login" | "/signup" | "/forgot", next: string): string {
  return next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/**
 * Returns where to go after a log-in: a path of this site. An address of another origin leads home, also in
 * disguise (`//elsewhere`, `/\elsewhere`), and so does an account page.
 */
export function safeNext(next: string | null, origin: string = location.origin): string {
  if (next === null || next.length > NEXT_MAX || !next.startsWith("/")) return "/";
  try {
    const url = new URL(next, origin);
    if (url.origin !== origin) return "/";
    // The router ignores case and a slash at the end.
    const path = url.pathname.toLowerCase().replace(/\/$/u, "");
    if (url.pathname.startsWith("//") || ACCOUNT_PAGES.includes(path)) return "/";
    return url.pathname + url.search + url.hash;
  } catch {
    return "/";
  }
}

/** Returns the id in an address, or null if it is not a whole number that the server could have made. */
export function idOf(text: string | undefined): number | null {
  if (text === undefined || !/^[1-9]\d{0,15}$/u.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}
