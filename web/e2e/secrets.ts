// The metadata that a phone writes into a photograph: its orientation, its location, and a private note.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The note. No file may contain it. */
export const SECRET = "home-is-at-59N-18E";

/** Returns the photograph with an orientation (sideways), a location and the note in its metadata. */
export function withSecrets(jpeg: Buffer): Buffer {
  const words = Buffer.from(`${SECRET}\0`, "latin1");
  // Two directories (TIFF 6, Exif 2.3): the image and its GPS data.
  const GPS_AT = 8 + 2 + 3 * 12 + 4;
  const WORDS_AT = GPS_AT + 2 + 2 * 12 + 4;
  const PLACE_AT = WORDS_AT + words.length + (words.length % 2);
  const tiff = Buffer.alloc(PLACE_AT + 24);
  tiff.write("II*\0", 0, "latin1");
  tiff.writeUInt32LE(8, 4);
  const entry = (at: number, tag: number, type: number, count: number, value: number): void => {
    tiff.writeUInt16LE(tag, at);
    tiff.writeUInt16LE(type, at + 2);
    tiff.writeUInt32LE(count, at + 4);
    tiff.writeUInt32LE(value, at + 8);
  };
  tiff.writeUInt16LE(3, 8);
  entry(10, 0x010e, 2, words.length, WORDS_AT);
  entry(22, 0x0112, 3, 1, 6);
  entry(34, 0x8825, 4, 1, GPS_AT);
  tiff.writeUInt16LE(2, GPS_AT);
  entry(GPS_AT + 2, 0x0001, 2, 2, "N".charCodeAt(0));
  entry(GPS_AT + 14, 0x0002, 5, 3, PLACE_AT);
  words.copy(tiff, WORDS_AT);
  for (const [at, part] of [59, 19, 46].entries()) {
    tiff.writeUInt32LE(part, PLACE_AT + at * 8);
    tiff.writeUInt32LE(1, PLACE_AT + at * 8 + 4);
  }
  const segment = (body: Buffer): Buffer => {
    const head = Buffer.from([0xff, 0xe1, 0, 0]);
    head.writeUInt16BE(body.length + 2, 2);
    return Buffer.concat([head, body]);
  };
  const exif = segment(Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]));
  const xmp = segment(
    Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${SECRET}</x:xmpmeta>`, "latin1"),
  );
  return Buffer.concat([jpeg.subarray(0, 2), exif, xmp, jpeg.subarray(2)]);
}

/** Returns every file in a folder and its subfolders that contains one of these words. */
export function filesWith(folder: string, words: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return words.some((word) => bytes.includes(word));
    });
}
