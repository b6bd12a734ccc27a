// The login of this page: log in, sign up, log out, and what happens when a login ends.
//
// Promises: without the login hint in local storage no socket is opened, and the client is not fetched before
// a login is likely; the hint is not secret, it only says whether a request to the server is useful. A login
// that ends elsewhere never clears the page, so typed text stays. A logout in this browser always clears it,
// and a deleted account also loses everything that this browser kept for it. Never: a script keeps a password
// or the lasting credential.

import type { Fields, Ok } from "./frames";
import type { Backups, Me } from "./types.gen";
import type { Client, StartOptions } from "./client";
import { HINT, readHint } from "./loginHint";
import type { GuestOp, SignUpFields } from "./login";
import { update, useStore } from "./store";

export type Phase = "unknown" | "guest" | "signed-in" | "ended";
export type Link = "live" | "reconnecting" | "offline" | "idle";
export type { StartOptions };

/** The delay before the client is fetched again after a failure. */
const AGAIN_MS = 3_000;

/** Fetches the client with the features of the app. */
export type LoadClient = () => Promise<{ client: Client }>;

let load: LoadClient = () => Promise.reject(new Error("the session was not started"));
let options: StartOptions = {};
let coming: Promise<Client> | null = null;

/** What speaks to the server, fetched when it is first needed. */
function client(): Promise<Client> {
  coming ??= load().then(
    ({ client }) => {
      client.session.start(options);
      return client;
    },
    (error: unknown) => {
      coming = null;
      throw error;
    },
  );
  return coming;
}

/** Fetches it, again and again until it is loaded. */
function fetchClient(): void {
  client().catch(() => setTimeout(fetchClient, AGAIN_MS));
}

/** The login. `unknown` lasts from the start of the page to the server's `hello`. */
export function useSession(): { phase: Phase; me: Me | null } {
  return useStore((s) => s.session);
}

/** The host's settings for backups; null until the server sent them. */
export function useBackups(): Backups | null {
  return useStore((s) => s.backups);
}

/** How the socket is. `idle` means that there is none on purpose; `since` is when the state began to differ from live. */
export function useConnection(): { state: Link; since: number } {
  return useStore((s) => s.connection);
}

/** Starts the app's one session. Call it once, before the first render. */
export function startSession(loadClient: LoadClient, given: StartOptions = {}): void {
  load = loadClient;
  options = given;
  if (readHint() !== null) {
    fetchClient();
    return;
  }
  update((s) => ({ ...s, session: { phase: "guest", me: null } }));
  // A login may happen in another tab; from then on the client watches the storage by itself.
  addEventListener("storage", (event) => {
    if ((event.key === HINT || event.key === null) && readHint() !== null && coming === null) fetchClient();
  });
}

/** Fetches what a log-in needs, so that the press of the button finds it here. Opens no socket. */
export function preloadClient(): void {
  client().catch(() => undefined);
}

/** Logs in. Throws a RefusedError when the server says no. */
export async function logIn(email: string, password: string): Promise<Me> {
  return (await client()).session.logIn(email, password);
}

/** Makes an account and logs in. A blank name is the server's to choose. Throws a RefusedError. */
export async function signUp(fields: SignUpFields): Promise<Me> {
  return (await client()).session.signUp(fields);
}

/** Logs out on every tab of this browser and goes to `/`. */
export async function logOut(): Promise<void> {
  await (await client()).session.logOut();
}

/** Logs the same person in again, over the page, after the login was ended elsewhere. */
export async function relogIn(password: string): Promise<Me> {
  return (await client()).session.relogIn(password);
}

/** Asks what a guest may ask too. Throws a RefusedError. */
export async function askAsGuest<K extends GuestOp>(op: K, fields: Fields<K>): Promise<Ok<K>> {
  return (await client()).session.askAsGuest(op, fields);
}

/**
 * Sets a new password by the link of a mail; the same key again is the same wish. A login of that
 * account in this browser is over then, without a dialog. Throws a RefusedError.
 */
export async function resetPassword(fields: Fields<"auth.reset_password">): Promise<void> {
  await (await client()).session.resetPassword(fields);
}

/** Deletes the account of the signed-in user, forgets the person in this browser and goes to `/`. Throws a RefusedError. */
export async function deleteAccount(password: string): Promise<void> {
  await (await client()).session.deleteAccount(password);
}

/** Tries the connection at once instead of waiting for the next attempt. */
export function tryNow(): void {
  void client().then(
    (client) => client.session.tryNow(),
    () => undefined,
  );
}

export { RefusedError } from "./refused";
