// Reads and makes zip archives (APPNOTE 6.3.10), whose directory is at the end.

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

/** Returns a zip archive of these files, by name. They are not compressed. */
export function packed(files: Record<string, string | Buffer>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [title, content] of Object.entries(files)) {
    const name = Buffer.from(title);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    // The version that reads it, names in UTF-8, stored as it is, the first day of zip, the checksum and the sizes.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x800, 2);
    about.writeUInt16LE(0x21, 8);
    about.writeUInt32LE(checksum(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const entry = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), about, name, bytes]);
    directory.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), about, place, name);
    entries.push(entry);
    at += entry.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...entries, index, Buffer.from("PK\x05\x06", "latin1"), end]);
}

/** Returns the CRC-32 of bytes. */
function checksum(bytes: Buffer): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
