// Encodes and decodes MessagePack. Only this file imports msgpack-lite.
//
// Promises: bytes are sent as `ArrayBuffer`, because the library encodes a `Uint8Array` differently; text is
// made well-formed before it is sent, because half an emoji would make the whole message unreadable. Never: a
// Date, Map or BigInt is sent. The types of the requests exclude them.

// These imports are separate, because the main module of the package contains its streams too.
import { decode } from "msgpack-lite/lib/decode.js";
import { encode } from "msgpack-lite/lib/encode.js";
import { createCodec } from "msgpack-lite/lib/ext.js";
import type { Incoming } from "./frames";

const codec = createCodec({ binarraybuffer: true });

/** Encodes a value as a frame. The bytes are a copy, so the socket may keep them. Half an emoji becomes U+FFFD. */
export function pack(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encode(value, { codec }));
}

/** Decodes the bytes of a frame. */
export function unpack(bytes: ArrayBuffer): unknown {
  return decode(new Uint8Array(bytes), { codec });
}

/** Decodes a frame from the server. Returns null if it is neither a reply nor an event. */
export function readFrame(bytes: ArrayBuffer): Incoming | null {
  let value: unknown;
  try {
    value = unpack(bytes);
  } catch {
    // This is no frame of Mellow.
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  if ("ev" in value && typeof value.ev === "string" && "seq" in value && typeof value.seq === "number")
    return { kind: "event", event: value as never };
  if ("re" in value && ("ok" in value || "err" in value)) return { kind: "reply", reply: value as never };
  return null;
}
