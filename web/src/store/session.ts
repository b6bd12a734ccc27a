// Who is here: log in, sign up, log out, and what happens when a login ends.
//
// Promises: without the hint in local storage no socket is opened; the hint is no secret, it only
// says whether asking is worth it. A login that ends elsewhere never clears the page (typed text
// stays); a log-out in this browser always does.
// Never: a password or the lasting credential is kept by script.

import { useStore } from "./store";
import { client } from "./client";
import type { Me } from "../wire/types.gen";

export type Phase = "unknown" | "guest" | "signed-in" | "ended";
export type Link = "live" | "reconnecting" | "offline" | "idle";
export type StartOptions = {
  navigate?: (path: string) => void;
  /** Told at each connection how far the server's clock is ahead of this device's. */
  onClock?: (offsetMs: number) => void;
};

/** Who is here. `unknown` lasts from the page's start to the server's first word. */
export function useSession(): { phase: Phase; me: Me | null } {
  return useStore((s) => s.session);
}

/** How the socket is. `idle` means that there is none on purpose; `since` is when the state began to differ from live. */
export function useConnection(): { state: Link; since: number } {
  return useStore((s) => s.connection);
}

/**
 * Starts the app's one session. Call it once, before the first render; calling it again only
 * replaces `navigate`, which is asked to go to `/` after a log-out.
 */
export function startSession(options: StartOptions = {}): void {
  client.session.start(options);
}

/** Logs in. Throws a RefusedError when the server says no. */
export function logIn(email: string, password: string): Promise<Me> {
  return client.session.logIn(email, password);
}

/** Makes an account and logs in. A blank name is the server's to choose. Throws a RefusedError. */
export function signUp(fields: { email: string; password: string; name: string }): Promise<Me> {
  return client.session.signUp(fields);
}

/** Logs out on every tab of this browser and goes to `/`. */
export function logOut(): Promise<void> {
  return client.session.logOut();
}

/** Logs the same person in again, over the page, after the login was ended elsewhere. */
export function relogIn(password: string): Promise<Me> {
  return client.session.relogIn(password);
}

/** Tries the connection at once instead of waiting for the next attempt. */
export function tryNow(): void {
  client.session.tryNow();
}

export { RefusedError } from "../wire/ask";
