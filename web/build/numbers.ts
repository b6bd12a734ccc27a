// Replaces int64-buffer and ieee754, with which msgpack-lite handles 64-bit integers, floats and doubles. `DataView`
// does the same, so the page is smaller.

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const HIGH = 2 ** 32;

/** Reads 64-bit integers, such as ids. It writes none: msgpack-lite sends integers above 32 bits as doubles. */
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

/** Reads a float or a double, big-endian. The arguments are those of ieee754. */
export function read(
  bytes: Uint8Array,
  offset: number,
  _little: false,
  _mantissa: number,
  size: number,
): number {
  return size === 4 ? viewOf(bytes).getFloat32(offset) : viewOf(bytes).getFloat64(offset);
}

/** Writes a float or a double, big-endian. The arguments are those of ieee754. */
export function write(
  bytes: Uint8Array,
  value: number,
  offset: number,
  _little: false,
  _mantissa: number,
  size: number,
): void {
  if (size === 4) viewOf(bytes).setFloat32(offset, value);
  else viewOf(bytes).setFloat64(offset, value);
}
