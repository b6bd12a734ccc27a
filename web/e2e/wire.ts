// Sends requests without the app, to set up users and posts quickly. The socket is opened in the page's
// browser, so it has the page's login.

import { randomBytes } from "node:crypto";

import type { Page as BrowserPage } from "@playwright/test";
import { createCodec, decode, encode } from "msgpack-lite";

import { HINT } from "../src/engine/loginHint";
import type { Fields, Ok, Op } from "../src/engine/frames";
import type { Audience } from "../src/engine/types.gen";
import type { Tab } from "./engines/tab";

const codec = createCodec({ binarraybuffer: true });

/** A page of Playwright, or a tab of any engine. */
type Page = Pick<Tab, "evaluate">;

type Request = { [K in Op]: { op: K } & Fields<K> }[Op];
type ReplyFrame = { re?: number; ok?: unknown; err?: unknown };

/** How many requests are unanswered at a time. A socket may have more. */
const AT_ONCE = 24;

/** Sends requests from the test through a socket in the browser. */
export class Connection {
  private lastId = 0;

  constructor(private readonly page: Page) {}

  async ask<K extends Op>(op: K, fields: Fields<K>): Promise<Ok<K>> {
    const [ok] = await this.askAll([{ op, ...fields } as Request]);
    return ok as Ok<K>;
  }

  /** Sends many requests, several at a time. Returns the replies in the order of the requests. */
  async askAll(requests: readonly Request[]): Promise<unknown[]> {
    const replies: unknown[] = [];
    for (let from = 0; from < requests.length; from += AT_ONCE)
      replies.push(...(await this.askTogether(requests.slice(from, from + AT_ONCE))));
    return replies;
  }

  private async askTogether(requests: readonly Request[]): Promise<unknown[]> {
    const first = this.lastId + 1;
    this.lastId += requests.length;
    const frames = requests.map((request, at) => encode({ id: first + at, ...request }, { codec }));
    await this.page.evaluate(
      send,
      frames.map((bytes) => Buffer.from(bytes).toString("base64")),
    );
    const replies = new Map<number, unknown>();
    while (replies.size < requests.length)
      for (const bytes of await this.page.evaluate(receive)) {
        const frame = decode(Buffer.from(bytes, "base64"), { codec }) as ReplyFrame;
        const request = frame.re === undefined ? undefined : requests[frame.re - first];
        if (frame.re === undefined || request === undefined) continue;
        if (frame.ok === undefined) throw new Error(`${request.op}: ${JSON.stringify(frame.err)}`);
        replies.set(frame.re, frame.ok);
      }
    return requests.map((_, at) => replies.get(first + at));
  }
}

/** Sends requests as the user of this page, on a connection that is closed afterwards. */
export async function withConnection<T>(
  page: Page,
  what: (connection: Connection) => Promise<T>,
): Promise<T> {
  await page.evaluate(open);
  const done = await what(new Connection(page));
  await page.evaluate(close);
  return done;
}

/**
 * Signs a user up and stores the login in the browser. The page must be of this server and must not load the
 * app.
 */
export async function signedUp(
  page: Page,
  { email, password, name: called }: { email: string; password: string; name: string },
): Promise<number> {
  const { ticket, me } = await withConnection(page, (connection) =>
    connection.ask("auth.sign_up", {
      key: name(),
      email,
      password,
      name: called,
      invite: null,
      language: null,
    }),
  );
  await page.evaluate(enter, { ticket, me: String(me.id), hint: HINT });
  return me.id;
}

/** Sends one request and returns its reply. */
export const asked = <K extends Op>(page: Page, op: K, fields: Fields<K>): Promise<Ok<K>> =>
  withConnection(page, (connection) => connection.ask(op, fields));

export type Shown = { bytes: Buffer; alt?: string };
type More = { title?: string; tag?: string; content_note?: string; audience?: Audience };

/** Creates a post with pictures, as the user of this page. */
export function posted(page: Page, text: string, pictures: Shown[] = [], more: More = {}): Promise<number> {
  return withConnection(page, async (connection) => {
    const chosen = [];
    for (const [index, { bytes, alt }] of pictures.entries()) {
      const upload = name();
      const begun = await connection.ask("uploads.begin", {
        upload,
        name: `picture ${index}.jpg`,
        size_bytes: bytes.length,
        content_type: "image/jpeg",
        index,
        purpose: null,
      });
      for (let at = 0; at < bytes.length; at += begun.chunk_bytes)
        await connection.ask("uploads.chunk", {
          upload,
          offset: at,
          bytes: exact(bytes.subarray(at, at + begun.chunk_bytes)),
        });
      await connection.ask("uploads.commit", { upload });
      chosen.push({ upload, alt: alt ?? null });
    }
    const { title, tag, content_note, audience } = {
      title: null,
      tag: null,
      content_note: null,
      audience: { type: "public" } as const,
      ...more,
    };
    const { post } = await connection.ask("posts.create", {
      key: name(),
      title,
      text,
      tag,
      content_note,
      audience,
      pictures: chosen,
    });
    return post.id;
  });
}

/** Records every message on sockets that the page opens from now on, as text. */
export function received(page: BrowserPage): string[] {
  const messages: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (typeof payload !== "string") messages.push(JSON.stringify(decode(payload, { codec })));
    }),
  );
  return messages;
}

const exact = (bytes: Buffer): ArrayBuffer => Uint8Array.from(bytes).buffer;
export const name = (): ArrayBuffer => exact(randomBytes(16));

type TestSocket = { socket: WebSocket; received: string[]; wake(): void };
type WindowWithSocket = Window & { testSocket?: TestSocket };

function open(): Promise<void> {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`, "mellow.1");
  socket.binaryType = "arraybuffer";
  const own: TestSocket = { socket, received: [], wake: () => undefined };
  (window as WindowWithSocket).testSocket = own;
  socket.onmessage = ({ data }) => {
    own.received.push(
      Array.from(new Uint8Array(data as ArrayBuffer), (byte) => String.fromCharCode(byte)).join(""),
    );
    own.wake();
  };
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("no socket"));
  });
}

function send(frames: string[]): void {
  for (const bytes of frames)
    (window as WindowWithSocket).testSocket?.socket.send(
      Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)),
    );
}

/** Waits for a frame. Returns every frame that has arrived. */
async function receive(): Promise<string[]> {
  const own = (window as WindowWithSocket).testSocket as TestSocket;
  if (own.received.length === 0) await new Promise<void>((resolve) => (own.wake = resolve));
  return own.received.splice(0).map((bytes) => btoa(bytes));
}

function close(): void {
  (window as WindowWithSocket).testSocket?.socket.close();
}

async function enter({ ticket, me, hint }: { ticket: string; me: string; hint: string }): Promise<void> {
  const response = await fetch("/session", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: ticket,
  });
  if (!response.ok) throw new Error(`no session: ${response.status}`);
  localStorage.setItem(hint, me);
}
