// A file that is sent to the server: it is begun, its bytes are sent in chunks, and then it is ended.
//
// Promises: an acknowledged chunk is not sent again, however often the connection is lost. The file is read
// chunk by chunk and never held whole. A busy server gets the time that it asks for. Stopping takes effect
// at once. Progress counts acknowledged bytes, never bytes that were only sent.

import { RefusedError } from "../../engine/ask";
import type { Clock } from "../../engine/clock";

/** A transfer fails after this time without progress. */
export const GIVE_UP_MS = 600_000;
/** If the server asks to wait longer than this, the transfer fails with the server's message. */
const PATIENCE_MS = 30_000;
const WAIT_MIN_MS = 100;
/** How often a transfer starts again after the server deleted it, before it fails. */
const FORGOTTEN_MAX = 5;
/** How often in a row the connection may be lost without progress, before the transfer fails. */
export const STUCK_MAX = 30;

/** Chunks grow on a fast connection and shrink on a slow one, so that they do not delay other requests. */
const PIECE_FIRST = 16 * 1024;
const PIECE_MIN = 4 * 1024;
const QUICK_MS = 400;
const SLOW_MS = 1_500;

/** The transfer failed. The message is for the user. */
export class UploadFailedError extends Error {
  override name = "UploadFailedError";

