/**
 * Returns a text without capitals and accents, for a search while somebody types. The key of a prefix is a
 * prefix of the key, so each character is folded by itself. Marks whose order Unicode can change are left
 * out, because it depends on those that follow. The server has the same function.
 */
export function searchKey(text: string): string {
  const letters = text.normalize("NFD").replace(/\p{M}/gu, (mark) =>
    // Unicode orders U+0345 behind all marks that it orders.
    `\u0345${mark}`.normalize("NFD").startsWith(mark) ? "" : mark,
  );
  // Upper case comes first, so that ß and SS, σ and ς, and i and ı become equal.
  return Array.from(letters, (letter) => letter.toLowerCase().toUpperCase())
    .flatMap((capitals) => Array.from(capitals, (capital) => capital.toLowerCase()))
    .join("");
}
