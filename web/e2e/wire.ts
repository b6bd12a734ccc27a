// Speaking the protocol beside a person's page: to bring somebody or something into the world in one
// breath, where a story is about what comes of it. The socket is the page's own browser's, so is the login.

import { randomBytes } from "node:crypto";

import type { Page } from "@playwright/test";
import { createCodec, decode, encode } from "msgpack-lite";

import { HINT } from "../src/engine/loginHint";
import type { Fields, Ok, Op } from "../src/engine/frames";
import type { Audience } from "../src/engine/types.gen";

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
      const frame = decode(Buffer.from(await this.page.evaluate(hear), "base64"), { codec }) as {
        re?: number;
        ok?: Ok<K>;
        err?: unknown;
      };
      if (frame.re !== this.lastId) continue;
      if (frame.ok === undefined) throw new Error(`${op}: ${JSON.stringify(frame.err)}`);
      return frame.ok;
    }
  }
}

/** Asks something of the server as the person whose page this is, on a line that is closed again. */
async function beside<T>(page: Page, what: (line: Line) => Promise<T>): Promise<T> {
  await page.evaluate(open);
  const done = await what(new Line(page));
  await page.evaluate(close);
  return done;
}

/** Signs somebody up and has their browser hold the login. The page must be of this server, and without the app. */
export async function signedUp(
  page: Page,
  { email, password, name: called }: { email: string; password: string; name: string },
): Promise<number> {
  const { ticket, me } = await beside(page, (line) =>
    line.ask("auth.sign_up", { key: name(), email, password, name: called, invite: null }),
  );
  await page.evaluate(enter, { ticket, me: String(me.id), hint: HINT });
  return me.id;
}

/** Asks one thing. */
export const asked = <K extends Op>(page: Page, op: K, fields: Fields<K>): Promise<Ok<K>> =>
  beside(page, (line) => line.ask(op, fields));

export type Shown = { bytes: Buffer; alt?: string };
type More = { title?: string; tag?: string; audience?: Audience };

/** Posts words with pictures, as the person whose page this is. */
export function posted(page: Page, text: string, pictures: Shown[] = [], more: More = {}): Promise<number> {
  return beside(page, async (line) => {
    const chosen = [];
    for (const [index, { bytes, alt }] of pictures.entries()) {
      const upload = name();
      const begun = await line.ask("uploads.begin", {
        upload,
        name: `picture ${index}.jpg`,
        size_bytes: bytes.length,
        content_type: "image/jpeg",
        index,
        purpose: null,
      });
      for (let at = 0; at < bytes.length; at += begun.chunk_bytes)
        await line.ask("uploads.chunk", {
          upload,
          offset: at,
          bytes: exact(bytes.subarray(at, at + begun.chunk_bytes)),
        });
      await line.ask("uploads.commit", { upload });
      chosen.push({ upload, alt: alt ?? null });
    }
    const { title, tag, audience } = {
      title: null,
      tag: null,
      audience: { type: "public" } as const,
      ...more,
    };
    const { post } = await line.ask("posts.create", {
      key: name(),
      title,
      text,
      tag,
      audience,
      pictures: chosen,
    });
    return post.id;
  });
}

const exact = (bytes: Buffer): ArrayBuffer => Uint8Array.from(bytes).buffer;
export const name = (): ArrayBuffer => exact(randomBytes(16));

type Held = { socket: WebSocket; heard: string[]; wake(): void };
type Lending = Window & { lent?: Held };

function open(): Promise<void> {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`, "mellow.1");
  socket.binaryType = "arraybuffer";
  const held: Held = { socket, heard: [], wake: () => undefined };
  (window as Lending).lent = held;
  socket.onmessage = ({ data }) => {
    held.heard.push(
      Array.from(new Uint8Array(data as ArrayBuffer), (byte) => String.fromCharCode(byte)).join(""),
    );
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

async function enter({ ticket, me, hint }: { ticket: string; me: string; hint: string }): Promise<void> {
  const answer = await fetch("/session", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: ticket,
  });
  if (!answer.ok) throw new Error(`no session: ${answer.status}`);
  localStorage.setItem(hint, me);
}
