// The requests about the viewer's passkeys. The components show the messages and forms.

import { ask } from "../../engine/client";
import type { Ok } from "../../engine/frames";
import { newKey } from "../../engine/keys";
import { RefusedError } from "../../engine/refused";
import { refusalText } from "../../engine/refusalText";
import type { Passkey } from "../../engine/types.gen";
import { say } from "../../say";
import { deviceLine } from "../shared/device";
import { countOf, isBlank, tidyLine } from "../shared/text";
import { createPasskey, provePasskey, run } from "../shared/passkeys/ceremony";
import { NAME_CHARS_MAX, words } from "./words";

export const readPasskeys = (): Promise<Ok<"passkeys.list">> => ask("passkeys.list", {});

/** Returns the name of this device, as `Your logins` shows it; empty if it is not known. */
export async function nameOfDevice(): Promise<string> {
  const { logins } = await ask("auth.logins", {});
  const name = deviceLine(logins.find(({ current }) => current)?.device ?? "");
  return isName(name) ? name : "";
}

/** Returns whether the server would accept this name. */
export const isName = (name: string): boolean => !isBlank(name) && countOf(tidyLine(name)) <= NAME_CHARS_MAX;

/** Makes a passkey on this device. Throws a RefusedError, or what the browser throws. */
export async function addPasskey(name: string, password: string, signal: AbortSignal): Promise<void> {
  await run({
    begin: () => ask("passkeys.begin_add", { name, password }),
    act: (options) => createPasskey(options, signal),
    send: (challenge, response) => ask("passkeys.finish_add", { key: newKey(), challenge, response }),
  });
}

export async function renamePasskey({ id }: Passkey, name: string): Promise<void> {
  await ask("passkeys.rename", { key: newKey(), passkey_id: id, name });
}

/** Removes a passkey. A retry has the same key. */
export async function removeByPassword({ id }: Passkey, key: ArrayBuffer, password: string): Promise<void> {
  await ask("passkeys.remove", { key, passkey_id: id, password, challenge: null, response: null });
}

/** Removes a passkey, after the use of any passkey. Throws a RefusedError, or what the browser throws. */
export async function removeByPasskey({ id }: Passkey, key: ArrayBuffer, signal: AbortSignal): Promise<void> {
  await run({
    begin: () => ask("passkeys.begin_use", {}),
    act: (options) => provePasskey(options, signal),
    send: (challenge, response) =>
      ask("passkeys.remove", { key, passkey_id: id, password: null, challenge, response }),
  });
}

const isRefused = (error: unknown, code: string): error is RefusedError =>
  error instanceof RefusedError && error.code === code;

/** Returns whether the password was wrong. */
export const isWrongPassword = (error: unknown): boolean => isRefused(error, "wrong_password");

/** Returns whether the name was refused. */
export const isAboutName = (error: unknown): boolean =>
  error instanceof RefusedError && error.field === "name";

/** Returns the server's sentence if it helps, else `otherwise`. */
export const refusedText = (error: unknown, otherwise: string = say(words.failed)): string =>
  isRefused(error, "passkey_unknown") ? error.message : refusalText(error, otherwise);
