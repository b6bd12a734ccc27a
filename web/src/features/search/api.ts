// Finding people by their name, and everybody who is listed.

import { RefusedError } from "../../engine/ask";
import { ask } from "../../engine/client";
import { storeFollows } from "../shared/people/follows";
import { storeUsers } from "../shared/people/people";
import { store, update } from "../../engine/store";
import { countOf, tidyLine } from "../shared/text";
import type { Found, Place } from "../../engine/types.gen";

/** No name is longer. */
export const NAME_CHARS_MAX = 50;

/** People whose name begins with the term, capitals included; and close matches. */
export type Matches = { found: Found[]; close: Found[] };

/** At most twenty people of either kind, without the viewer. Throws when the server refused. */
export async function searchNames(term: string): Promise<Matches> {
  if (countOf(tidyLine(term)) > NAME_CHARS_MAX) return { found: [], close: [] };
  const ok = await ask("search.names", { term });
  return { found: known(ok.users, ok.seq), close: known(ok.close, ok.seq) };
}

/** A page of everybody who is listed; null if the host turned the list off. Throws when the server refused. */
export async function readPeople(
  after: Place | null,
): Promise<{ users: Found[]; next: Place | null } | null> {
  try {
    const ok = await ask("search.people", { after });
    return { users: known(ok.users, ok.seq), next: ok.next };
  } catch (error) {
    if (error instanceof RefusedError && error.code === "not_found") return null;
    throw error;
  }
}

/** Keeps names and follows; leaves the viewer out. */
function known(users: readonly Found[], seq: number): Found[] {
  update((s) => storeFollows(storeUsers(s, users, seq), users, seq));
  const me = store.getState().session.me?.id;
  return users.filter((user) => user.id !== me);
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
