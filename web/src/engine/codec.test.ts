import { describe, expect, test } from "vitest";
import { copy, toString, write as writeText } from "../../build/bytes";
import { Int64BE, Uint64BE, read, write } from "../../build/numbers";
import { pack, readFrame, unpack } from "./codec";

const bytes = (...values: number[]) => new Uint8Array(values).buffer;

describe("codec", () => {
  test("a request keeps its fields, and a key is sent as bytes", () => {
    const key = new Uint8Array([1, 2, 255]).buffer;
    const packed = pack({ id: 1, key });
    expect([...packed]).toEqual([0x82, 0xa2, 0x69, 0x64, 1, 0xa3, 0x6b, 0x65, 0x79, 0xc4, 3, 1, 2, 255]);
    const back = unpack(packed.slice().buffer) as { key: ArrayBuffer };
    expect([...new Uint8Array(back.key)]).toEqual([1, 2, 255]);
  });

  test("half an emoji is sent as a replacement character, and the rest of the text is unchanged", () => {
    const back = unpack(pack({ text: "\ud800x" }).slice().buffer) as { text: string };
    expect(back.text).toBe("\ufffdx");
  });

  test("ids up to 2^53 are kept exactly", () => {
    // uint64 9007199254740991
    expect(unpack(bytes(0xcf, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))).toBe(9_007_199_254_740_991);
    expect(unpack(pack(1_763_700_000_000).slice().buffer)).toBe(1_763_700_000_000);
  });

  test("the build moves a part of its bytes, also within one array", () => {
    const moved = (at: number, start?: number, end?: number) => {
      const bytes = new Uint8Array([1, 2, 3, 4, 5, 0, 0, 0]);
      return [copy.call(bytes, bytes, at, start, end), ...bytes];
    };
    expect(moved(3, 0, 5)).toEqual([5, 1, 2, 3, 1, 2, 3, 4, 5]);
    expect(moved(0, 2, 5)).toEqual([3, 3, 4, 5, 4, 5, 0, 0, 0]);
    expect(moved(4, 1, 1)).toEqual([0, 1, 2, 3, 4, 5, 0, 0, 0]);
    const target = new Uint8Array(4);
    expect(copy.call(new Uint8Array([7, 8]), target, 1)).toBe(2);
    expect([...target]).toEqual([0, 7, 8, 0]);
  });

  test("the build reads and writes text in any script, and half an emoji as a replacement character", () => {
    const again = (text: string) => {
      const held = new Uint8Array(40);
      const end = 3 + writeText.call(held, text, 3);
      return toString.call(held, "", 3, end);
    };
    for (const text of ["", "plain", "žluťoučký", "漢字", "مرحبا", "a🌿b", "\ufeffmarked"])
      expect(again(text)).toBe(text);
    expect([again("\ud800x"), again("x\udc00")]).toEqual(["\ufffdx", "x\ufffd"]);
  });

  test("the build reads and writes numbers as the library does", () => {
    for (const eight of [
      [0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
      [0, 0, 0, 1, 0, 0, 0, 0],
      [0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
      [0xff, 0xe0, 0, 0, 0, 0, 0, 1],
    ]) {
      const held = new Uint8Array([7, ...eight]);
      expect(new Uint64BE(held, 1).toNumber()).toBe(unpack(bytes(0xcf, ...eight)));
      expect(new Int64BE(held, 1).toNumber()).toBe(unpack(bytes(0xd3, ...eight)));
    }
    for (const number of [0.5, -1.25, 1_763_700_000_000, 9_007_199_254_740_991, Number.MIN_VALUE]) {
      const held = new Uint8Array(9);
      write(held, number, 1, false, 52, 8);
      expect([0xcb, ...held.slice(1)]).toEqual([...pack(number)]);
      expect(read(held, 1, false, 52, 8)).toBe(number);
    }
    const four = [0x3f, 0xc0, 0, 0];
    expect(read(new Uint8Array(four), 0, false, 23, 4)).toBe(unpack(bytes(0xca, ...four)));
  });

  test("nil, absent values and text in any script are kept", () => {
    const value = { a: null, b: "Zoë 🌿 שלום", c: [1, -1, 0.5], d: true };
    expect(unpack(pack({ ...value, e: undefined }).slice().buffer)).toEqual({ ...value, e: null });
  });

  test("a frame is a reply, an event, or nothing", () => {
    const read = (value: unknown) => readFrame(pack(value).slice().buffer);
    expect(read({ re: 7, ok: {} })?.kind).toBe("reply");
    expect(
      read({
        re: null,
        err: { code: "bad_frame", message: "", why: "bad_frame", values: {}, field: null, retry_ms: null },
      })?.kind,
    ).toBe("reply");
    expect(read({ ev: "beat", seq: 1, sent: 0 })?.kind).toBe("event");
    expect(read({ hi: 1 })).toBe(null);
    expect(read(3)).toBe(null);
    expect(readFrame(bytes(0xdb, 0xff, 0xff, 0xff, 0xff))).toBe(null);
  });
});
