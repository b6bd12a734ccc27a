// Logs in with a passkey. This file is fetched only where passkeys work.

import { client } from "../../engine/client";
import { askAsGuest } from "../../engine/session";
import type { Id } from "../../engine/state";
import type { Me } from "../../engine/types.gen";
import { isStopped, provePasskey, run } from "../shared/passkeys/ceremony";

/** How long a challenge is used, in milliseconds. It is a minute less than the server knows it. */
export const CHALLENGE_MS = 240_000;

type Ways = {
  /** Only this person may log in; null: anybody. */
  userId: Id | null;
  /** Ends the browser's question or its suggestion. */
  signal: AbortSignal;
  /** The browser suggests passkeys in a field, and asks nothing. */
  isSuggested?: boolean;
  /** The person has chosen a passkey. */
  onChosen?(): void;
};

async function logIn({ userId, signal, isSuggested = false, onChosen }: Ways): Promise<Me> {
  // A ceremony that begins again is one that the person has begun.
  let suggests = isSuggested;
  const { ticket, me } = await run({
    begin: () => askAsGuest("auth.begin_passkey", {}),
    act: async (options) => {
      const how = suggests;
      suggests = false;
      const answer = await provePasskey(options, signal, how);
      onChosen?.();
      return answer;
    },
    send: (challenge, response) =>
      askAsGuest("auth.log_in_with_passkey", { challenge, response, user_id: userId }),
  });
  return client.login.entered(ticket, me);
}

/** Lets the browser ask for a passkey, and logs in with it. Returns null if the person stopped it. */
export async function logInWithPasskey(userId: Id | null, signal: AbortSignal): Promise<Me | null> {
  try {
    return await logIn({ userId, signal });
  } catch (error) {
    if (isStopped(error)) return null;
    throw error;
  }
}

/**
 * Lets the browser suggest passkeys in the field with `autocomplete="webauthn"`, until one has logged a person in or
 * the signal ends it. `failed`: a passkey was chosen, and the server refused it.
 */
export async function suggestPasskeys(
  signal: AbortSignal,
  on: { done(me: Me): void; failed(error: unknown): void },
): Promise<void> {
  // No socket is opened for a browser that suggests none.
  if (!(await PublicKeyCredential.isConditionalMediationAvailable())) return;
  while (!signal.aborted) {
    await inSight();
    if (signal.aborted) return;
    const round = new AbortController();
    const end = (): void => round.abort();
    const isOver = new Promise((resolve) => round.signal.addEventListener("abort", resolve));
    const timer = setTimeout(end, CHALLENGE_MS);
    signal.addEventListener("abort", end);
    let isChosen = false;
    try {
      const onChosen = (): void => {
        isChosen = true;
        // From here on no new challenge is needed.
        clearTimeout(timer);
      };
      on.done(await logIn({ userId: null, signal: round.signal, isSuggested: true, onChosen }));
      return;
    } catch (error) {
      // The next challenge brings the next suggestion. Nobody has asked for one, so nothing is said.
      if (!isChosen) await isOver;
      else if (!isStopped(error)) on.failed(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }
}

/** Waits until the page is in sight. */
const inSight = (): Promise<unknown> =>
  document.visibilityState === "visible"
    ? Promise.resolve()
    : new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
