// Test fixtures: a clock that the test advances, and a socket whose other end is the test.

import type { Me } from "../engine/types.gen";
import type { Clock, Timer } from "../engine/clock";
import { pack, unpack } from "../engine/codec";
import type { AnyEvent } from "../engine/frames";
import type { Wire } from "../engine/socket";

export class ManualClock implements Clock {
  private time = 1_000_000;
  private lastId = 0;
  private readonly timers = new Map<number, { at: number; run: () => void }>();

  now = (): number => this.time;
  random = (): number => 0.5;

  after = (ms: number, run: () => void): Timer => {
    this.lastId += 1;
    this.timers.set(this.lastId, { at: this.time + ms, run });
    return this.lastId as unknown as Timer;
  };

  cancel = (timer: Timer | null): void => {
    this.timers.delete(timer as unknown as number);
  };

  /** Advances the time. Timers that become due run in order. */
  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].run();
    }
    this.time = end;
  }

  /** Advances the time without running timers, as if the device slept. */
  sleep(ms: number): void {
    this.time += ms;
  }
}

export type Sent = { id: number; op: string; [field: string]: unknown };

/** One connection, seen from the server's side. */
export class FakeSocket implements Wire {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((reason: { code: number }) => void) | null = null;
  readonly sent: Sent[] = [];
  closed: number | null = null;
  /** 1: open, as from the start. 2: closing, while the end of the connection has not arrived. */
  readyState = 1;

  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.sent.push(unpack(bytes.slice().buffer) as Sent);
  }

  close(code = 1000): void {
    this.closed = code;
  }

  say(value: unknown): void {
    this.onmessage?.({ data: pack(value).slice().buffer });
  }

  event(event: AnyEvent): void {
    this.say(event);
  }

  hello(more: object = {}): void {
    this.say({
      ev: "hello",
      seq: 10,
      epoch: "e1",
      protocol: 1,
      build: "test",
      now_ms: 1,
      beat_ms: 25_000,
      me: {
        id: 1,
        name: "Ana",
        photo_url: null,
        email: "ana@example.org",
        pending_email: null,
        hide_numbers: false,
        listed: true,
        adders: "followers",
        commenters: "everyone",
        first_steps: null,
        inviter: null,
        has_unread: false,
        is_admin: false,
        has_reports: false,
        language: null,
        shown_language: "en",
        quiet_hours: null,
        quiet_until_ms: null,
      } satisfies Me,
      login: "live",
      backups: { every_hours: 24, kept: 30 },
      ...more,
    });
  }

  /** Answers the newest request of this kind. */
  answer(op: string, ok: object): void {
    const request = this.last(op);
    this.say({ re: request.id, ok });
  }

  refuse(
    op: string,
    err: { code: string; message?: string; field?: string | null; retry_ms?: number | null },
  ): void {
    this.say({
      re: this.last(op).id,
      err: { message: "No.", why: err.code, values: {}, field: null, retry_ms: null, ...err },
    });
  }

  last(op: string): Sent {
    const request = this.sent.findLast((one) => one.op === op);
    if (request === undefined)
      throw new Error(`nobody asked ${op}; asked were: ${this.sent.map((one) => one.op).join(", ")}`);
    return request;
  }

  drop(code: number): void {
    this.onclose?.({ code });
  }
}

/** Lets promises run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** Returns random numbers that are the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
