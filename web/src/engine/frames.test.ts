// Golden frames: the tests of the server and these tests read the same bytes. Each file contains one frame or
// a list of frames, `{name, hex, value}`. Bytes inside a value are written as `{"$bin": "00ff"}`.

import { describe, expect, test } from "vitest";
import { pack, unpack } from "./codec";

type Golden = { name: string; hex: string; value: unknown };

const files = import.meta.glob<Golden | Golden[]>("../../../tests/frames/*.json", {
  eager: true,
  import: "default",
});
const frames = Object.values(files).flat();

const bytesOf = (hex: string): ArrayBuffer =>
  new Uint8Array((hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16))).buffer;

/** Converts bytes to the form in the files, so that two values can be compared. */
function plain(value: unknown): unknown {
  if (value instanceof ArrayBuffer)
    return { $bin: [...new Uint8Array(value)].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  return value;
}

describe("golden frames", () => {
  test("the folder is read", () => {
    expect(Array.isArray(frames)).toBe(true);
  });
  for (const { name, hex, value } of frames)
    test(name, () => {
      const read = unpack(bytesOf(hex));
      expect(plain(read)).toEqual(value);
      // Encoding the value again and decoding it gives the same value.
      expect(plain(unpack(pack(read).slice().buffer))).toEqual(value);
    });
});
