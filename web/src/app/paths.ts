// The paths of this site, and the rule for where a log-in may redirect to.

const NEXT_MAX = 500;
/** A login never leads to one of these. */
const ACCOUNT_PAGES = ["/login", "/signup", "/forgot", "/reset", "/verify"];

/** A page of this site as one would come back to it. */
export function placeOf(path: string, search: string): string {
  return search === "" ? path : `${path}?${search}`;
}

/** Where a guest is going: an account page says it in its address, any other page is the place itself. */
export function wantedOf(path: string, search: string): string {
  return ACCOUNT_PAGES.includes(path)
    ? safeNext(new URLSearchParams(search).get("next"))
    : placeOf(path, search);
}

/** The log-in page that comes back to where one was going. */
export function logInPath(next: string): string {
  return withNext("/login", next);
}

/** An account page that keeps where one was going; home needs no keeping. */
export function withNext(path: "/login" | "/signup" | "/forgot", next: string): string {
  return next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/**
 * Where to go after logging in. Only a path of this very site: anything with another origin, also in
 * disguise (`//elsewhere`, `/\elsewhere`), leads home, and so do the account pages themselves.
 */
export function safeNext(next: string | null, origin: string = location.origin): string {
  if (next === null || next.length > NEXT_MAX || !next.startsWith("/")) return "/";
  try {
    const url = new URL(next, origin);
    if (url.origin !== origin) return "/";
    // The router minds neither capitals nor a last slash.
    const path = url.pathname.toLowerCase().replace(/\/$/u, "");
    if (url.pathname.startsWith("//") || ACCOUNT_PAGES.includes(path)) return "/";
    return url.pathname + url.search + url.hash;
  } catch {
    return "/";
  }
}

/** An id in an address: a whole number as the server makes them, else nothing. */
export function idOf(text: string | undefined): number | null {
  if (text === undefined || !/^[1-9]\d{0,15}$/u.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}
