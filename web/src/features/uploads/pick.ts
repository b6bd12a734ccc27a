// Checks a chosen file by its content, never by its name.
//
// Promises: JPEG, PNG, WebP and GIF are accepted unchanged. HEIC and AVIF become JPEG if this browser can
// draw them, and so does a picture with more pixels than the server accepts, unless it moves. Everything else, SVG
// included, is refused with the name of the file and the reason. The name of the file is kept.

import { say } from "../../say";
import { BEGINNING_BYTES, hasTooManyPixels, moves } from "./pixels";

export const PICTURE_BYTES_MAX = 10 * 1024 * 1024;
/** The types that the file chooser offers. The check of a file does not depend on this. */
export const ACCEPT =
  "image/jpeg,image/png,image/webp,image/gif,image/heic,image/heif,image/avif,.heic,.heif,.avif";

/** The longest side, in pixels, of a picture that is drawn here. The server shows none larger. */
const SIDE_MAX = 4_096;

/** The limits of a picture, which depend on its purpose. */
export type Rule = { bytesMax: number; sideMax: number; tooLarge(name: string): string };

export const postRule: Rule = {
  bytesMax: PICTURE_BYTES_MAX,
  sideMax: SIDE_MAX,
  tooLarge: (name) => say("Image {name} is too large. Maximum size is 10MB", { name }),
};

/** The limits of a profile photo. A photo that is drawn here is small, because nobody sees it larger. */
export const photoRule: Rule = {
  bytesMax: 5 * 1024 * 1024,
  sideMax: 1_600,
  tooLarge: () => say("File size must be less than 5MB"),
};

const JPEG_QUALITY = 0.9;

export type Judged = { ok: true; name: string; type: string; blob: Blob } | { ok: false; message: string };
/** Draws a picture as a JPEG. Returns null if this is not possible. */
export type Redraw = (file: Blob, sideMax: number) => Promise<Blob | null>;

/** Returns whether pictures of this format may be animated. */
export const mayBeAnimated = (type: string): boolean => type === "image/gif" || type === "image/webp";

export const tooMany = "You can only upload up to 4 images per post";
export const notAPicture = (name: string): string => say("{name} is not a valid image file", { name });
const notHere = (name: string): string =>
  say("{name} is not a valid image file in this browser. Please save it as a JPEG.", { name });
const notRead = (name: string): string => say("{name} couldn't be read. Please choose it again.", { name });
const tooManyPixels = (name: string): string =>
  say("{name} has too many pixels. An image has at most 12,000 on each side, and 50 million in all.", {
    name,
  });

export async function judge(file: File, redraw: Redraw = redrawHere, rule: Rule = postRule): Promise<Judged> {
  const { name } = file;
  if (file.size > rule.bytesMax) return { ok: false, message: rule.tooLarge(name) };
  // A file that cannot be read is refused here.
  const bytes = await beginning(file).catch(() => null);
  if (bytes === null) return { ok: false, message: notRead(name) };
  const kind = sniff(bytes);
  if (kind === null) return { ok: false, message: notAPicture(name) };
  const isLarge = kind !== "foreign" && hasTooManyPixels(bytes);
  // A JPEG would show its first picture alone.
  if (isLarge && moves(bytes)) return { ok: false, message: tooManyPixels(name) };
  // A slice gets the type of the content, whatever the name says.
  if (kind !== "foreign" && !isLarge)
    return { ok: true, name, type: kind, blob: file.slice(0, file.size, kind) };
  // One that cannot be drawn is refused here.
  const drawn = await redraw(file, rule.sideMax).catch(() => null);
  if (drawn === null || drawn.size === 0)
    return { ok: false, message: isLarge ? tooManyPixels(name) : notHere(name) };
  if (drawn.size > rule.bytesMax) return { ok: false, message: rule.tooLarge(name) };
  return { ok: true, name, type: "image/jpeg", blob: drawn };
}

type Kind = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

/** Returns the type by the first bytes. `foreign` needs the browser's own decoder. */
export function sniff(bytes: Uint8Array): Kind | "foreign" | null {
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (text(0, 6) === "GIF87a" || text(0, 6) === "GIF89a") return "image/gif";
  if (text(4, 8) === "ftyp" && brands(bytes).some((brand) => FOREIGN.has(brand))) return "foreign";
  return null;
}

const FOREIGN = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis"]);

/** Returns the brands of an ISO file: the major brand and the compatible brands. */
function brands(bytes: Uint8Array): string[] {
  const size = Math.min(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), bytes.length);
  const found: string[] = [];
  for (let at = 8; at + 4 <= size; at += at === 8 ? 8 : 4)
    found.push(String.fromCharCode(...bytes.subarray(at, at + 4)));
  return found;
}

async function beginning(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer());
}

/** Draws a picture with the browser's decoder, upright, on a white background. */
async function redrawHere(file: Blob, sideMax: number): Promise<Blob | null> {
  const picture = await decode(file);
  const scale = Math.min(1, sideMax / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  if (picture instanceof ImageBitmap) picture.close();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY));
}

async function decode(file: Blob): Promise<ImageBitmap | HTMLImageElement> {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    // Some browsers decode a picture in an `img` that `createImageBitmap` does not decode.
    const url = URL.createObjectURL(file);
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
      return image;
    } finally {
      URL.revokeObjectURL(url);
    }
  }
}
