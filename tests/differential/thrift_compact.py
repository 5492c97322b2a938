"""Thrift's compact protocol, as far as Parquet's metadata needs it."""

import struct

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def encode(type_, value):
    if type_ == BYTE:
        return struct.pack("b", value)
    if type_ in (I16, I32, I64):
        return zigzag(value)
    if type_ == BINARY:
        data = value.encode() if isinstance(value, str) else value
        return varint(len(data)) + data
    if type_ == LIST:
        item, values = value
        header = bytes([len(values) << 4 | item]) if len(values) < 15 else bytes([0xF0 | item]) + varint(len(values))
        return header + b"".join(encode(item, one) for one in values)
    if type_ == STRUCT:
        return struct_bytes(value)
    raise ValueError(f"thrift type {type_}")


def struct_bytes(fields):
    """`fields` are (id, type, value) in the order of their ids; those without a value are left out."""
    out = b""
    last = 0
    for number, type_, value in fields:
        if value is None:
            continue
        if type_ in (TRUE, FALSE):
            type_ = TRUE if value else FALSE
        out += bytes([(number - last) << 4 | type_]) if number - last < 16 else bytes([type_]) + zigzag(number)
        if type_ not in (TRUE, FALSE):
            out += encode(type_, value)
        last = number
    return out + b"\0"


class Reader:
    """Reads structs as dictionaries from field ids to values."""

    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def zigzag(self):
        value = self.varint()
        return value >> 1 if value & 1 == 0 else -(value + 1 >> 1)

    def value(self, type_):
        if type_ in (TRUE, FALSE):
            return type_ == TRUE
        if type_ == BYTE:
            self.at += 1
            return struct.unpack_from("b", self.data, self.at - 1)[0]
        if type_ in (I16, I32, I64):
            return self.zigzag()
        if type_ == DOUBLE:
            self.at += 8
            return struct.unpack_from("<d", self.data, self.at - 8)[0]
        if type_ == BINARY:
            size = self.varint()
            self.at += size
            return bytes(self.data[self.at - size:self.at])
        if type_ in (LIST, SET):
            header = self.data[self.at]
            self.at += 1
            size = header >> 4 if header >> 4 < 15 else self.varint()
            item = header & 15
            if item in (TRUE, FALSE):
                self.at += size
                return [byte == TRUE for byte in self.data[self.at - size:self.at]]
            return [self.value(item) for _ in range(size)]
        if type_ == STRUCT:
            return self.struct()
        raise ValueError(f"thrift type {type_}")

    def struct(self):
        out = {}
        last = 0
        while True:
            header = self.data[self.at]
            self.at += 1
            if header == 0:
                return out
            last = last + (header >> 4) if header >> 4 else self.zigzag()
            out[last] = self.value(header & 15)
