// Replaces msgpack-lite's table of ext types, to save bytes. Mellow's frames have no ext types
// (engine/codec.ts). The library fills the table only for its default codec, which Mellow does not use.

export const setExtPackers = (): void => undefined;
export const setExtUnpackers = (): void => undefined;
