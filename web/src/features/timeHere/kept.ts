// What this browser keeps of the time here, for each person: the choice and the sum of today.

import type { Id } from "../../engine/state";
import type { TextStore } from "../../storage";

const PREFIX = "mellow.here.";
const TODAY = ".today";

/** The parts of the names are split at dots, so that both are deleted with the account (app/forgetPerson.ts). */
export const choiceKey = (userId: Id): string => `${PREFIX}${String(userId)}`;
export const todayKey = (userId: Id): string => `${PREFIX}${String(userId)}${TODAY}`;

/** Returns whether a change of the storage, of this key or of everything, may concern the time here. */
export const isOfTimeHere = (key: string | null): boolean => key === null || key.startsWith(PREFIX);

/** Deletes every sum but the one of this person; null: every sum. */
export function dropSums(storage: TextStore, keep: Id | null): void {
  for (const key of storage.keys())
    if (key.startsWith(PREFIX) && key.endsWith(TODAY) && (keep === null || key !== todayKey(keep)))
      storage.removeItem(key);
}
