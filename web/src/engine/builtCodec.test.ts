// The build replaces parts of msgpack-lite (vite.config.ts), which no other test runs. So the codec is built here as it
// is for the page, and compared with the library.

import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import * as library from "./codec";

let built: typeof library;

/** Runs in a process of its own, because the bundler does not work in the threads of the tests. */
const BUILD = `
  import { build, loadConfigFromFile } from "vite";
  const { config } = await loadConfigFromFile({ command: "build", mode: "production" });
  const [{ output }] = await build({
    configFile: false,
    logLevel: "silent",
    resolve: config.resolve,
    build: {
      write: false,
      target: config.build.target,
      lib: { entry: "src/engine/codec.ts", name: "codec", formats: ["iife"] },
    },
  });
  process.stdout.write(output[0].code);
`;

beforeAll(() => {
  const code = execFileSync(process.execPath, ["--input-type=module", "--eval", BUILD], { encoding: "utf8" });
  // oxlint-disable-next-line no-implied-eval
  built = new Function(`${code}\nreturn codec;`)() as typeof library;
});

/** Letters that take one, two, three and four bytes, and half a pair. */
const LETTERS = ["a", "é", "ก", "😀", "\ud83d"];
/** The lengths around which the head of a text, of bytes, of a list and the buffer itself change. */
const EDGES = [0, 1, 15, 16, 31, 32, 127, 128, 254, 255, 256, 2_047, 2_048, 2_049];
const FAR_EDGES = [65_535, 65_536];

const bytes = (length: number): ArrayBuffer => Uint8Array.from({ length }, (_, at) => at % 251).buffer;
/** Texts with this many letters, and with about this many bytes. */
const textsOf = (length: number): string[] =>
  LETTERS.flatMap((letter, at) =>
    [length, Math.ceil(length / Math.min(4, at + 1))].flatMap((count) => [
      letter.repeat(count),
      `${"a".repeat(count)}${letter}`,
    ]),
  );
const texts = [
  ...EDGES.flatMap(textsOf),
  ...FAR_EDGES.flatMap((length) => ["a".repeat(length), "ก".repeat(length / 3)]),
];
const numbers = [7, 8, 15, 16, 31, 32, 40, 53].flatMap((bits) =>
  [-1, 0, 1].flatMap((by) => [2 ** bits + by, -(2 ** bits) + by]),
);
const listOf = (length: number): number[] => Array.from({ length }, (_, at) => at);
const VALUES: [string, unknown[]][] = [
  ["texts", texts],
  // The buffer grows while the frame is written.
  ["texts after one another", [texts.map((text, at) => ({ key: bytes(16), text, at })), texts]],
  [
    "numbers",
    [...numbers, 0, -0, 0.1, -1.5, 1e300, Number.MIN_VALUE, Infinity, -Infinity, NaN, 1_763_700_000_000],
  ],
  ["bytes", [...EDGES, ...FAR_EDGES].map(bytes)],
  ["lists", [...EDGES, ...FAR_EDGES].map(listOf)],
  ["objects", EDGES.map((length) => Object.fromEntries(listOf(length).map((at) => [`é${String(at)}`, at])))],
  ["the rest", [null, true, false, undefined, {}, [], { a: { b: [{ c: null }] } }]],
];

test.each(VALUES)("the page sends and reads %s as the library does", (_, values) => {
  for (const value of values) {
    const sent = library.pack(value);
    expect(Buffer.compare(built.pack(value), sent)).toBe(0);
    const read = built.unpack(sent.slice().buffer);
    expect(Buffer.compare(library.pack(read), sent)).toBe(0);
  }
});

test("the page reads numbers of eight bytes and floats, which only the server sends", () => {
  for (const frame of [
    [0xcf, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0xcf, 0, 0, 0, 1, 0x80, 0, 0, 0],
    [0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0xd3, 0xff, 0xff, 0xff, 0xfe, 0x7f, 0xff, 0xff, 0xff],
    [0xd3, 0, 0, 0, 1, 0, 0, 0, 0],
    [0xca, 0x3f, 0xc0, 0, 0],
    [0xcb, 0xc0, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18],
  ]) {
    const { buffer } = new Uint8Array(frame);
    expect(built.unpack(buffer)).toBe(library.unpack(buffer));
  }
});

test("the page drops a frame that ends early, as the library does", () => {
  const whole = library.pack({ re: 1, ok: { text: "é".repeat(40), key: bytes(16) } });
  for (let end = 0; end <= whole.length; end += 1) {
    const { buffer } = whole.slice(0, end);
    expect(built.readFrame(buffer)).toEqual(library.readFrame(buffer));
  }
});
