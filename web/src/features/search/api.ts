// Finds people by their names, and reads the list of everybody who is listed.

import { RefusedError } from "../../engine/ask";
import { ask } from "../../engine/client";
import { storeFollows } from "../shared/people/follows";
import { storeUsers } from "../shared/people/people";
import { store, update } from "../../engine/store";
import { countOf, tidyLine } from "../shared/text";
import type { Found, Place } from "../../engine/types.gen";

/** The length of the longest name, in characters. */
export const NAME_CHARS_MAX = 50;

/** `found`: people with a name that begins with the term, in the same case. `close`: other close matches. */
export type Matches = { found: Found[]; close: Found[] };

/** Returns at most twenty people of each kind, without the viewer. Throws a RefusedError. */
export async function searchNames(term: string): Promise<Matches> {
  if (countOf(tidyLine(term)) > NAME_CHARS_MAX) return { found: [], close: [] };
  const ok = await ask("search.names", { term });
  return { found: known(ok.users, ok.seq), close: known(ok.close, ok.seq) };
}

/** Reads a page of everybody who is listed; null if the host turned the list off. Throws a RefusedError. */
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

/** Stores the names and follows of these people, and returns them without the viewer. */
function known(users: readonly Found[], seq: number): Found[] {
  update((s) => storeFollows(storeUsers(s, users, seq), users, seq));
  const me = store.getState().session.me?.id;
  return users.filter((user) => user.id !== me);
}

/**
 * Returns the term in the other case: each word with a capital, or no word. Null if both are the same, as in
 * scripts without capitals.
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

/** Returns the capital of a letter, or the letter itself if its capital would be two letters, as for ß. */
function toCapital(letter: string): string {
  const capital = letter.toUpperCase();
  return countOf(capital) === 1 ? capital : letter;
}
