// Finding people by the beginning of their name, capitals included.

import { ask } from "../../store/client";
import { countOf } from "../../store/words";
import type { Found } from "../../wire/types.gen";

/** No name is longer. */
export const NAME_CHARS_MAX = 50;

/** At most twenty people whose name begins so. Throws when the server refused. */
export async function searchNames(term: string): Promise<Found[]> {
  if (countOf(term.trim()) > NAME_CHARS_MAX) return [];
  return (await ask("search.names", { term })).users;
}

/** The term with its first letter in the other case; null when that makes no difference. */
export function otherCase(term: string): string | null {
  const [first = "", ...rest] = [...term.trim()];
  const other = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  return other === first ? null : [other, ...rest].join("");
}
