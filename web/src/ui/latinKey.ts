/** The signs that a key types on most Latin keyboards, by its place. */
const SIGNS: Record<string, string | undefined> = { Slash: "/", Period: "." };

/**
 * Returns the key that was pressed; for a character of another script, the one that a Latin keyboard has in
 * its place. A Latin character is never replaced, because Latin keyboards differ, so that the character
 * counts and not its place.
 */
export function latinKey({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1 || /[\p{ASCII}\p{Script=Latin}]/u.test(key)) return key;
  const sign = SIGNS[code] ?? code.replace(/^Key/u, "").toLowerCase();
  if (!shiftKey) return sign;
  return sign === "/" ? "?" : key;
}
