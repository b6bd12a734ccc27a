// Whom a mention may mean: people of the thread and people one follows.

import { ask } from "../../store/client";
import { holdUsers } from "../../store/people";
import type { Id } from "../../store/state";
import { update } from "../../store/store";
import type { User } from "../../wire/types.gen";

/** At most eight, with a word of the name beginning so. Throws when the server refused. */
export async function mentionable(postId: Id, term: string): Promise<User[]> {
  const ok = await ask("comments.mentionable", { post_id: postId, term });
  update((s) => holdUsers(s, ok.users, ok.seq));
  return ok.users;
}

/** Whether a name may be meant by a term, as far as can be told here: the server knows better. */
export function fits(name: string, term: string): boolean {
  const [within, sought] = [name, term].map((words) => words.normalize("NFC").toLocaleLowerCase());
  return [0, ...[...(within ?? "").matchAll(/[ _-]/g)].map((found) => found.index + 1)].some((at) => within?.startsWith(sought ?? "", at));
}
