// The line between a page and the server, held in the story's hand: it can be listened to, cut, and
// made to keep an answer to itself.

import type { Page, WebSocketRoute } from "@playwright/test";
import { createCodec, decode, encode } from "msgpack-lite";

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

/** Another tab of the same browser without this tab's goodbyes: what a killed browser leaves. */
export async function killed(page: Page): Promise<Page> {
  const context = page.context();
  const session = await context.newCDPSession(page);
  void session.send("Page.crash").catch(() => undefined);
  await page.waitForEvent("crash");
  return context.newPage();
}

export class HeldLine {
  /** What the page has asked, in order. */
  readonly asked: Frame[] = [];
  /** Called before a request goes out; false keeps it from the server. */
  out: (request: Frame) => boolean | void = () => true;
  /** Called before an answer comes in; false keeps it from the page. */
  in: (request: Frame | undefined, reply: Frame) => boolean | void = () => true;
  private route: WebSocketRoute | null = null;
  private server: WebSocketRoute | null = null;

  /** Takes hold of every line the page opens from now on, and has it open a new one. */
  static async of(page: Page): Promise<HeldLine> {
    const line = new HeldLine();
    await page.routeWebSocket(/\/ws$/, (route) => line.take(route));
    await page.reload();
    return line;
  }

  /** Cuts it, as a tunnel does. */
  async cut(): Promise<void> {
    await this.route?.close({ code: 4100 });
    await this.server?.close({ code: 4100 });
  }

  /** Answers in the server's place. */
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
      if (this.in(reply.re === undefined ? undefined : waiting.get(reply.re), reply) !== false)
        route.send(message);
    });
  }
}
