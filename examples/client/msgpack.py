"""The part of MessagePack that Mellow uses: nil, bool, int, float, str, bin, array, map."""

import struct


def pack(value):
    """Returns the bytes of a value."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        return struct.pack(">BQ", 0xCF, value) if value >= 0 else struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        text = value.encode()
        return struct.pack(">BI", 0xDB, len(text)) + text
    if isinstance(value, (bytes, bytearray)):
        return struct.pack(">BI", 0xC6, len(value)) + bytes(value)
    if isinstance(value, (list, tuple)):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(pack, value))
    if isinstance(value, dict):
        items = b"".join(pack(key) + pack(item) for key, item in value.items())
        return struct.pack(">BI", 0xDF, len(value)) + items
    raise TypeError(f"MessagePack has no {type(value).__name__}")


def unpack(data):
    """Returns the one value that these bytes encode."""
    value, rest = _value(memoryview(data))
    if rest:
        raise ValueError("bytes after the value")
    return value


# By marker: how `struct` reads the number that follows, or the length that follows and the type that has this length.
_NUMBERS = {
    0xCA: ">f", 0xCB: ">d",
    0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}
_LENGTHS = {
    0xC4: (">B", "bin"), 0xC5: (">H", "bin"), 0xC6: (">I", "bin"),
    0xD9: (">B", "str"), 0xDA: (">H", "str"), 0xDB: (">I", "str"),
    0xDC: (">H", "array"), 0xDD: (">I", "array"),
    0xDE: (">H", "map"), 0xDF: (">I", "map"),
}


def _value(data):
    marker, rest = data[0], data[1:]
    if marker < 0x80:
        return marker, rest
    if marker >= 0xE0:
        return marker - 0x100, rest
    if marker < 0x90:
        return _of("map", marker & 0x0F, rest)
    if marker < 0xA0:
        return _of("array", marker & 0x0F, rest)
    if marker < 0xC0:
        return _of("str", marker & 0x1F, rest)
    if marker in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[marker], rest
    if marker in _NUMBERS:
        return _number(_NUMBERS[marker], rest)
    form, kind = _LENGTHS[marker]
    length, rest = _number(form, rest)
    return _of(kind, length, rest)


def _number(form, data):
    size = struct.calcsize(form)
    return struct.unpack(form, data[:size])[0], data[size:]


def _of(kind, length, data):
    if kind in ("bin", "str"):
        taken = bytes(data[:length])
        return taken if kind == "bin" else taken.decode(), data[length:]
    items = []
    for _ in range(length * (2 if kind == "map" else 1)):
        item, data = _value(data)
        items.append(item)
    return items if kind == "array" else dict(zip(items[::2], items[1::2])), data
