// Replaces bufferish and bufferish-proto, with which msgpack-lite handles bytes, to save bytes of the page. The
// originals also know Node's buffers and browsers without `Uint8Array`, and read and write text themselves.

export const hasBuffer = false;
export const hasArrayBuffer = true;
export const isBuffer = (): boolean => false;
export const isArrayBuffer = (value: unknown): boolean => value instanceof ArrayBuffer;

export const alloc = (size: number): Uint8Array => new Uint8Array(size);

/** Returns a copy that has a buffer of its own. */
export const from = (bytes: ArrayLike<number>): Uint8Array => new Uint8Array(bytes);

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = alloc(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function slice(this: Uint8Array, start?: number, end?: number): Uint8Array {
  return this.slice(start, end);
}

/** Also moves bytes within `this`: a text of other letters than ASCII may need a longer head than was expected. */
function copy(this: Uint8Array, target: Uint8Array, at: number, start?: number, end?: number): number {
  const part = this.subarray(start, end);
  target.set(part, at);
  return part.length;
}

const writer = new TextEncoder();
// U+FEFF at the beginning of a text belongs to it.
const reader = new TextDecoder("utf-8", { ignoreBOM: true });

/** Writes a text, for which there is room. Returns the number of its bytes. */
function write(this: Uint8Array, text: string, at: number): number {
  return writer.encodeInto(text, this.subarray(at)).written;
}

function toString(this: Uint8Array, _encoding: string, start: number, end: number): string {
  return reader.decode(this.subarray(start, end));
}

const kind = { alloc, concat, from };
const prototype = { slice, copy, toString, write };
export { kind as Uint8Array, prototype, slice, copy, toString, write };
