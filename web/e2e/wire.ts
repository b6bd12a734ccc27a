// Speaking the protocol beside a person's page: to bring a post with pictures into the world in one
// breath, where a story is about reading it. The socket is the page's own browser's, so is the login.

import { randomBytes } from "node:crypto";

import type { Page } from "@playwright/test";
import { createCodec, decode, encode } from "msgpack-lite";

import type { Fields, Ok, Op } from "../src/wire/frames";

const codec = createCodec({ binarraybuffer: true });

/** `wire.ts` of the app asks in the browser; this asks from here, through a socket in the browser. */
class Line {
  private lastId = 0;

  constructor(private readonly page: Page) {}

  async ask<K extends Op>(op: K, fields: Fields<K>): Promise<Ok<K>> {
    this.lastId += 1;
    const bytes = encode({ id: this.lastId, op, ...fields }, { codec });
    await this.page.evaluate(say, Buffer.from(bytes).toString("base64"));
    for (;;) {
      const frame = decode(Buffer.from(await this.page.evaluate(hear), "base64"), { codec }) as { re?: number; ok?: Ok<K>; err?: unknown };
      if (frame.re !== this.lastId) continue;
      if (frame.ok === undefined) throw new Error(`${op}: ${JSON.stringify(frame.err)}`);
      return frame.ok;
    }
  }
}

export type Shown = { bytes: Buffer; alt?: string };

/** Posts words with pictures, as the person whose page this is. */
export async function posted(page: Page, text: string, pictures: Shown[], more: { title?: string; tag?: string } = {}): Promise<number> {
  await page.evaluate(open);
  const line = new Line(page);
  const chosen = [];
  for (const [index, { bytes, alt }] of pictures.entries()) {
    const upload = name();
    const begun = await line.ask("uploads.begin", { upload, name: `picture ${index}.jpg`, size_bytes: bytes.length, content_type: "image/jpeg", index, purpose: null });
    for (let at = 0; at < bytes.length; at += begun.chunk_bytes)
      await line.ask("uploads.chunk", { upload, offset: at, bytes: exact(bytes.subarray(at, at + begun.chunk_bytes)) });
    await line.ask("uploads.commit", { upload });
    chosen.push({ upload, alt: alt ?? null });
  }
  const { post } = await line.ask("posts.create", { key: name(), title: more.title ?? null, text, tag: more.tag ?? null, audience: { type: "public" }, pictures: chosen });
  await page.evaluate(close);
  return post.id;
}

const exact = (bytes: Buffer): ArrayBuffer => Uint8Array.from(bytes).buffer;
const name = (): ArrayBuffer => exact(randomBytes(16));

type Held = { socket: WebSocket; heard: string[]; wake(): void };
type Lending = Window & { lent?: Held };

function open(): Promise<void> {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`, "mellow.1");
  socket.binaryType = "arraybuffer";
  const held: Held = { socket, heard: [], wake: () => undefined };
  (window as Lending).lent = held;
  socket.onmessage = ({ data }) => {
    held.heard.push(Array.from(new Uint8Array(data as ArrayBuffer), (byte) => String.fromCharCode(byte)).join(""));
    held.wake();
  };
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("no socket"));
  });
}

function say(bytes: string): void {
  (window as Lending).lent?.socket.send(Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)));
}

async function hear(): Promise<string> {
  const held = (window as Lending).lent as Held;
  if (held.heard.length === 0) await new Promise<void>((resolve) => (held.wake = resolve));
  return btoa(held.heard.shift() ?? "");
}

function close(): void {
  (window as Lending).lent?.socket.close();
}
