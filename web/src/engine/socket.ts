// One socket per tab: connects, reconnects after a pause, and detects a connection that ended without a
// close.
//
// Promises: an attempt is given up after 10 s; retries spread out (backoff.ts); a silent socket is detected
// by the time of its last frame, never by how many timers ran, because timers pause in a hidden tab; a
// doubtful socket gets 3 s to answer a probe. A `beat` that counts more events than arrived ends the socket.
// Never: the page is reloaded.

import { readHint } from "./loginHint";
import type { Clock, Timer } from "./clock";
import { restartDelay, retryDelay } from "./backoff";
import { readFrame } from "./codec";
import type { Incoming } from "./frames";

export const CONNECT_MS = 10_000;
export const PROBE_MS = 3_000;
export const SILENCE_MS = 10_000;
export const JUMP_MS = 30_000;
/** The `readyState` of a WebSocket that takes messages. */
const WIRE_OPEN = 1;

/** The part of a WebSocket that is used here. */
export type Wire = {
  readonly readyState: number;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((reason: { code: number }) => void) | null;
};

export type SocketOptions = {
  open(): Wire;
  clock: Clock;
  /** Receives every frame, in order. */
  received(frame: Incoming): void;
  /** The connection ended with this code. `again`: another attempt follows. */
  lost(code: number, again: boolean): void;
  /** Sends a request that any live server answers. */
  probe(): void;
  /** Returns whether a request waits to be sent or answered. */
  isAwaited(): boolean;
};

/** Close codes after which the socket does not reconnect by itself. */
const FINAL = new Set([4001, 4002, 4003, 4408]);

export class Socket {
  private wire: Wire | null = null;
  private open = false;
  private started = false;
  private attempt = 0;
  /** The time within which to reconnect, sent by a server that stops. */
  private backMs: number | null = null;
  private counted = 0;
  private beatMs = 25_000;
  private receivedAt = 0;
  private lookedAt = 0;
  private retryTimer: Timer | null = null;
  private connectTimer: Timer | null = null;
  private watchTimer: Timer | null = null;
  private probeTimer: Timer | null = null;

  constructor(private readonly options: SocketOptions) {}

  /** Whether the current socket has received `hello`. */
  get isOpen(): boolean {
    return this.open;
  }

  get isStarted(): boolean {
    return this.started;
  }

  start(): void {
    this.started = true;
    if (this.wire === null) this.connect();
  }

  stop(): void {
    this.started = false;
    this.attempt = 0;
    this.drop(1000, false);
  }

  /** Skips the wait before the next attempt. */
  tryNow(): void {
    if (!this.started || this.open) return;
    this.attempt = 0;
    if (this.wire !== null) this.drop(1000, false);
    this.connect();
  }

  send(bytes: Uint8Array<ArrayBuffer>): boolean {
    // A socket that is closing drops what it is given. Its end arrives as an event, and the request then waits for the
    // next one.
    if (!this.open || this.wire?.readyState !== WIRE_OPEN) return false;
    this.wire.send(bytes);
    return true;
  }

  /** The device woke, the network changed or a reply is overdue. Sends a probe to check the socket. */
  doubt(): void {
    if (!this.started) return;
    if (!this.open) {
      this.tryNow();
      return;
    }
    if (this.probeTimer !== null) return;
    this.probeTimer = this.options.clock.after(PROBE_MS, () => {
      this.probeTimer = null;
      this.drop(4000, true);
    });
    this.options.probe();
  }

  /** Replaces the socket, for example because events were lost. */
  restart(): void {
    if (this.started) this.drop(4000, true);
  }

  private connect(): void {
    const { clock } = this.options;
    clock.cancel(this.retryTimer);
    this.retryTimer = null;
    let wire: Wire;
    try {
      wire = this.options.open();
    } catch {
      this.later();
      return;
    }
    this.wire = wire;
    this.counted = 0;
    this.connectTimer = clock.after(CONNECT_MS, () => this.drop(4000, true));
    wire.onmessage = (message) => {
      if (this.wire === wire && message.data instanceof ArrayBuffer) this.take(message.data);
    };
    wire.onclose = (reason) => {
      if (this.wire === wire) this.ended(reason.code);
    };
  }

  private take(bytes: ArrayBuffer): void {
    const { clock } = this.options;
    this.receivedAt = clock.now();
    clock.cancel(this.probeTimer);
    this.probeTimer = null;
    const frame = readFrame(bytes);
    if (frame === null) return;
    if (frame.kind === "event") {
      const event = frame.event;
      if (event.ev === "hello") {
        this.open = true;
        this.attempt = 0;
        this.beatMs = event.beat_ms;
        clock.cancel(this.connectTimer);
        this.connectTimer = null;
        this.watch();
      } else if (event.ev === "beat") {
        this.backMs = event.back_ms ?? null;
        if (event.sent > this.counted) {
          this.restart();
          return;
        }
      } else {
        this.counted += 1;
      }
    }
    this.options.received(frame);
  }

  /** Checks regularly whether the socket is silent or the device slept. If so, the socket is doubtful. */
  private watch(): void {
    const { clock } = this.options;
    clock.cancel(this.watchTimer);
    this.lookedAt = clock.now();
    this.watchTimer = clock.after(SILENCE_MS, () => {
      const now = clock.now();
      const jumped = now - this.lookedAt > SILENCE_MS + JUMP_MS;
      const silent = now - this.receivedAt > this.beatMs + SILENCE_MS;
      if (jumped || silent) this.doubt();
      if (this.open) this.watch();
    });
  }

  /** Closes the current socket. */
  private drop(code: number, again: boolean): void {
    const wire = this.wire;
    this.forget();
    if (wire !== null) {
      wire.onopen = wire.onmessage = wire.onclose = null;
      try {
        wire.close(code);
      } catch {
        // The socket is closed already.
      }
      if (again) this.options.lost(code, true);
    }
    if (again && this.started) this.later();
  }

  private ended(code: number): void {
    this.forget();
    const again = this.started && !FINAL.has(code);
    if (!again) this.started = false;
    this.options.lost(code, again);
    if (again && this.started) this.later();
  }

  private forget(): void {
    const { clock } = this.options;
    this.wire = null;
    this.open = false;
    for (const timer of [this.retryTimer, this.connectTimer, this.watchTimer, this.probeTimer])
      clock.cancel(timer);
    this.retryTimer = this.connectTimer = this.watchTimer = this.probeTimer = null;
  }

  private later(): void {
    const { clock } = this.options;
    if (this.retryTimer !== null) return;
    // While the user waits for something, such as an upload, the pause stays short.
    const attempt = this.options.isAwaited() ? 0 : this.attempt;
    const wait =
      this.backMs === null ? retryDelay(attempt, clock.random()) : restartDelay(this.backMs, clock.random());
    if (this.backMs === null) this.attempt += 1;
    this.backMs = null;
    this.retryTimer = clock.after(wait, () => {
      this.retryTimer = null;
      if (this.started) this.connect();
    });
  }
}

/** Opens a WebSocket to the server of this page. In a browser that logged out it is a guest's (D-A19). */
export function openBrowserSocket(): Wire {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const offers = readHint() === null ? ["mellow.1", "guest"] : ["mellow.1"];
  const socket = new WebSocket(`${scheme}//${location.host}/ws`, offers);
  socket.binaryType = "arraybuffer";
  return socket as unknown as Wire;
}
