// The people whom the viewer can mention: those in the thread and those the viewer follows.

import { ask } from "../../engine/client";
import { searchKey } from "../shared/searchKey";
import { tidyLine } from "../shared/text";
import { storeUsers } from "../shared/people/people";
import type { Id } from "../../engine/state";
import { update } from "../../engine/store";
import type { User } from "../../engine/types.gen";

/**
 * Returns at most eight users with a word of their name that begins with the term. Throws if the server
 * refuses.
 */
export async function mentionable(postId: Id, term: string): Promise<User[]> {
  const ok = await ask("comments.mentionable", { post_id: postId, term });
  update((s) => storeUsers(s, ok.users, ok.seq));
  return ok.users;
}

/** Returns whether a name may match a term. Only the server decides. */
export function fits(name: string, term: string): boolean {
  const within = searchKey(name);
  const sought = searchKey(tidyLine(term));
  return [0, ...[...within.matchAll(/[ _-]/g)].map((found) => found.index + 1)].some((at) =>
    within.startsWith(sought, at),
  );
}
