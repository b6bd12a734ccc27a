// Erases what this browser keeps for a deleted account: entries under the account's id, the draft and its
// pictures. The appearance of the page belongs to the device and stays.

import type { TextStore } from "../storage";
import { local, session } from "../storage";

/** Deletes twice, because other tabs may save their text a little later than this one. */
const SWEEPS_MS = [0, 2_000];

export function forgetPerson(userId: number): void {
  for (const ms of SWEEPS_MS) setTimeout(() => sweep(userId), ms);
}

function sweep(userId: number): void {
  for (const storage of [local, session]) dropKeysOf(storage, String(userId));
  import("./compose/forgetDraft").then(
    ({ forgetDraftOf }) => forgetDraftOf(userId),
    // The text of the draft is deleted already, and its pictures are deleted when somebody opens the composer.
    () => undefined,
  );
}

/** Removes the keys of Mellow that contain this id, such as `mellow.draft.7`. */
export function dropKeysOf(storage: TextStore, id: string): void {
  for (const key of storage.keys()) {
    const [first, ...parts] = key.split(".");
    if (first === "mellow" && parts.includes(id)) storage.removeItem(key);
  }
}
