// The types of a post while it is written: its text, its audience, its pictures in order, and the key of its
// request. Composer, uploads and drafts share them.

import type { Audience } from "../../engine/types.gen";

export type Words = { title: string; text: string; tag: string; content_note: string };

/** A picture without its bytes. `upload` is its id, in hex. `index` is its position when it was chosen. */
export type PictureNote = {
  upload: string;
  name: string;
  type: string;
  size: number;
  index: number;
  alt: string;
};

/** The last request to create the post, and its key. The same content again has the same key. */
export type Asked = { key: string; body: string };

/** Everything that a draft saves. */
export type Draft = {
  words: Words;
  audience: Audience;
  pictures: PictureNote[];
  asked: Asked | null;
  /** When Share Post was pressed, if the post is not created yet. The next page then sends it by itself. */
  sharedAtMs: number | null;
};

export const PICTURES_MAX = 4;
export const ALT_CHARS_MAX = 300;

export const noWords: Words = { title: "", text: "", tag: "", content_note: "" };

/** Returns bytes as hex text, for example for storage. */
export function hexOf(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytesOf(hex: string): ArrayBuffer {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes.buffer;
}
