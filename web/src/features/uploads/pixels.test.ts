import { expect, test } from "vitest";
import { hasTooManyPixels, pixels } from "./pixels";

const bytes = (...numbers: number[]): Uint8Array => new Uint8Array(numbers);
const text = (words: string): number[] => [...new TextEncoder().encode(words)];

const png = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const made = new Uint8Array(33);
  made.set([0x89, ...text("PNG\r\n\x1a\n"), 0, 0, 0, 13, ...text("IHDR")]);
  const view = new DataView(made.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return made;
};

test("the size of a picture is read from the beginning of its file", () => {
  expect(pixels(png(12_001, 3_000))).toEqual([12_001, 3_000]);
  expect(pixels(bytes(...text("GIF89a"), 0x2c, 0x01, 0xc8, 0x00))).toEqual([300, 200]);
  // With metadata before the frame, and a fill byte.
  const jpeg = [0xff, 0xd8, 0xff, 0xe1, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, 0x2e, 0xe1, 0x0b, 0xb8, 3];
  expect(pixels(bytes(...jpeg))).toEqual([3_000, 12_001]);
  const webp = (kind: string, ...rest: number[]) =>
    pixels(bytes(...text("RIFF____WEBP"), ...text(kind), 0, 0, 0, 0, ...rest));
  expect(webp("VP8X", 0, 0, 0, 0, 0xe0, 0x2e, 0, 0xb7, 0x0b, 0)).toEqual([12_001, 3_000]);
  expect(webp("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 0x2c, 0x01, 0xc8, 0x00)).toEqual([300, 200]);
  // 300 - 1 in 14 bits, and 200 - 1 in the next 14.
  const bits = 299 | (199 << 14);
  expect(webp("VP8L", 0x2f, bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, bits >>> 24)).toEqual([
    300, 200,
  ]);
});

test("a file that ends early, or is no picture, has no size", () => {
  for (const cut of [png(9, 9).slice(0, 20), bytes(0xff, 0xd8, 0xff, 0xe1, 0, 0), bytes(1, 2, 3), bytes()])
    expect(pixels(cut)).toBe(null);
});

test("a panorama of 12,001 pixels is too large, one of 12,000 is not, and 50 megapixels are the most", () => {
  expect(hasTooManyPixels(png(12_001, 1))).toBe(true);
  expect(hasTooManyPixels(png(12_000, 4_166))).toBe(false);
  expect(hasTooManyPixels(png(12_000, 4_167))).toBe(true);
  expect(hasTooManyPixels(bytes())).toBe(false);
});
