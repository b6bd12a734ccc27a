// Mentions: how a comment names an account. The server has the same rules (mentions.rs).
//
// A token is `@`, an id, `+` and a label that ends at the next white space. Only the id counts: people see
// the current name, or the label if the account was deleted. Pure.

import type { Id } from "../../engine/state";
import { countOf } from "./text";

/** A piece of a comment: plain text, or a mention with the label that it was sent with. */
export type Piece = { words: string } | { id: Id; label: string };

/** A token must not follow a letter or a digit, so that an email address is not a mention. */
const LETTER_OR_DIGIT = /[\p{Alphabetic}\p{N}]$/u;
const TOKEN = /@([1-9][0-9]{0,15})\+(\P{White_Space}+)/gu;

/** Returns whether a mention may follow this text directly. */
export function mayFollow(words: string): boolean {
  return !LETTER_OR_DIGIT.test(words.slice(-2));
}

/** Returns the pieces of a comment, in order. Joined, they are the whole comment. */
export function mentionPieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token, digits = "", label = ""] = match;
    const id = Number(digits);
    if (!Number.isSafeInteger(id) || !mayFollow(text.slice(at, match.index))) {
      // This is no mention. The next one may begin inside the label.
      TOKEN.lastIndex = match.index + 1;
      continue;
    }
    if (match.index > at) found.push({ words: text.slice(at, match.index) });
    found.push({ id, label });
    at = match.index + token.length;
  }
  if (at < text.length) found.push({ words: text.slice(at) });
  return found;
}

/** Returns the mentioned users, each once. */
export function mentioned(text: string): Id[] {
  if (!text.includes("@")) return [];
  return [...new Set(mentionPieces(text).flatMap((piece) => ("id" in piece ? [piece.id] : [])))];
}

/** Returns a name as a label, with `_` for spaces and without other white space. */
export function labelOf(name: string): string {
  return name.replaceAll(" ", "_").replace(/\p{White_Space}/gu, "");
}

/** Returns a label as people read it. */
export function wordsOf(label: string): string {
  return label.replaceAll("_", " ");
}

/**
 * Returns the number of visible code points, which the limit counts. A mention counts as `@` and its label.
 */
export function countSeen(text: string): number {
  return mentionPieces(text).reduce(
    (sum, piece) => sum + ("id" in piece ? 1 + countOf(piece.label) : countOf(piece.words)),
    0,
  );
}
