// The size of a picture by the beginning of its file, so that a picture that is too large for the server is
// scaled down before it is sent.

/** The limits of the server, in pixels. */
const SIDE_MAX = 12_000;
const PIXELS_MAX = 50_000_000;
/** How much of a file is read. The size of a JPEG comes after its metadata, which can hold a small picture. */
export const BEGINNING_BYTES = 256 * 1024;

/** Returns whether a picture has more pixels than the server accepts. Without a size it is left to the server. */
export function hasTooManyPixels(bytes: Uint8Array): boolean {
  const [width, height] = pixels(bytes) ?? [0, 0];
  return Math.max(width, height) > SIDE_MAX || width * height > PIXELS_MAX;
}

/** Returns whether a picture is animated. A GIF counts as one, because its beginning may not say it. */
export function moves(bytes: Uint8Array): boolean {
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  return text.startsWith("GIF8") || (/^RIFF.{4}WEBPVP8X/su.test(text) && ((bytes[20] ?? 0) & 2) !== 0);
}

/** Returns the width and height of a JPEG, PNG, WebP or GIF; null if the bytes do not say them. */
export function pixels(bytes: Uint8Array): [number, number] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    switch (view.getUint16(0)) {
      case 0x8950: // PNG
        return [view.getUint32(16), view.getUint32(20)];
      case 0x4749: // GIF
        return [view.getUint16(6, true), view.getUint16(8, true)];
      case 0x5249: // RIFF
        return ofWebp(view);
      case 0xffd8:
        return ofJpeg(view);
      default:
        return null;
    }
  } catch {
    // The bytes end before the size.
    return null;
  }
}

function ofWebp(view: DataView): [number, number] | null {
  const three = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
  switch (view.getUint8(15)) {
    case 0x58: // VP8X
      return [1 + three(24), 1 + three(27)];
    case 0x20: // VP8
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case 0x4c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
    }
    default:
      return null;
  }
}

function ofJpeg(view: DataView): [number, number] | null {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // A marker may have fill bytes before it.
    if (marker === 0xff) at += 1;
    // Each of these begins a frame with the size, except three that are for tables.
    else if ((marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    else at += 2 + view.getUint16(at + 2);
  }
  return null;
}
