// What the page uses to log in, sign up and log out; it loads the client when needed.
//
// Promises: without the login hint no socket is opened, and the client is not fetched before
// a log-in is likely. A login that ends elsewhere never clears the page, so typed text stays. A log-out in
// this browser always clears the page. After an account was deleted, everything that this browser kept for it
// is deleted too. Never: a script keeps a password or the cookie of a login.

import type { Fields, Ok } from "./frames";
import type { Backups, Me } from "./types.gen";
import type { Client, StartOptions } from "./client";
import { HINT, announcedHint, hear, isLeaving, readHint } from "./loginHint";
import type { GuestOp, SignUpFields } from "./login";
import { update, useStore } from "./store";

export type Phase = "unknown" | "guest" | "signed-in" | "ended";
export type Link = "live" | "reconnecting" | "offline" | "idle";
export type { StartOptions };

/** The delay before a file of the app is fetched again after a failure. */
export const LOAD_RETRY_MS = 3_000;

/** Fetches the client with the features of the app. */
export type LoadClient = () => Promise<{ client: Client }>;

let load: LoadClient = () => Promise.reject(new Error("the session was not started"));
let options: StartOptions = {};
let coming: Promise<Client> | null = null;

/** The client. Its code is fetched when it is first needed. */
function client(): Promise<Client> {
  coming ??= load().then(
    ({ client }) => {
      client.start(options);
      return client;
    },
    (error: unknown) => {
      coming = null;
      throw error;
    },
  );
  return coming;
}

/** Fetches the client, and tries again until it is loaded. */
export function fetchClient(): void {
  client().catch(() => setTimeout(fetchClient, LOAD_RETRY_MS));
}

/** The login. Its phase is `unknown` from the start of the page until the server's `hello`. */
export function useSession(): { phase: Phase; me: Me | null } {
  return useStore((s) => s.session);
}

/** The host's settings for backups; null until the server has sent them. */
export function useBackups(): Backups | null {
  return useStore((s) => s.backups);
}

/** The state of the connection. `idle`: no socket is needed. `since`: when the state stopped being live. */
export function useConnection(): { state: Link; since: number } {
  return useStore((s) => s.connection);
}

/**
 * Starts the session of the app. Call it once, before the first render. `isAway`: the client of a signed-in person is not
 * fetched before `fetchClient` is called.
 */
export function startSession(loadClient: LoadClient, given: StartOptions = {}, isAway = false): void {
  load = loadClient;
  options = given;
  if (readHint() !== null) {
    if (!isAway) fetchClient();
    return;
  }
  update((s) => ({ ...s, session: { phase: "guest", me: null } }));
  // The client tells the server of a log-out.
  if (isLeaving()) fetchClient();
  // A log-in in another tab fetches the client, which from then on watches the storage itself.
  addEventListener("storage", (event) => {
    hear(event);
    if ((event.key === HINT || event.key === null) && announcedHint() !== null && coming === null)
      fetchClient();
  });
}

/** Fetches the client early, so that a press on the button does not wait for it. Opens no socket. */
export function preloadClient(): void {
  // The press tries again, and shows the failure.
  client().catch(() => undefined);
}

/** Logs in. Throws a RefusedError if the server refuses. */
export async function logIn(email: string, password: string): Promise<Me> {
  return (await client()).login.logIn(email, password);
}

/** Makes an account and logs in. The server chooses a name if it is blank. Throws a RefusedError. */
export async function signUp(fields: SignUpFields): Promise<Me> {
  return (await client()).login.signUp(fields);
}

/** Logs out in every tab of this browser and opens `/`. */
export async function logOut(): Promise<void> {
  await (await client()).login.logOut();
}

/** Logs the same user in again, on the same page, after the login was ended elsewhere. */
export async function relogIn(password: string): Promise<Me> {
  return (await client()).login.relogIn(password);
}

/** Sends a request that guests may make too. Throws a RefusedError. */
export async function askAsGuest<K extends GuestOp>(op: K, fields: Fields<K>): Promise<Ok<K>> {
  return (await client()).login.askAsGuest(op, fields);
}

/**
 * Sets a new password by the link of a mail. A retry has the same key. If that account is logged in here, its
 * login ends without a dialog. Throws a RefusedError.
 */
export async function resetPassword(fields: Fields<"auth.reset_password">): Promise<void> {
  await (await client()).login.resetPassword(fields);
}

/**
 * Deletes the account of the signed-in user and their data in this browser, and opens `/`. Throws a
 * RefusedError.
 */
export async function deleteAccount(password: string): Promise<void> {
  await (await client()).login.deleteAccount(password);
}

/** Tries the connection at once instead of waiting for the next attempt. */
export function tryNow(): void {
  void client().then(
    (client) => client.socket.tryNow(),
    // Without the client there is no connection yet, and the client connects as soon as it is loaded.
    () => undefined,
  );
}

export { RefusedError } from "./refused";
