// Requests: numbers them, matches replies, and repeats requests that must not be lost.
//
// Promises: a mutation (a request with a `key`) waits until it is answered, and is sent again with the same
// key after a reconnect. A read is repeated too, and fails after its time. A refusal is a RefusedError that
// says what to do. No request is sent before the connection is ready (after `hello`, and after a reconnect at
// the end of `live.resume`), except those marked `first`. A mutation is not sent again after the server may
// have forgotten its key.

import { say, sayRefusal } from "../say";
import type { Clock, Timer } from "./clock";
import { pack } from "./codec";
import type { Fields, Ok, Op, Reply } from "./frames";
import { RefusedError } from "./refused";

export { RefusedError };

export const READ_MS = 15_000;
/** A mutation without an answer for this long makes the socket doubtful, but the mutation keeps waiting. */
export const DOUBT_MS = 10_000;
/** The server knows a key for 24 hours. This is an hour less because clocks differ. */
export const KEY_MS = 23 * 3_600_000;
/** At most this many mutations wait for the network, because each is a write at the next connection. */
export const WAITING_MAX = 200;
const READ_RETRIES = 2;
const RETRY_WAIT_MAX_MS = 5_000;
/**
 * Mutations that were made without a network are sent together and may exceed a rate limit. Such a mutation
 * is sent again if the wait is at most this long.
 */
const LATE_WAIT_MAX_MS = 60_000;

export type AskOptions = { first?: boolean; timeoutMs?: number };

/** Receives every mutation and its end. */
export type Keeper = {
  /** A mutation was made. Returns when an earlier page made it, in milliseconds; null if it is new. */
  asked(op: Op, fields: object): number | null;
  /**
   * A mutation ended. `refused` is null if it was applied. `late`: it was made offline or by an earlier page.
   */
  ended(op: Op, fields: object, refused: RefusedError | null, late: boolean): void;
};

export type Ask = <K extends Op>(op: K, fields: Fields<K>, options?: AskOptions) => Promise<Ok<K>>;

type Entry = {
  id: number;
  op: Op;
  fields: object;
  keeps: boolean;
  askedAtMs: number;
  /** The request was made while there was no connection, or by an earlier page. */
  late: boolean;
  first: boolean;
  sent: boolean;
  retries: number;
  timer: Timer | null;
  resolve(ok: never): void;
  reject(error: RefusedError): void;
};

export type AskerOptions = {
  clock: Clock;
  send(bytes: Uint8Array<ArrayBuffer>): boolean;
  doubt(): void;
  keeper?(): Keeper | null;
};

/**
 * Requests that belong to one socket and fail when it is lost. They begin or end a login or concern the
 * connection, so on another socket they would mean something else. Chunks are among them: after a loss an
 * upload first asks how much has arrived.
 */
const BOUND = new Set<Op>([
  "auth.log_in",
  "auth.log_in_with_passkey",
  "auth.log_out",
  "live.probe",
  "live.resume",
  "live.leave",
  "uploads.chunk",
  "imports.chunk",
]);

export class Asker {
  private readonly waiting = new Map<number, Entry>();
  private lastId = 0;
  private open = false;
  private ready = false;

  constructor(private readonly options: AskerOptions) {}

  ask: Ask = <K extends Op>(op: K, fields: Fields<K>, options: AskOptions = {}): Promise<Ok<K>> =>
    new Promise<Ok<K>>((resolve, reject) => {
      const entry: Entry = {
        id: this.nextId(),
        op,
        fields,
        keeps: "key" in fields,
        askedAtMs: this.options.clock.now(),
        late: !this.ready,
        first: options.first ?? false,
        sent: false,
        retries: 0,
        timer: null,
        resolve: resolve as (ok: never) => void,
        reject,
      };
      if (entry.keeps && entry.late && !entry.first && this.unanswered.length >= WAITING_MAX) {
        const why = say("No more can wait without a network. Please try again when you're back online.");
        reject(new RefusedError("outbox_full", why));
        return;
      }
      this.waiting.set(entry.id, entry);
      const askedBeforeMs = (entry.keeps && this.options.keeper?.()?.asked(op, fields)) || null;
      if (askedBeforeMs !== null) Object.assign(entry, { askedAtMs: askedBeforeMs, late: true });
      this.time(entry, options.timeoutMs ?? READ_MS);
      this.trySend(entry);
    });

