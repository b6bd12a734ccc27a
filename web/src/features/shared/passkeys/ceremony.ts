// What is done with a passkey: the server begins with a challenge, the browser asks the person and answers it, and the
// server checks the answer. Options and answers are JSON, with bytes as base64url.

import { RefusedError } from "../../../engine/refused";
import { store } from "../../../engine/store";

/** What the server begins with: the name of its challenge, and the options for the browser. */
export type Begun = { challenge: string; options: string };

export type Ceremony<T> = {
  begin(): Promise<Begun>;
  /** Lets the browser ask the person. Returns the answer. */
  act(options: string): Promise<string>;
  send(challenge: string, answer: string): Promise<T>;
};

/**
 * Runs a ceremony. Challenges are in the memory of the server alone, so one that was restarted meanwhile knows none of
 * them. The ceremony then begins again, once.
 */
export async function run<T>(ceremony: Ceremony<T>, mayBeginAgain = true): Promise<T> {
  const { challenge, options } = await ceremony.begin();
  const { connections } = store.getState();
  const answer = await ceremony.act(options);
  try {
    return await ceremony.send(challenge, answer);
  } catch (error) {
    const hasReconnected = store.getState().connections !== connections;
    if (mayBeginAgain && hasReconnected && isOfPasskey(error)) return run(ceremony, false);
    throw error;
  }
}

/** Returns whether the server refused the answer of the device. It does not say whether it knew the challenge. */
const isOfPasskey = (error: unknown): boolean =>
  error instanceof RefusedError && (error.code === "passkey_unknown" || error.field === "passkeys");

/** Returns whether the person stopped the browser's question, or the device refused. Browsers do not tell which. */
export const isStopped = (error: unknown): boolean => isNamed(error, "NotAllowedError", "AbortError");

/** Returns whether the device has a passkey of this account already. */
export const isThereAlready = (error: unknown): boolean => isNamed(error, "InvalidStateError");

const isNamed = (error: unknown, ...names: string[]): boolean =>
  error instanceof DOMException && names.includes(error.name);

type Named = Omit<PublicKeyCredentialDescriptor, "id"> & { id: string };
type ForNew = Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> & {
  challenge: string;
  user: Omit<PublicKeyCredentialUserEntity, "id"> & { id: string };
  excludeCredentials?: Named[];
};
type ForProof = Omit<PublicKeyCredentialRequestOptions, "challenge" | "allowCredentials"> & {
  challenge: string;
  allowCredentials?: Named[];
};

/** Makes a passkey on this device. Throws what the browser throws, if the person or the device refuses. */
export async function createPasskey(options: string, signal: AbortSignal): Promise<string> {
  const { publicKey } = JSON.parse(options) as { publicKey: ForNew };
  const { challenge, user, excludeCredentials } = publicKey;
  const made = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: bytesOf(challenge),
      user: { ...user, id: bytesOf(user.id) },
      excludeCredentials: withBytes(excludeCredentials),
    },
    signal,
  });
  return answerOf(made, signal, (response: AuthenticatorAttestationResponse) => ({
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports(),
  }));
}

/**
 * Proves that the person has a passkey. `isSuggested`: without a question, in the suggestions of a field. Throws what
 * the browser throws, if the person or the device refuses.
 */
export async function provePasskey(
  options: string,
  signal: AbortSignal,
  isSuggested = false,
): Promise<string> {
  const { publicKey } = JSON.parse(options) as { publicKey: ForProof };
  const { challenge, allowCredentials } = publicKey;
  const proof = await navigator.credentials.get({
    publicKey: { ...publicKey, challenge: bytesOf(challenge), allowCredentials: withBytes(allowCredentials) },
    mediation: isSuggested ? "conditional" : "optional",
    signal,
  });
  return answerOf(proof, signal, (response: AuthenticatorAssertionResponse) => ({
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    userHandle: response.userHandle === null ? null : textOf(response.userHandle),
  }));
}

function answerOf<R extends AuthenticatorResponse>(
  credential: Credential | null,
  signal: AbortSignal,
  more: (response: R) => object,
): string {
  signal.throwIfAborted();
  if (credential === null) throw new Error("the browser returned no passkey");
  const passkey = credential as PublicKeyCredential;
  return JSON.stringify({
    id: passkey.id,
    rawId: textOf(passkey.rawId),
    type: passkey.type,
    response: { clientDataJSON: textOf(passkey.response.clientDataJSON), ...more(passkey.response as R) },
    clientExtensionResults: passkey.getClientExtensionResults(),
  });
}

/** Returns the passkeys with their ids as bytes. */
const withBytes = (all: Named[] = []): PublicKeyCredentialDescriptor[] =>
  all.map((one) => ({ ...one, id: bytesOf(one.id) }));

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
