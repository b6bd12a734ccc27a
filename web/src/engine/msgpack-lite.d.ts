// The few functions of msgpack-lite that are used. The published types would bring Node's globals into
// the browser code.
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
/** The whole of it, for tests that speak with the server themselves. */
declare module "msgpack-lite" {
  export * from "msgpack-lite/lib/ext.js";
  export * from "msgpack-lite/lib/encode.js";
  export * from "msgpack-lite/lib/decode.js";
}
