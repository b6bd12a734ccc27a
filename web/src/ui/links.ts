// Finds web addresses in text. Only http and https count. Punctuation that ends a sentence is not part of an
// address. A closing bracket is part of it only if its opening bracket is.

export type Piece = { text: string; href: string | null };

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u200b\u202a-\u202e\u2066-\u2069]+/giu;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const shown = trimEnd(match[0]);
    const href = parse(shown);
    if (href === null) continue;
    if (match.index > at) found.push({ text: text.slice(at, match.index), href: null });
    found.push({ text: shown, href });
    at = match.index + shown.length;
  }
  if (at < text.length) found.push({ text: text.slice(at), href: null });
  return found;
}

function trimEnd(address: string): string {
  let end = address.length;
  while (end > 0) {
    const last = address.charAt(end - 1);
    if (/[.,:;!?…]/u.test(last)) end -= 1;
    else if (last === ")" && count(address, "(", end) < count(address, ")", end)) end -= 1;
    else if (last === "]" && count(address, "[", end) < count(address, "]", end)) end -= 1;
    else break;
  }
  return address.slice(0, end);
}

function count(text: string, letter: string, end: number): number {
  return text.slice(0, end).split(letter).length - 1;
}

function parse(address: string): string | null {
  try {
    const url = new URL(address);
    return url.hostname !== "" && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
  } catch {
    return null;
  }
}
