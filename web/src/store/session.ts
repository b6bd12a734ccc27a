// Who is here: log in, sign up, log out, and what happens when a login ends.
//
// Promises: without the hint in local storage no socket is opened, and what speaks to the server is
// not even fetched before somebody is about to log in; the hint is no secret, it only says whether
// asking is worth it. A login that ends elsewhere never clears the page (typed text stays); a log-out in
// this browser always does, and an account that is gone takes along all that was kept for its person.
// Never: a password or the lasting credential is kept by script.

import type { Fields, Ok } from "../wire/frames";
import type { Me } from "../wire/types.gen";
import type { Client, StartOptions } from "./client";
import { HINT, readHint } from "./hint";
import type { GuestOp } from "./login";
import { update, useStore } from "./store";

export type Phase = "unknown" | "guest" | "signed-in" | "ended";
export type Link = "live" | "reconnecting" | "offline" | "idle";
export type { StartOptions };

/** How long before the client is asked for again, when the network had no room for it. */
const AGAIN_MS = 3_000;

let options: StartOptions = {};
let coming: Promise<Client> | null = null;

/** What speaks to the server, fetched when it is first needed. */
function client(): Promise<Client> {
  coming ??= import("./client").then(
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

/** Fetches it until it is here. */
function bring(): void {
  client().catch(() => setTimeout(bring, AGAIN_MS));
}

/** Who is here. `unknown` lasts from the page's start to the server's first word. */
export function useSession(): { phase: Phase; me: Me | null } {
  return useStore((s) => s.session);
}

/** How the socket is. `idle` means that there is none on purpose; `since` is when the state began to differ from live. */
export function useConnection(): { state: Link; since: number } {
  return useStore((s) => s.connection);
}

/** Starts the app's one session. Call it once, before the first render. */
export function startSession(given: StartOptions = {}): void {
  options = given;
  if (readHint() !== null) {
    bring();
    return;
  }
  update((s) => ({ ...s, session: { phase: "guest", me: null } }));
  // Somebody may log in on another tab; from then on the client watches for itself.
  addEventListener("storage", (event) => {
    if ((event.key === HINT || event.key === null) && readHint() !== null && coming === null) bring();
  });
}

/** Fetches what a log-in needs, so that the press of the button finds it here. Opens no socket. */
export function expectLogIn(): void {
  client().catch(() => undefined);
}

/** Logs in. Throws a RefusedError when the server says no. */
export async function logIn(email: string, password: string): Promise<Me> {
  return (await client()).session.logIn(email, password);
}

/** Makes an account and logs in. A blank name is the server's to choose. Throws a RefusedError. */
export async function signUp(fields: { email: string; password: string; name: string }): Promise<Me> {
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
export async function knock<K extends GuestOp>(op: K, fields: Fields<K>): Promise<Ok<K>> {
  return (await client()).session.knock(op, fields);
}

/**
 * Sets a new password by the link of a mail; the same key again is the same wish. A login of that
 * account in this browser is over then, without a dialog. Throws a RefusedError.
 */
export async function resetPassword(fields: Fields<"auth.reset_password">): Promise<void> {
  await (await client()).session.resetPassword(fields);
}

/** Deletes the account of whoever is signed in, forgets the person in this browser and goes to `/`. Throws a RefusedError. */
export async function deleteAccount(password: string): Promise<void> {
  await (await client()).session.deleteAccount(password);
}

/** Tries the connection at once instead of waiting for the next attempt. */
export function tryNow(): void {
  void client().then((client) => client.session.tryNow(), () => undefined);
}

export { RefusedError } from "../wire/refused";
