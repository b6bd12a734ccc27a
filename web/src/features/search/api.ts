// Finding people by the beginning of their name, capitals included.

import { ask } from "../../engine/client";
import { storeUsers } from "../shared/people/people";
import { store, update } from "../../engine/store";
import { countOf } from "../shared/text";
import type { Found } from "../../engine/types.gen";

/** No name is longer. */
export const NAME_CHARS_MAX = 50;

/** At most twenty people whose name begins so, never oneself. Throws when the server refused. */
export async function searchNames(term: string): Promise<Found[]> {
  if (countOf(term.trim()) > NAME_CHARS_MAX) return [];
  const ok = await ask("search.names", { term });
  update((s) => storeUsers(s, ok.users, ok.seq));
  const me = store.getState().session.me?.id;
  return ok.users.filter((user) => user.id !== me);
}

/**
 * The term as it is written the other way: each word with a capital, or none at all. Null when that
 * makes no difference, as in scripts that know no capitals.
 */
export function otherCase(term: string): string | null {
  const words = term.trim();
  const small = words.toLowerCase();
  const capital = small.replace(
    /(^|[\s-])(\p{L})/gu,
    (_, before: string, letter: string) => before + toCapital(letter),
  );
  const other = words === capital ? small : capital;
  return other === words ? null : other;
}

/** One letter for one letter: a few have no capital of their own. */
function toCapital(letter: string): string {
  const capital = letter.toUpperCase();
  return countOf(capital) === 1 ? capital : letter;
}
