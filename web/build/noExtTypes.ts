// Stands in for msgpack-lite's table of ext types: Mellow's frames have none (engine/codec.ts), and the library
// fills the table for its default codec alone, which nothing uses.

export const setExtPackers = (): void => undefined;
export const setExtUnpackers = (): void => undefined;
