// Reads a zip archive (APPNOTE 6.3.10), whose directory is at its end.

import { inflateRawSync } from "node:zlib";

/** Returns the files of a zip archive, by name. */
export function unpacked(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  for (let nth = 0; nth < count; nth += 1) {
    const [how, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameSize, extraSize, noteSize, from] = [
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
      zip.readUInt32LE(at + 42),
    ];
    const name = zip.toString("utf8", at + 46, at + 46 + nameSize);
    const begin = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28);
    const bytes = zip.subarray(begin, begin + size);
    files.set(name, how === 0 ? bytes : inflateRawSync(bytes));
    at += 46 + nameSize + extraSize + noteSize;
  }
  return files;
}
