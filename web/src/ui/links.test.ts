import { expect, test } from "vitest";
import { pieces } from "./links";

/** Each text, with the addresses in it. */
const TEXTS: [text: string, ...addresses: string[]][] = [
  // Apostrophes of names, and those after an address.
  ["https://en.wikipedia.org/wiki/Schindler's_List", "https://en.wikipedia.org/wiki/Schindler's_List"],
  ["https://en.wikipedia.org/wiki/Schindler’s_List", "https://en.wikipedia.org/wiki/Schindler’s_List"],
  ["https://example.org's new page", "https://example.org"],
  ["https://example.org/a’s new page", "https://example.org/a"],
  ["https://a.example/Products('abc')?x=1", "https://a.example/Products('abc')?x=1"],
  ["'https://example.org/q', he said", "https://example.org/q"],
  // Quotes of all languages.
  ["“https://example.org/q”", "https://example.org/q"],
  ["„https://example.org/q“", "https://example.org/q"],
  ["‘https://example.org/q’", "https://example.org/q"],
  ["«https://example.org/q»", "https://example.org/q"],
  ["»https://example.org/q«", "https://example.org/q"],
  ["‹https://example.org/q›.", "https://example.org/q"],
  ["「https://example.org/q」です", "https://example.org/q"],
  ['"https://example.org/q"', "https://example.org/q"],
  // Brackets.
  ["(https://en.wikipedia.org/wiki/A_(b))", "https://en.wikipedia.org/wiki/A_(b)"],
  ["https://en.wikipedia.org/wiki/A_(b).", "https://en.wikipedia.org/wiki/A_(b)"],
  ["(see https://example.org/a.)", "https://example.org/a"],
  ["[words](https://example.org/a)and more", "https://example.org/a"],
  ["https://example.org/a(see also this)", "https://example.org/a"],
  ["https://example.org(see)", "https://example.org"],
  ["https://[::1]:8080/a[0]", "https://[::1]:8080/a[0]"],
  ["（https://example.org/q）", "https://example.org/q"],
  ["【https://example.org/q】", "https://example.org/q"],
  ["<https://example.org/q>", "https://example.org/q"],
  // Scripts without spaces, and their punctuation.
  ["见https://example.org/c，再见", "https://example.org/c"],
  ["见https://example.org/c。再见", "https://example.org/c"],
  ["https://example.org/c（说明）", "https://example.org/c"],
  ["https://example.org/c～", "https://example.org/c"],
  [
    "https://ja.wikipedia.org/wiki/レオナルド・ダ・ヴィンチ",
    "https://ja.wikipedia.org/wiki/レオナルド・ダ・ヴィンチ",
  ],
  ["انظر https://example.org/c، شكرا", "https://example.org/c"],
  ["https://example.org/c؟", "https://example.org/c"],
  ["https://example.org/c।", "https://example.org/c"],
  ["https://bo.wikipedia.org/wiki/བོད་ཡིག", "https://bo.wikipedia.org/wiki/བོད་ཡིག"],
  ["https://ca.wikipedia.org/wiki/Col·legi", "https://ca.wikipedia.org/wiki/Col·legi"],
  ["https://hi.wikipedia.org/wiki/हिन्दी", "https://hi.wikipedia.org/wiki/हिन्दी"],
  // Dashes.
  ["https://en.wikipedia.org/wiki/Michelson–Morley", "https://en.wikipedia.org/wiki/Michelson–Morley"],
  ["https://example.org/c—which is nice", "https://example.org/c"],
  // The end of a sentence.
  ["https://example.org/a.", "https://example.org/a"],
  ["https://example.org/a, https://example.org/b;", "https://example.org/a", "https://example.org/b"],
  ["https://example.org/a?!", "https://example.org/a"],
  ["https://example.org/a…", "https://example.org/a"],
  ["https://example.org/a...", "https://example.org/a"],
  ["https://example.org/a?b=c&d=e", "https://example.org/a?b=c&d=e"],
  ["https://example.org/a,https://example.org/b", "https://example.org/a", "https://example.org/b"],
  ["(https://example.org/a)https://example.org/b", "https://example.org/a", "https://example.org/b"],
  ["(https://example.org/a)(https://example.org/b)", "https://example.org/a", "https://example.org/b"],
  ["https://a.example/web/https://b.example/", "https://a.example/web/https://b.example/"],
  // Marks around an address.
  ["**https://example.org/b**", "https://example.org/b"],
  ["_https://example.org/b_", "https://example.org/b"],
  ["~~https://example.org/b~~", "https://example.org/b"],
  ["|https://example.org/b|", "https://example.org/b"],
  ["https://example.org/b_", "https://example.org/b_"],
  // Hosts and ports.
  ["https://例え.jp/パス", "https://例え.jp/パス"],
  ["https://müsli.example.", "https://müsli.example"],
  ["http://localhost:8080/a:", "http://localhost:8080/a"],
  ["https://example.org:8080.", "https://example.org:8080"],
  ["HTTPS://EXAMPLE.ORG/A", "HTTPS://EXAMPLE.ORG/A"],
  ["https://example.org/👨‍👩‍👧🏽 ok", "https://example.org/👨‍👩‍👧🏽"],
  ["https://example.org/a\u{202e}b", "https://example.org/a"],
  ["https://example.org/a\u{200b}b", "https://example.org/a"],
  // No addresses.
  ["https:// http://. ftp://a.example xhttps://a.example"],
];

test.each(TEXTS)("in `%s` people see the address as it was meant", (text, ...addresses) => {
  const found = pieces(text);
  expect(found.flatMap(({ text: shown, href }) => (href === null ? [] : [shown]))).toEqual(addresses);
  expect(found.map(({ text: shown }) => shown).join("")).toBe(text);
});

test("an address leads to the host that a browser would ask", () => {
  expect(pieces("https://müsli.example/ä")[0]?.href).toBe("https://xn--msli-0ra.example/%C3%A4");
});
