// Mentions: how a comment names an account. These are the server's own rules (mentions.rs).
//
// A token is `@`, an id, `+` and a label that runs to the next white space. Only the id counts: people see
// the current name, and the label if the account is deleted. Pure.

import type { Id } from "../../engine/state";
import { countOf } from "./text";

/** A piece of a comment: plain text, or a mention with the label of that time. */
export type Piece = { words: string } | { id: Id; label: string };

/** What a token must not follow: an address of mail is none. */
const LETTER_OR_DIGIT = /[\p{Alphabetic}\p{N}]$/u;
const TOKEN = /@([1-9][0-9]{0,15})\+(\P{White_Space}+)/gu;

/** Whether a mention may stand right after these words. */
export function mayFollow(words: string): boolean {
  return !LETTER_OR_DIGIT.test(words.slice(-2));
}

/** The pieces of a comment, in order; put together they are the comment. */
export function mentionPieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token, digits = "", label = ""] = match;
    const id = Number(digits);
    if (!Number.isSafeInteger(id) || !mayFollow(text.slice(at, match.index))) {
      // Not this one; the next may begin within what looked like its label.
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

/** The mentioned users, each once. */
export function mentioned(text: string): Id[] {
  if (!text.includes("@")) return [];
  return [...new Set(mentionPieces(text).flatMap((piece) => ("id" in piece ? [piece.id] : [])))];
}

/** A name as a label: spaces as `_`, other white space dropped. */
export function labelOf(name: string): string {
  return name.replaceAll(" ", "_").replace(/\p{White_Space}/gu, "");
}

/** A label as people read it. */
export function wordsOf(label: string): string {
  return label.replaceAll("_", " ");
}

/** Code points that people see, which is what the limit counts: a mention is its label and the `@`. */
export function countSeen(text: string): number {
  return mentionPieces(text).reduce(
    (sum, piece) => sum + ("id" in piece ? 1 + countOf(piece.label) : countOf(piece.words)),
    0,
  );
}
