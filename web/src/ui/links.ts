// Finds web addresses in a text, and where each one ends. Only http and https count.
//
// Promise: an address ends where a reader would end it, in every script: at a space, a quotation mark, a
// bracket that it did not open, or the punctuation of a sentence.

export type Piece = { text: string; href: string | null };

const LETTER = String.raw`\p{L}\p{M}\p{N}\u200c\u200d`;
/** Symbols such as emoji, but not those of full width, which stand between words. */
const SYMBOL = String.raw`(?![<>\x60\uff00-\uffef])\p{S}`;
/**
 * Punctuation of words that is not ASCII, between two letters: an apostrophe, a hyphen, and what ends no
 * sentence, such as the dot in `Col·legi`.
 */
const INNER = String.raw`(?<=[${LETTER}])(?:[\u05be\u2010-\u2013\u2019]|(?![ -~\p{Term}\u2025\u2026])\p{Po})(?=[${LETTER}])`;
/** ASCII punctuation: of a host, and of what follows the host. Two addresses may have only a comma between them. */
const OF_HOST = String.raw`[-.:@%[\]_]`;
const OF_REST = String.raw`(?![,;|]https?:)[!#-/:;=?@[-_{-~]`;
const ADDRESS = new RegExp(
  String.raw`(?<![a-z\d])https?://(?:[${LETTER}]|${OF_HOST}|${SYMBOL}|${INNER})+(?:[/?#](?:[${LETTER}]|${OF_REST}|${SYMBOL}|${INNER})*)?`,
  "giu",
);
/** What ends a sentence or a quotation. An asterisk or a tilde is the mark of bold or struck words. */
const TAIL = /^[.,:;!?'|*~^\\\u200c\u200d]$/u;
const CLOSING: Partial<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  const search = new RegExp(ADDRESS);
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const shown = ended(match[0], text.charAt(match.index - 1));
    const href = parse(shown);
    if (href === null) continue;
    if (match.index > at) found.push({ text: text.slice(at, match.index), href: null });
    found.push({ text: shown, href });
    at = match.index + shown.length;
    search.lastIndex = at;
  }
  if (at < text.length) found.push({ text: text.slice(at), href: null });
  return found;
}

/** Returns the address without what belongs to the text around it. `before` is the character before it. */
function ended(match: string, before: string): string {
  const address = match.slice(0, balancedEnd(match));
  let end = address.length;
  while (end > 0) {
    const last = address.charAt(end - 1);
    if (TAIL.test(last) || (last === "_" && before === "_")) end -= 1;
    else if (/^['’]s$/iu.test(address.slice(end - 2, end))) end -= 2;
    else break;
  }
  return address.slice(0, end);
}

/** Returns where brackets are no longer in pairs. */
function balancedEnd(text: string): number {
  const open: { at: number; closing: string }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    const closing = CLOSING[letter];
    if (closing !== undefined) open.push({ at, closing });
    else if (/[)\]}]/u.test(letter) && open.pop()?.closing !== letter) return at;
  }
  return open[0]?.at ?? text.length;
}

function parse(address: string): string | null {
  try {
    const url = new URL(address);
    return url.hostname !== "" && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
  } catch {
    // This is no address, so it stays text.
    return null;
  }
}
