import { describe, expect, test } from "vitest";
import { seededRandom } from "../../testing/fakeSocket";
import { countSeen, labelOf, mentionPieces, mentioned, wordsOf } from "./mentions";
import type { Piece } from "./mentions";

const NAMES = [
  "Ana",
  "Ana Berg",
  "a_b",
  "_x_",
  "Zoë 🌿",
  "שלום עולם",
  "عائشة بنت",
  "a+b",
  "me@home",
  "+",
  "١٢٣",
  "O'Neil, Jr.",
  "@",
  "👩‍👩‍👧 and us",
];
const again = (pieces: Piece[]): string =>
  pieces.map((piece) => ("id" in piece ? `@${piece.id}+${piece.label}` : piece.words)).join("");

/** The parser of the server, one character at a time. */
function slowly(text: string): Piece[] {
  const isWord = /[\p{Alphabetic}\p{N}]/u;
  const isSpace = /\p{White_Space}/u;
  const letters = [...text];
  const found: Piece[] = [];
  let words = "";
  for (let at = 0; at < letters.length;) {
    let after = at + 1;
    while (after < letters.length && /[0-9]/.test(letters[after] ?? "")) after += 1;
    const digits = letters.slice(at + 1, after).join("");
    let end = after + 1;
    while (end < letters.length && !isSpace.test(letters[end] ?? "")) end += 1;
    const label = letters.slice(after + 1, end).join("");
    const isFree = at === 0 || !isWord.test(letters[at - 1] ?? "");
    const sound =
      digits.length >= 1 && digits.length <= 16 && !digits.startsWith("0") && BigInt(digits) < 2n ** 53n;
    if (letters[at] === "@" && isFree && sound && letters[after] === "+" && label !== "") {
      if (words !== "") found.push({ words });
      words = "";
      found.push({ id: Number(digits), label });
      at = end;
    } else {
      words += letters[at] ?? "";
      at += 1;
    }
  }
  if (words !== "") found.push({ words });
  return found;
}

describe("mentions", () => {
  test("c38: every name survives encoding and decoding", () => {
    for (const name of NAMES) {
      const found = mentionPieces(`hello @7+${labelOf(name)} and goodbye`);
      expect(found).toEqual([
        { words: "hello " },
        { id: 7, label: labelOf(name) },
        { words: " and goodbye" },
      ]);
      expect(wordsOf(labelOf(name))).toBe(name.replaceAll("_", " "));
    }
  });

  test("text that only looks like a mention is plain text", () => {
    const none = [
      "@",
      "@+Ana",
      "@7",
      "@7+",
      "@7+ Ana",
      "@7+\u0085Ana",
      "@07+Ana",
      "ana@7+Ana",
      "é@7+Ana",
      "𝐚@7+Ana",
      "5@7+Ana",
      "@-7+Ana",
      "@7 +Ana",
      "@٧+Ana",
      "@9007199254740992+Ana",
      "@99999999999999999999+Ana",
      "+@+",
      "@7@8",
    ];
    for (const text of none) expect(mentionPieces(text)).toEqual([{ words: text }]);
  });

  test("the largest possible id is a mention, after anything except a letter or a digit", () => {
    for (const before of ["", "(", "_", "🌿", "\n", "-", "@"])
      expect(mentionPieces(`${before}@9007199254740991+A`).at(-1)).toEqual({
        id: 9_007_199_254_740_991,
        label: "A",
      });
  });

  test("each mentioned user is counted once", () => {
    const text = "(@7+Ana) @8+B\n@7+Ana's x@9+no @10+Y";
    expect(mentioned(text)).toEqual([7, 8, 10]);
    expect(countSeen("@1234567890123+Ana_B hi")).toBe("@Ana B hi".length);
    expect(countSeen("🌿 no mention")).toBe(12);
  });

  test("every text is parsed as the server does", () => {
    const random = seededRandom(7);
    const below = (sides: number): number => Math.floor(random() * sides);
    const parts = [
      "@",
      "+",
      "1",
      "0",
      "42",
      "9007199254740993",
      "@5+",
      "a",
      "é",
      "_",
      " ",
      "\n",
      "🌿",
      "ש",
      "\u200a",
      "\u0085",
      ".",
      "@8+Zoë_🌿",
    ];
    for (let round = 0; round < 3_000; round += 1) {
      const text = Array.from({ length: 1 + below(12) }, () => parts[below(parts.length)]).join("");
      const found = mentionPieces(text);
      expect(found, JSON.stringify(text)).toEqual(slowly(text));
      expect(again(found)).toBe(text);
    }
  });
});
