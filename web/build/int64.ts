// Replaces int64-buffer, with which msgpack-lite reads numbers of eight bytes, such as ids. Browsers can read them, so
// this file is much smaller. It writes none: a number that needs more than four bytes is sent as a double.

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const HIGH = 2 ** 32;

export class Uint64BE {
  constructor(
    private readonly bytes: Uint8Array,
    private readonly offset: number,
  ) {}

  toNumber(): number {
    const view = viewOf(this.bytes);
    return view.getUint32(this.offset) * HIGH + view.getUint32(this.offset + 4);
  }

  static isUint64BE = (): boolean => false;
}

export class Int64BE {
  constructor(
    private readonly bytes: Uint8Array,
    private readonly offset: number,
  ) {}

  toNumber(): number {
    const view = viewOf(this.bytes);
    return view.getInt32(this.offset) * HIGH + view.getUint32(this.offset + 4);
  }

  static isInt64BE = (): boolean => false;
}
