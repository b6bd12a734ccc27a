// Intercepts the connection between a page and the server. A test can observe it, close it, and make it drop
// a request or a reply.

import type { Page, WebSocketRoute } from "@playwright/test";
import { createCodec, decode, encode } from "msgpack-lite";

import { chromiumTools } from "./chromium";

const codec = createCodec({ binarraybuffer: true });
const read = (message: string | Buffer) => decode(Buffer.from(message as Buffer), { codec }) as Frame;

export type Frame = {
  id?: number;
  op?: string;
  re?: number;
  ok?: unknown;
  err?: unknown;
  [field: string]: unknown;
};

/** Crashes the tab, so that no unload handler runs, and returns a new tab of the same browser. */
export async function killed(page: Page): Promise<Page> {
  const context = page.context();
  const session = await chromiumTools(page);
  void session.send("Page.crash").catch(() => undefined);
  await page.waitForEvent("crash");
  return context.newPage();
}

export class InterceptedConnection {
  /** The requests of the page, in order. */
  readonly asked: Frame[] = [];
  /** The names of the answered requests, in the order of the replies. */
  readonly replied: string[] = [];
  /** Called before a request is forwarded. False drops the request. */
  out: (request: Frame) => boolean | void = () => true;
  /** Called before a reply or event is forwarded. False drops it. */
  in: (request: Frame | undefined, reply: Frame) => boolean | void = () => true;
  private route: WebSocketRoute | null = null;
  private server: WebSocketRoute | null = null;

  /** Intercepts every connection that the page opens from now on, and reloads the page. */
  static async of(page: Page): Promise<InterceptedConnection> {
    const connection = new InterceptedConnection();
    await page.routeWebSocket(/\/ws$/, (route) => connection.take(route));
    await page.reload();
    return connection;
  }

  /** Closes the connection, as a lost network does. */
  async cut(): Promise<void> {
    await this.route?.close({ code: 4100 });
    await this.server?.close({ code: 4100 });
  }

  /** Replies in the server's place. */
  answer(request: Frame, reply: Omit<Frame, "re">): void {
    this.route?.send(Buffer.from(encode({ re: request.id, ...reply }, { codec })));
  }

  private take(route: WebSocketRoute): void {
    const server = route.connectToServer();
    this.route = route;
    this.server = server;
    const waiting = new Map<number, Frame>();
    route.onMessage((message) => {
      const request = read(message);
      this.asked.push(request);
      if (request.id !== undefined) waiting.set(request.id, request);
      if (this.out(request) !== false) server.send(message);
    });
    server.onMessage((message) => {
      const reply = read(message);
      const request = reply.re === undefined ? undefined : waiting.get(reply.re);
      if (this.in(request, reply) === false) return;
      route.send(message);
      if (request?.op !== undefined) this.replied.push(request.op);
    });
  }
}
