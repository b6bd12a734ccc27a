// Test fixture: a server that accepts uploads, with a connection that can be cut.

import { hexOf } from "../features/shared/postDraft";
import type { Ask } from "../engine/ask";
import { RefusedError } from "../engine/ask";

type Held = { name: string; size: number; index: number; bytes: Uint8Array; held: number; isJudged: boolean };
type Call = { op: string; [field: string]: unknown };

export class FakeUploadServer {
  readonly calls: Call[] = [];
  readonly held = new Map<string, Held>();
  chunkBytes = 64 * 1024;
  window = 4;
  /** The number of chunks without a reply. */
  unanswered = 0;
  mostUnanswered = 0;
  /** Runs before every reply. A test throws to refuse, or waits to be slow. */
  before: (call: Call) => Promise<void> | void = () => undefined;
  /** Answers requests that do not concern uploads. */
  other: (call: Call) => unknown = () => ({});

  readonly ask: Ask = (async (op: string, fields: Record<string, unknown>) => {
    const call: Call = { op, ...fields };
    this.calls.push(call);
    if (op === "uploads.chunk") {
      this.unanswered += 1;
      this.mostUnanswered = Math.max(this.mostUnanswered, this.unanswered);
    }
    try {
      await this.before(call);
      return this.answer(call);
    } finally {
      if (op === "uploads.chunk") this.unanswered -= 1;
    }
  }) as unknown as Ask;

  ops(op: string): Call[] {
    return this.calls.filter((call) => call.op === op);
  }

  /** Returns the bytes of an upload that have arrived. */
  bytesOf(upload: string): Uint8Array {
    const held = this.held.get(upload);
    return held === undefined ? new Uint8Array() : held.bytes.subarray(0, held.held);
  }

  private answer(call: Call): unknown {
    if (!call.op.startsWith("uploads.")) return this.other(call);
    const name = hexOf(call["upload"] as ArrayBuffer);
    const held = this.held.get(name);
    if (call.op === "uploads.begin") {
      const size = call["size_bytes"] as number;
      const begun = held ?? {
        name: call["name"] as string,
        size,
        index: call["index"] as number,
        bytes: new Uint8Array(size),
        held: 0,
        isJudged: false,
      };
      if (begun.name !== call["name"] || begun.size !== size || begun.index !== call["index"])
        throw new RefusedError("key_conflict", "No.");
      this.held.set(name, begun);
      return { offset: begun.held, chunk_bytes: this.chunkBytes, window: this.window };
    }
    if (call.op === "uploads.cancel") {
      this.held.delete(name);
      return {};
    }
    if (held === undefined)
      throw new RefusedError(
        "upload_gone",
        "This picture has to be sent again. Your words are kept.",
        "pictures",
      );
    if (call.op === "uploads.chunk") {
      const offset = call["offset"] as number;
      const bytes = new Uint8Array(call["bytes"] as ArrayBuffer);
      if (bytes.length > this.chunkBytes || offset + bytes.length > held.size)
        throw new RefusedError("bad_request", "No.");
      if (offset === held.held) {
        held.bytes.set(bytes, offset);
        held.held += bytes.length;
      }
      return { offset: held.held };
    }
    if (held.held < held.size) throw new RefusedError("bad_request", "No.");
    held.isJudged = true;
    return { width: 4, height: 3 };
  }
}

/** Returns bytes that begin like a JPEG and continue with random bytes. */
export function jpegBytes(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1) bytes[at] = (at * 31 + seed * 17 + (at >> 8)) & 0xff;
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return bytes;
}

export const lost = (): RefusedError =>
  new RefusedError("lost", "The connection was lost. Please try again.", null, 0);
