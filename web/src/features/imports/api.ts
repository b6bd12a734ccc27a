// The requests about an import whose file has arrived. archive.ts sends the file.

import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import { RefusedError } from "../../engine/refused";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import type { Audience } from "../../engine/types.gen";
import { say } from "../../say";
import { words } from "./words";

export async function startImport(id: Id, audience: Audience): Promise<void> {
  await ask("imports.start", { key: newKey(), import_id: id, audience });
}

/** Ends an import in any phase, and undoes what was imported of it. */
export async function cancelImport(id: Id): Promise<void> {
  await ask("imports.cancel", { key: newKey(), import_id: id });
}

/** Returns how many posts an undo would delete, and how many comments under them. */
export const countUndone = (id: Id): Promise<{ posts: number; comments: number }> =>
  ask("imports.undo_counts", { import_id: id });

export async function undoImport(id: Id): Promise<void> {
  await ask("imports.undo", { key: newKey(), import_id: id });
}

/** Returns the message for a refusal: its own sentence if it is about imports or says what to do. */
export function reasonOf(error: unknown): string {
  const isOwn = error instanceof RefusedError && error.code.startsWith("import");
  return isOwn ? error.message : refusalText(error, say(words.failed));
}
