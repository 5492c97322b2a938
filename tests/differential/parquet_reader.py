"""Reads Parquet files as the product writes them: plain and dictionary encoding, Snappy or no compression."""

import datetime
import struct
from decimal import Decimal

from snappy import decompress
from thrift_compact import Reader

EPOCH = datetime.date(1970, 1, 1)
EPOCH_TIME = datetime.datetime(1970, 1, 1)
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
REPEATED = 2


class Node:
    def __init__(self, element, definition, repetition):
        self.name = element[4].decode()
        self.element = element
        repeats = element.get(3)
        self.repeated = repeats == REPEATED
        self.definition = definition + (repeats in (1, REPEATED))
        self.repetition = repetition + self.repeated
        self.children = []
        self.triples = []  # (repetition, definition, value) of a leaf
        self.at = 0

    def leaves(self):
        return [self] if not self.children else [leaf for child in self.children for leaf in child.leaves()]


def build(elements, at, definition, repetition):
    node = Node(elements[at], definition, repetition)
    at += 1
    for _ in range(node.element.get(5, 0)):
        child, at = build(elements, at, node.definition, node.repetition)
        node.children.append(child)
    return node, at


def hybrid(data, at, end, bits, count):
    """Numbers in the hybrid of run lengths and bit packing."""
    out = []
    reader = Reader(data, at)
    while len(out) < count and reader.at < end:
        header = reader.varint()
        if header & 1 == 0:
            size = (bits + 7) // 8
            value = int.from_bytes(data[reader.at:reader.at + size], "little")
            reader.at += size
            out += [value] * (header >> 1)
        else:
            size = (header >> 1) * bits
            packed = int.from_bytes(data[reader.at:reader.at + size], "little")
            reader.at += size
            out += [packed >> bits * i & (1 << bits) - 1 for i in range((header >> 1) * 8)]
    return out[:count]


def plain_values(kind, data, at, count, size):
    if kind == BOOLEAN:
        return [data[at + i // 8] >> i % 8 & 1 == 1 for i in range(count)]
    if kind == BYTE_ARRAY:
        out = []
        for _ in range(count):
            length = struct.unpack_from("<I", data, at)[0]
            out.append(bytes(data[at + 4:at + 4 + length]))
            at += 4 + length
        return out
    if kind == FIXED:
        return [bytes(data[at + i * size:at + (i + 1) * size]) for i in range(count)]
    return list(struct.unpack_from(f"<{count}{ {INT32: 'i', INT64: 'q', FLOAT: 'f', DOUBLE: 'd'}[kind] }", data, at))


def units(unit):
    return {1: 1_000, 2: 1_000_000, 3: 1_000_000_000}[next(iter(unit))]


def decoded(element, value):
    """A physical value as the value that it stands for."""
    logic = element.get(10, {})
    convert = element.get(6)
    if 5 in logic or convert == 5:
        number = int.from_bytes(value, "big", signed=True) if isinstance(value, bytes) else value
        return Decimal(number).scaleb(-element.get(7, 0))
    if 14 in logic:
        text = value.hex()
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    if 1 in logic or convert in (0, 4):
        return value.decode()
    if 6 in logic or convert == 6:
        return EPOCH + datetime.timedelta(days=value)
    if 8 in logic or convert in (9, 10):
        per_second = units(logic[8][2]) if 8 in logic else 1_000 if convert == 9 else 1_000_000
        return EPOCH_TIME + datetime.timedelta(microseconds=value * 1_000_000 // per_second)
    if 7 in logic or convert in (7, 8):
        per_second = units(logic[7][2]) if 7 in logic else 1_000 if convert == 7 else 1_000_000
        micros = value * 1_000_000 // per_second
        return (EPOCH_TIME + datetime.timedelta(microseconds=micros)).time()
    if convert in (11, 12, 13, 14) or (10 in logic and not logic[10].get(2, True)):
        return value % (1 << (64 if element[1] == INT64 else 32))
    return value


def read_chunk(data, leaf, chunk):
    meta = chunk[3]
    at = meta.get(11, meta[9])
    dictionary = None
    kind = meta[1]
    size = leaf.element.get(2, 0)
    seen = 0
    while seen < meta[5]:
        reader = Reader(data, at)
        header = reader.struct()
        raw = data[reader.at:reader.at + header[3]]
        at = reader.at + header[3]
        if 8 in header:
            raise ValueError("data pages of version 2 are not read here")
        body = decompress(raw) if meta[4] == 1 else bytes(raw)
        if 7 in header:
            dictionary = plain_values(kind, body, 0, header[7][1], size)
            continue
        seen += read_page(leaf, body, header[5], kind, size, dictionary)


def read_page(leaf, body, header, kind, size, dictionary):
    count = header[1]
    place = 0
    levels = []
    for most in (leaf.repetition, leaf.definition):
        if most == 0:
            levels.append([0] * count)
            continue
        length = struct.unpack_from("<I", body, place)[0]
        levels.append(hybrid(body, place + 4, place + 4 + length, most.bit_length(), count))
        place += 4 + length
    present = sum(level == leaf.definition for level in levels[1])
    if header[2] in (2, 8):
        indexes = hybrid(body, place + 1, len(body), body[place], present) if present else []
        values = [dictionary[one] for one in indexes]
    elif header[2] == 0:
        values = plain_values(kind, body, place, present, size)
    elif header[2] == 3 and kind == BOOLEAN:
        length = struct.unpack_from("<I", body, place)[0]
        values = [one == 1 for one in hybrid(body, place + 4, place + 4 + length, 1, present)]
    else:
        raise ValueError(f"encoding {header[2]} is not read here")
    values = iter(values)
    for repetition, definition in zip(*levels):
        value = decoded(leaf.element, next(values)) if definition == leaf.definition else None
        leaf.triples.append((repetition, definition, value))
    return count


def assemble(node):
    """The next value of a column."""
    leaves = node.leaves()
    first = leaves[0]
    definition = first.triples[first.at][1]
    if not node.children:
        first.at += 1
        return first.triples[first.at - 1][2]
    if definition < node.definition:
        for leaf in leaves:
            leaf.at += 1
        return None
    inner = node.children[0]
    if len(node.children) == 1 and inner.repeated:
        if definition < inner.definition:
            for leaf in leaves:
                leaf.at += 1
            return []
        items = [assemble(inner.children[0])]
        while first.at < len(first.triples) and first.triples[first.at][0] >= inner.repetition:
            items.append(assemble(inner.children[0]))
        return items
    return {child.name: assemble(child) for child in node.children}


def read_parquet(data):
    """The names of the columns, and the rows."""
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ValueError("not a Parquet file")
    length = struct.unpack("<I", data[-8:-4])[0]
    footer = Reader(data, len(data) - 8 - length).struct()
    root, _ = build(footer[2], 0, 0, 0)
    # The root counts as required.
    leaves = root.leaves()
    for group in footer.get(4, []):
        for leaf, chunk in zip(leaves, group[1]):
            read_chunk(data, leaf, chunk)
    names = [child.name for child in root.children]
    rows = [[assemble(child) for child in root.children] for _ in range(footer[3])]
    return names, rows