  /** Mutations without an answer, oldest first. */
  get unanswered(): readonly { op: Op; fields: object }[] {
    return [...this.waiting.values()].filter((entry) => entry.keeps);
  }

  get isIdle(): boolean {
    return this.waiting.size === 0;
  }

  /** A new socket has received `hello`. */
  opened(): void {
    this.open = true;
    this.flush();
  }

  /** The connection is up to date. Sends the requests that wait. */
  readied(): void {
    this.ready = true;
    this.flush();
  }

  /** The socket is lost. Requests that belong to it fail, and the others wait for the next socket. */
  lost(): void {
    this.open = this.ready = false;
    for (const entry of [...this.waiting.values()]) {
      if (BOUND.has(entry.op) && entry.sent)
        this.fail(
          entry,
          new RefusedError("lost", say("The connection was lost. Please try again."), null, 0),
        );
      else entry.sent = false;
    }
  }

  /** The user has logged out. All requests fail. */
  abandon(): void {
    for (const entry of [...this.waiting.values()])
      this.fail(entry, new RefusedError("abandoned", say("You have logged out.")));
  }

  received(reply: Reply): void {
    const entry = reply.re === null ? undefined : this.waiting.get(reply.re);
    if (entry === undefined) return;
    if (reply.err === undefined || reply.err === null) {
      this.done(entry, null);
      entry.resolve((reply.ok ?? {}) as never);
      return;
    }
    const { code, field, retry_ms } = reply.err;
    if (this.mayRetry(entry, code, retry_ms)) {
      entry.retries += 1;
      this.options.clock.after(retry_ms ?? 0, () => {
        if (!this.waiting.has(entry.id)) return;
        entry.sent = false;
        this.trySend(entry);
      });
      return;
    }
    this.fail(entry, new RefusedError(code, sayRefusal(reply.err), field ?? null, retry_ms ?? null));
  }

  private mayRetry(entry: Entry, code: string, retryMs: number | null): boolean {
    if ((code !== "busy" && code !== "slow_down") || retryMs === null || BOUND.has(entry.op)) return false;
    if (entry.keeps) return entry.late && !entry.first && retryMs <= LATE_WAIT_MAX_MS;
    return retryMs <= RETRY_WAIT_MAX_MS && entry.retries < READ_RETRIES;
  }

  private flush(): void {
    for (const entry of this.waiting.values()) this.trySend(entry);
  }

  private trySend(entry: Entry): void {
    if (entry.sent || !this.open || !(this.ready || entry.first)) return;
    if (entry.keeps && this.options.clock.now() - entry.askedAtMs > KEY_MS) {
      this.fail(entry, new RefusedError("too_old", say("It waited for more than 23 hours.")));
      return;
    }
    entry.sent = this.options.send(pack({ id: entry.id, op: entry.op, ...entry.fields }));
  }

  private time(entry: Entry, ms: number): void {
    // Requests of `auth` fail after a time, because a user waits at a form.
    const patient = entry.keeps && !entry.op.startsWith("auth.");
    entry.timer = this.options.clock.after(patient ? DOUBT_MS : ms, () => {
      if (patient) {
        if (entry.sent) this.options.doubt();
        this.time(entry, ms);
        return;
      }
      if (entry.sent) this.options.doubt();
      this.fail(entry, new RefusedError("timeout", say("That took too long. Please try again."), null, 0));
    });
  }

  private fail(entry: Entry, error: RefusedError): void {
    this.done(entry, error);
    entry.reject(error);
  }

  private done(entry: Entry, refused: RefusedError | null): void {
    this.options.clock.cancel(entry.timer);
    this.waiting.delete(entry.id);
    if (entry.keeps) this.options.keeper?.()?.ended(entry.op, entry.fields, refused, entry.late);
  }

  private nextId(): number {
    this.lastId = this.lastId >= 0xffff_ffff ? 1 : this.lastId + 1;
    return this.lastId;
  }
}
