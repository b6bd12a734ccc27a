// Mentions in a comment that is being written. The text shows `@name`, while the mentioned accounts are kept
// beside it, by offset, and become tokens when the comment is sent.
//
// Promises: two people with the same name are not confused; an edit inside a mention turns it into plain
// text; the sent comment shows every character that was written. Pure.

import type { Id } from "../../engine/state";
import type { DraftMention } from "./state";
import { labelOf, mayFollow } from "../shared/mentions";

export type Writing = { text: string; meant: readonly DraftMention[] };

/**
 * Inserted beside a token, whose label ends at white space. It is almost invisible and counts as one
 * character.
 */
const HAIR_SPACE = "\u200a";

const SPACE = /^\p{White_Space}/u;
const TERM = /@([^\s@]{0,50})$/u;

const shownAs = (name: string): string => `@${name}`;
const endOf = ({ at, name }: DraftMention): number => at + shownAs(name).length;

/** Returns the mentions that remain after the text changed to `text`, with the caret at `caret`. */
export function keepMentions({ text: before, meant }: Writing, text: string, caret: number): DraftMention[] {
  if (meant.length === 0) return [];
  // The text after the caret did not change, and neither did the equal starts and ends of both texts.
  let behind = text.length - caret;
  if (behind > before.length || !before.endsWith(text.slice(caret))) behind = agreeing(before, text, true);
  const ahead = Math.min(agreeing(before, text, false), before.length - behind, text.length - behind);
  const moved = text.length - before.length;
  return meant.flatMap((one) => {
    if (endOf(one) <= ahead) return [one];
    return one.at >= before.length - behind ? [{ ...one, at: one.at + moved }] : [];
  });
}

/** Returns how many characters are equal from one end. */
function agreeing(one: string, other: string, fromEnd: boolean): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one.at(fromEnd ? -1 - count : count) === other.at(fromEnd ? -1 - count : count))
    count += 1;
  return count;
}

/** Replaces the text from `from` to `to` by a mention. `caret` is where writing continues. */
export function mention(
  writing: Writing,
  from: number,
  to: number,
  user: { id: Id; name: string },
): { text: string; meant: DraftMention[]; caret: number } {
  const { text } = writing;
  const rest = text.slice(to);
  const put = `${shownAs(user.name)}${SPACE.test(rest) ? "" : " "}`;
  const caret = from + shownAs(user.name).length + 1;
  const others = writing.meant.flatMap((one) => {
    if (endOf(one) <= from) return [one];
    return one.at >= to ? [{ ...one, at: one.at + put.length - (to - from) }] : [];
  });
  const meant = [...others, { at: from, id: user.id, name: user.name }].sort((a, b) => a.at - b.at);
  return { text: text.slice(0, from) + put + rest, meant, caret };
}

/** Returns the comment as it is sent, with tokens for mentions. */
export function asSent({ text, meant }: Writing): string {
  let sent = "";
  let at = 0;
  for (const one of meant) {
    const label = labelOf(one.name);
    // A mention that is no longer in the text, or is inside a word, is plain text.
    if (one.at < at || label === "" || !text.startsWith(shownAs(one.name), one.at)) continue;
    const before = sent + text.slice(at, one.at);
    if (!mayFollow(before)) continue;
    at = endOf(one);
    const rest = text.slice(at);
    sent = `${before}@${one.id}+${label}${rest === "" || SPACE.test(rest) ? "" : HAIR_SPACE}`;
  }
  return sent + text.slice(at);
}

/** Returns the mention that is being typed at the caret: its offset and its term; null if there is none. */
export function typedAt({ text, meant }: Writing, caret: number): { at: number; term: string } | null {
  const found = TERM.exec(text.slice(0, caret));
  if (found === null || !mayFollow(text.slice(0, found.index)) || meant.some((one) => one.at === found.index))
    return null;
  return { at: found.index, term: found[1] ?? "" };
}
