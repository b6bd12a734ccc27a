// The few functions of msgpack-lite that codec.ts uses. The published types would bring Node's
// globals into the browser code.
declare module "msgpack-lite" {
  export interface Codec {
    readonly __codec: unique symbol;
  }
  export function createCodec(options: { binarraybuffer?: boolean }): Codec;
  export function encode(value: unknown, options: { codec: Codec }): Uint8Array;
  export function decode(bytes: Uint8Array, options: { codec: Codec }): unknown;
}