  /** `code` is the code of the refusal, if the server refused. */
  constructor(
    message: string,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

/** The transfer was stopped by this page. This is not a failure. */
export class StoppedError extends Error {
  override name = "StoppedError";
}

/** How many bytes the server has, the most bytes of a chunk, and the most chunks without a reply. */
export type Terms = { offset: number; chunk_bytes: number; window: number };

export type TransferOptions = {
  blob: Blob;
  clock: Clock;
  /** Files take turns on the connection. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Begins, or asks how much has arrived. */
  begin(): Promise<Terms>;
  chunk(offset: number, bytes: ArrayBuffer): Promise<{ offset: number }>;
  /** Says that all bytes were sent. */
  end(): Promise<unknown>;
  /** Called when `acked` has changed. */
  progressed(): void;
  /** Returns the message for a file that cannot be read any more. */
  unreadable(): string;
  /** Returns the message if the server gives no reason. */
  failed(): string;
};

export class Transfer {
  /** The number of bytes that the server has. */
  acked = 0;
  /** The server has accepted the file. */
  isSent = false;
  private piece = PIECE_FIRST;
  /** Counts progress, to notice a lack of it. */
  private moves = 0;
  private sending: Promise<void> | null = null;
  private stopIt: (() => void) | null = null;

  constructor(private readonly options: TransferOptions) {}

  /** Sends the missing bytes. Throws an UploadFailedError or a StoppedError. */
  send(): Promise<void> {
    if (this.isSent) return Promise.resolve();
    if (this.sending !== null) return this.sending;
    const stopped = new Promise<never>((_, reject) => {
      this.stopIt = () => reject(new StoppedError("stopped"));
    });
    // `persist` receives the error if it still runs.
    stopped.catch(() => undefined);
    const sending = this.persist(stopped).finally(() => {
      if (this.sending === sending) this.sending = this.stopIt = null;
    });
    this.sending = sending;
    return sending;
  }

  /** Stops sending. `send` continues where it was. */
  stop(): void {
    this.stopIt?.();
    this.sending = this.stopIt = null;
  }

  /** The server may have deleted the file. The next `send` asks. */
  doubt(): void {
    this.isSent = false;
  }

  private async persist(stopped: Promise<never>): Promise<void> {
    const { clock, blob, begin, end, inTurn } = this.options;
    const orStop = <T>(work: Promise<T>): Promise<T> => Promise.race([stopped, work]);
    let terms: Terms | null = null;
    let movedAt = clock.now();
    let forgotten = 0;
    let stuck = 0;
    for (;;) {
      const before = this.moves;
      try {
        await orStop(
          inTurn(async () => {
            await orStop(Promise.resolve());
            if (terms === null) {
              terms = await orStop(begin());
              this.reached(terms.offset);
            }
            await this.stream(terms, orStop);
          }),
        );
        await orStop(end());
        this.isSent = true;
        this.reached(blob.size);
        return;
      } catch (error) {
        if (error instanceof StoppedError) throw error;
        const hasMoved = this.moves > before;
        if (hasMoved) movedAt = clock.now();
        const isPatience = isCode(error, "slow_down") || isCode(error, "busy");
        stuck = hasMoved ? 0 : stuck + (isCode(error, "lost") ? 1 : 0);
        if (isCode(error, "upload_gone")) forgotten += 1;
        if (forgotten > FORGOTTEN_MAX || stuck > STUCK_MAX || clock.now() - movedAt > GIVE_UP_MS)
          throw this.failure(null);
        const wait = this.waitAfter(error);
        // After a request to wait, the server still has the file. After anything else, `begin` asks what it has.
        if (!isPatience) terms = null;
        if (wait > 0) await orStop(new Promise<void>((resolve) => clock.after(wait, resolve)));
      }
    }
  }

  /** Keeps a few chunks unanswered until the server has all bytes. */
  private async stream(
    { chunk_bytes, window }: Terms,
    orStop: <T>(work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    const { blob, chunk, clock } = this.options;
    const flying = new Set<Promise<void>>();
    let next = this.acked;
    let trouble: { error: unknown } | null = null;
    let astray = false;
    let drainedAt = -1;

    const fly = async (offset: number, bytes: ArrayBuffer): Promise<void> => {
      const begun = clock.now();
      try {
        const ok = await chunk(offset, bytes);
        this.adaptPiece(clock.now() - begun, chunk_bytes);
        if (ok.offset < offset + bytes.byteLength) astray = true;
        if (ok.offset <= this.acked) return;
        this.moves += 1;
        this.reached(ok.offset);
      } catch (error) {
        trouble ??= { error };
      }
    };

    while (this.acked < blob.size) {
      // The server may have more than it said at the beginning.
      next = Math.max(next, this.acked);
      while (flying.size < window && next < blob.size && trouble === null && !astray) {
        const bytes = await orStop(blob.slice(next, next + Math.min(this.piece, chunk_bytes)).arrayBuffer());
        const flight = fly(next, bytes).finally(() => flying.delete(flight));
        flying.add(flight);
        next += bytes.byteLength;
      }
      if (flying.size > 0) {
        await orStop(Promise.race(flying));
        continue;
      }
      if (trouble !== null) throw (trouble as { error: unknown }).error;
      // All chunks are answered but bytes are missing, so it continues at the server's offset.
      if (this.acked === drainedAt) throw new RefusedError("upload_gone", "");
      drainedAt = next = this.acked;
      astray = false;
    }
  }

  private adaptPiece(tookMs: number, most: number): void {
    if (tookMs < QUICK_MS) this.piece = Math.min(this.piece * 2, most);
    else if (tookMs > SLOW_MS) this.piece = Math.max(this.piece / 2, PIECE_MIN);
  }

  private reached(acked: number): void {
    this.acked = acked;
    this.options.progressed();
  }

  /** Returns how long to wait before the next attempt. Throws if there is none. */
  private waitAfter(error: unknown): number {
    if (!(error instanceof RefusedError)) throw new UploadFailedError(this.options.unreadable());
    const { code, retryMs, message } = error;
    if (code === "abandoned") throw new StoppedError("stopped");
    if (code === "lost" || code === "timeout" || code === "upload_gone") return 0;
    if ((code === "slow_down" || code === "busy") && (retryMs ?? 0) <= PATIENCE_MS)
      return Math.max(retryMs ?? 1_000, WAIT_MIN_MS);
    throw this.failure(message, code);
  }

  private failure(message: string | null, code: string | null = null): UploadFailedError {
    return new UploadFailedError(message || this.options.failed(), code);
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof RefusedError && error.code === code;

/** Returns a function that runs tasks one after the other, in their order. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    // The caller handles the error.
    last = turn.catch(() => undefined);
    return turn;
  };
}
