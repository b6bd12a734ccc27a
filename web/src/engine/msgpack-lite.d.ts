// The few functions of msgpack-lite that are used. The published types would add Node's globals to the
// browser code.
declare module "msgpack-lite/lib/ext.js" {
  export interface Codec {
    readonly __codec: unique symbol;
  }
  export function createCodec(options: { binarraybuffer?: boolean }): Codec;
}
declare module "msgpack-lite/lib/encode.js" {
  import type { Codec } from "msgpack-lite/lib/ext.js";
  export function encode(value: unknown, options: { codec: Codec }): Uint8Array;
}
declare module "msgpack-lite/lib/decode.js" {
  import type { Codec } from "msgpack-lite/lib/ext.js";
  export function decode(bytes: Uint8Array, options: { codec: Codec }): unknown;
}
declare module "msgpack-lite/lib/buffer-lite.js" {
  /** Reads text from these bytes; the encoding is ignored. */
  export function toString(this: Uint8Array, encoding?: string, start?: number, end?: number): string;
  /** Writes text at this place, and returns how many bytes it takes. */
  export function write(this: Uint8Array, text: string, offset?: number): number;
}
/** The main module, for tests that talk to the server themselves. */
declare module "msgpack-lite" {
  export * from "msgpack-lite/lib/ext.js";
  export * from "msgpack-lite/lib/encode.js";
  export * from "msgpack-lite/lib/decode.js";
}
