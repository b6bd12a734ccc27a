// A post while it is written: its text, its audience, its pictures in order, and the key it is sent with.
// Composer, uploads and drafts share these types.

import type { Audience } from "../../engine/types.gen";

export type Words = { title: string; text: string; tag: string };

/** A picture beside its bytes. `upload` is its name on the wire, in hex; `index` stays what it was when it was chosen. */
export type PictureNote = {
  upload: string;
  name: string;
  type: string;
  size: number;
  index: number;
  alt: string;
};

/** What was last asked to be posted, and with which key: the same again is the same post. */
export type Asked = { key: string; body: string };

/** Everything that must be there again after the page has gone. */
export type Draft = {
  words: Words;
  audience: Audience;
  pictures: PictureNote[];
  asked: Asked | null;
  /** When it was shared, while its pictures are not out: it goes out by itself. */
  sharedAtMs: number | null;
};

export const PICTURES_MAX = 4;
export const ALT_CHARS_MAX = 300;

export const noWords: Words = { title: "", text: "", tag: "" };

/** Bytes as text, for what can hold only text. */
export function hexOf(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytesOf(hex: string): ArrayBuffer {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes.buffer;
}
