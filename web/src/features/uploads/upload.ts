// The upload of one picture, which is begun, sent in chunks, and then checked by the server.
//
// Promises: an acknowledged chunk is not sent again, however often the connection is lost. The file is read
// chunk by chunk and never held whole. A busy server gets the time that it asks for. Cancelling takes effect
// at once. Progress counts acknowledged bytes, never bytes that were only sent.

import type { Ask } from "../../engine/ask";
import { RefusedError } from "../../engine/ask";
import type { Clock } from "../../engine/clock";
import type { Ok } from "../../engine/frames";
import type { Purpose } from "../../engine/types.gen";
import { say } from "../../say";
import { bytesOf } from "../shared/postDraft";
import type { PictureNote } from "../shared/postDraft";

/** The time for `uploads.commit`. The server needs long for a large picture. */
export const COMMIT_MS = 60_000;
/** An upload fails after this time without progress. */
export const GIVE_UP_MS = 600_000;
/** If the server asks to wait longer than this, the upload fails with the server's message. */
export const PATIENCE_MS = 30_000;
const WAIT_MIN_MS = 100;
/** How often an upload starts again after the server deleted it, before it fails. */
const FORGOTTEN_MAX = 5;
/** How often in a row the connection may be lost without progress, before the upload fails. */
export const STUCK_MAX = 30;

/** Chunks grow on a fast connection and shrink on a slow one, so that they do not delay other requests. */
export const PIECE_FIRST = 16 * 1024;
const PIECE_MIN = 4 * 1024;
const QUICK_MS = 400;
const SLOW_MS = 1_500;

/** The upload failed. The message is for the user. */
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

/** The upload was stopped by this page. This is not a failure. */
export class StoppedError extends Error {
  override name = "StoppedError";
}

export type UploadOptions = {
  note: PictureNote;
  blob: Blob;
  ask: Ask;
  clock: Clock;
  /** Pictures take turns on the connection. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The purpose of the picture; a post by default. */
  purpose?: Purpose;
  /** Called when `acked` has changed. */
  progressed(): void;
};

type Terms = Ok<"uploads.begin">;

export class Upload {
  /** The number of bytes that the server has. */
  acked = 0;
  /** The server has checked and accepted the picture. */
  isSent = false;
  private readonly upload: ArrayBuffer;
  private piece = PIECE_FIRST;
  /** Counts progress, to notice a lack of it. */
  private moves = 0;
  private began = false;
  private sending: Promise<void> | null = null;
  private stopIt: (() => void) | null = null;

  constructor(private readonly options: UploadOptions) {
    this.upload = bytesOf(options.note.upload);
  }

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

  /** Stops, and cancels the upload on the server. */
  cancel(): void {
    this.stop();
    if (!this.began) return;
    this.began = this.isSent = false;
    // An upload that is not cancelled ends by itself.
    void this.options.ask("uploads.cancel", { upload: this.upload }).catch(() => undefined);
  }

  /** The server may have deleted the upload. The next `send` asks. */
  doubt(): void {
    this.isSent = false;
  }

  private async persist(stopped: Promise<never>): Promise<void> {
    const { clock, ask, inTurn } = this.options;
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
            terms ??= await orStop(this.begin());
            await this.stream(terms, orStop);
          }),
        );
        await orStop(ask("uploads.commit", { upload: this.upload }, { timeoutMs: COMMIT_MS }));
        this.isSent = true;
        this.reached(this.options.blob.size);
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
        // After a request to wait, the server still has the upload. After anything else, `uploads.begin` asks
        // what it has.
        if (!isPatience) terms = null;
        if (wait > 0) await orStop(new Promise<void>((resolve) => clock.after(wait, resolve)));
      }
    }
  }

  private async begin(): Promise<Terms> {
    const { note, blob, ask, purpose } = this.options;
    this.began = true;
    const terms = await ask("uploads.begin", {
      upload: this.upload,
      name: note.name,
      size_bytes: blob.size,
      content_type: note.type,
      index: note.index,
      purpose: purpose ?? null,
    });
    this.reached(terms.offset);
    return terms;
  }

  /** Keeps a few chunks unanswered until the server has all bytes. */
  private async stream(
    { chunk_bytes, window }: Terms,
    orStop: <T>(work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    const { blob, ask, clock } = this.options;
    const flying = new Set<Promise<void>>();
    let next = this.acked;
    let trouble: { error: unknown } | null = null;
    let astray = false;
    let drainedAt = -1;

    const fly = async (offset: number, bytes: ArrayBuffer): Promise<void> => {
      const begun = clock.now();
      try {
        const ok = await ask("uploads.chunk", { upload: this.upload, offset, bytes });
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
      // All chunks are answered but bytes are missing, so the upload continues at the server's offset.
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
    if (!(error instanceof RefusedError))
      throw new UploadFailedError(
        say("{name} can't be read any more. Please add it again.", { name: this.options.note.name }),
      );
    const { code, retryMs, message } = error;
    if (code === "abandoned") throw new StoppedError("stopped");
    if (code === "lost" || code === "timeout" || code === "upload_gone") return 0;
    if ((code === "slow_down" || code === "busy") && (retryMs ?? 0) <= PATIENCE_MS)
      return Math.max(retryMs ?? 1_000, WAIT_MIN_MS);
    throw this.failure(message, code);
  }

  private failure(message: string | null, code: string | null = null): UploadFailedError {
    return new UploadFailedError(
      message || say("{name} didn't get through. It's still here.", { name: this.options.note.name }),
      code,
    );
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
