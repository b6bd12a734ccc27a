// The upload of one picture, which is begun, sent in chunks, and then checked by the server (shared/transfer.ts).

import type { Ask } from "../../engine/ask";
import type { Clock } from "../../engine/clock";
import type { Purpose } from "../../engine/types.gen";
import { say } from "../../say";
import { bytesOf } from "../shared/postDraft";
import type { PictureNote } from "../shared/postDraft";
import { Transfer } from "../shared/transfer";

export { GIVE_UP_MS, STUCK_MAX, StoppedError, UploadFailedError, oneByOne } from "../shared/transfer";

/** The time for `uploads.commit`. The server needs long for a large picture. */
const COMMIT_MS = 60_000;

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

export class Upload {
  private readonly upload: ArrayBuffer;
  private readonly transfer: Transfer;
  private began = false;

  constructor(private readonly options: UploadOptions) {
    const { note, blob, ask, clock, inTurn, purpose, progressed } = options;
    const upload = bytesOf(note.upload);
    this.upload = upload;
    this.transfer = new Transfer({
      blob,
      clock,
      inTurn,
      progressed,
      begin: () => {
        this.began = true;
        return ask("uploads.begin", {
          upload,
          name: note.name,
          size_bytes: blob.size,
          content_type: note.type,
          index: note.index,
          purpose: purpose ?? null,
        });
      },
      chunk: (offset, bytes) => ask("uploads.chunk", { upload, offset, bytes }),
      end: () => ask("uploads.commit", { upload }, { timeoutMs: COMMIT_MS }),
      unreadable: () => say("{name} can't be read any more. Please add it again.", { name: note.name }),
      failed: () => say("{name} didn't get through. It's still here.", { name: note.name }),
    });
  }

  /** The number of bytes that the server has. */
  get acked(): number {
    return this.transfer.acked;
  }

  /** The server has checked and accepted the picture. */
  get isSent(): boolean {
    return this.transfer.isSent;
  }

  /** Sends the missing bytes. Throws an UploadFailedError or a StoppedError. */
  send(): Promise<void> {
    return this.transfer.send();
  }

  /** Stops sending. `send` continues where it was. */
  stop(): void {
    this.transfer.stop();
  }

  /** Stops, and cancels the upload on the server. */
  cancel(): void {
    this.stop();
    if (!this.began) return;
    this.began = false;
    this.doubt();
    // An upload that is not cancelled ends by itself.
    void this.options.ask("uploads.cancel", { upload: this.upload }).catch(() => undefined);
  }

  /** The server may have deleted the upload. The next `send` asks. */
  doubt(): void {
    this.transfer.doubt();
  }
}
