// A tab that Chromium can really hide. Playwright keeps its own pages visible, so this tab is opened and
// driven through the DevTools protocol.

import { setTimeout as sleep } from "node:timers/promises";

import type { Browser, CDPSession, Page } from "@playwright/test";

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown };
export type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  /** The thread's processor time at the beginning, and how much of it was used, in microseconds. */
  tts?: number;
  tdur?: number;
};

const MARK = "mellow-proof";

/** Returns the event that the tab's own main thread wrote into the trace. */
export function markOf(events: readonly TraceEvent[]): TraceEvent {
  const mark = events.find((event) => event.name === MARK);
  if (mark === undefined) throw new Error("the trace does not have the tab");
  return mark;
}

export class Tab {
  private lastId = 0;
  private processId: number | null = null;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly listeners = new Map<string, (params: unknown) => void>();

  private constructor(
    private readonly browser: CDPSession,
    private readonly targetId: string,
    private readonly otherId: string,
    private readonly sessionId: string,
  ) {
    browser.on("Target.receivedMessageFromTarget", ({ sessionId: from, message }) => {
      if (from !== sessionId) return;
      const { id, method, params, ...rest } = JSON.parse(message) as Message;
      if (id !== undefined) this.waiting.get(id)?.(rest);
      else if (method !== undefined) this.listeners.get(method)?.(params);
    });
  }

  /** Opens a tab with the login of this page, and an empty tab that hides it when it is in front. */
  static async open(browser: Browser, login: Page, path: string): Promise<Tab> {
    const session = await browser.newBrowserCDPSession();
    const { targetId } = await session.send("Target.createTarget", { url: "about:blank" });
    const other = await session.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    const tab = new Tab(session, targetId, other.targetId, sessionId);
    await session.send("Storage.setCookies", {
      cookies: (await login.context().cookies()).map(({ name, value, domain, path, httpOnly }) => ({
        name,
        value,
        domain,
        path,
        httpOnly,
      })),
    });
    await tab.shows();
    const { origin } = new URL(login.url());
    // This page is of the same origin and does not load the app.
    await tab.goesTo(`${origin}/metrics`);
    const kept = await login.evaluate(() => JSON.stringify(localStorage));
    await tab.run(`Object.assign(localStorage, ${kept})`);
    await tab.goesTo(`${origin}${path}`);
    return tab;
  }

  async send<T = unknown>(method: string, params: object = {}): Promise<T> {
    this.lastId += 1;
    const id = this.lastId;
    const reply = new Promise<Message>((resolve) => this.waiting.set(id, resolve));
    await this.browser.send("Target.sendMessageToTarget", {
      sessionId: this.sessionId,
      message: JSON.stringify({ id, method, params }),
    });
    const { result, error } = await reply;
    this.waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as T;
  }

  /** Runs a script in the tab and returns its value. */
  async run<T>(expression: string): Promise<T> {
    const reply = await this.send<{ result: { value: T }; exceptionDetails?: unknown }>("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (reply.exceptionDetails !== undefined)
      throw new Error(`${expression}: ${JSON.stringify(reply.exceptionDetails)}`);
    return reply.result.value;
  }

  /** Waits until a condition holds in the tab. */
  async until(condition: string): Promise<void> {
    while (!(await this.run<boolean>(`Boolean(${condition})`))) await sleep(50);
  }

  async goesTo(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
    await this.until(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`);
  }

  /** Presses the first button or link whose text begins with this. Returns whether there is one. */
  presses(text: string): Promise<boolean> {
    return this.run(`(() => {
      const found = [...document.querySelectorAll("button, a")].find((one) => one.textContent.trim().startsWith(${JSON.stringify(text)}));
      found?.click();
      return found !== undefined;
    })()`);
  }

  async hides(): Promise<void> {
    await this.browser.send("Target.activateTarget", { targetId: this.otherId });
    await this.until(`document.visibilityState === "hidden"`);
  }

  async shows(): Promise<void> {
    await this.browser.send("Target.activateTarget", { targetId: this.targetId });
    await this.until(`document.visibilityState === "visible"`);
  }

  /** Counts the frames of the socket from now on. Returns a function that reads the count. */
  async countsFrames(): Promise<() => number> {
    let count = 0;
    this.listeners.set("Network.webSocketFrameReceived", () => (count += 1));
    await this.send("Network.enable");
    return () => count;
  }

  /** Returns the bytes of the JavaScript heap that are in use after a garbage collection. */
  async heapBytes(): Promise<number> {
    for (let round = 0; round < 3; round += 1) await this.send("HeapProfiler.collectGarbage");
    return (await this.send<{ usedSize: number }>("Runtime.getHeapUsage")).usedSize;
  }

  /** Returns the number of elements in memory, in the page or not. */
  async nodes(): Promise<number> {
    return (await this.send<{ nodes: number }>("Memory.getDOMCounters")).nodes;
  }

  /** Returns the seconds of processor time that the tab's process has used. */
  async cpuSeconds(): Promise<number> {
    this.processId ??= markOf(await this.traced(async () => undefined)).pid;
    const { processInfo } = await this.browser.send("SystemInfo.getProcessInfo");
    const own = processInfo.find(({ id }) => id === this.processId);
    if (own === undefined) throw new Error("the tab has no process");
    return own.cpuTime;
  }

  /** Records a trace of the tab's threads while `what` runs. */
  async traced(what: () => Promise<void>): Promise<TraceEvent[]> {
    const events: TraceEvent[] = [];
    this.listeners.set("Tracing.dataCollected", (params) =>
      events.push(...(params as { value: TraceEvent[] }).value),
    );
    const complete = new Promise<void>((resolve) =>
      this.listeners.set("Tracing.tracingComplete", () => resolve()),
    );
    await this.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: { includedCategories: ["devtools.timeline", "v8", "blink.user_timing"] },
    });
    await this.run(`void performance.mark("${MARK}")`);
    await what();
    await this.send("Tracing.end");
    await complete;
    return events;
  }
}
