"""Writes Parquet files: plain or dictionary encoding, no compression, any number of row groups."""

import datetime
import struct
from dataclasses import dataclass, field

from thrift_compact import BINARY, BYTE, I32, I64, LIST, STRUCT, TRUE, struct_bytes

BOOLEAN, INT32, INT64, _, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
REQUIRED, OPTIONAL, REPEATED = range(3)
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
EPOCH = datetime.date(1970, 1, 1)
EPOCH_TIME = datetime.datetime(1970, 1, 1)
MICROS_UNIT = (2, STRUCT, [(2, STRUCT, [])])


@dataclass
class Leaf:
    type: object
    path: list
    definition: int  # The level of a value that is there.
    repetition: int
    levels: list = field(default_factory=list)  # (repetition, definition)
    values: list = field(default_factory=list)


def bits_for(most):
    return most.bit_length()


def run_lengths(numbers, bits):
    """The RLE half of the hybrid encoding."""
    out = b""
    at = 0
    while at < len(numbers):
        end = at
        while end < len(numbers) and numbers[end] == numbers[at]:
            end += 1
        count = end - at << 1
        while count > 0x7F:
            out += bytes([count & 0x7F | 0x80])
            count >>= 7
        out += bytes([count]) + numbers[at].to_bytes((bits + 7) // 8, "little")
        at = end
    return out


def physical(type_):
    if type_.kind == "bool":
        return BOOLEAN
    if type_.kind == "int":
        return INT64 if type_.bits == 64 else INT32
    if type_.kind == "float":
        return DOUBLE if type_.bits == 64 else FLOAT
    if type_.kind == "decimal":
        return INT32 if type_.precision <= 9 else INT64 if type_.precision <= 18 else FIXED
    if type_.kind == "uuid":
        return FIXED
    if type_.kind == "date":
        return INT32
    return INT64 if type_.kind in ("time", "timestamp", "timestamptz") else BYTE_ARRAY


def logical(type_):
    """The union LogicalType; None where the physical type says all."""
    if type_.kind == "int":
        return [(10, STRUCT, [(1, BYTE, type_.bits), (2, TRUE, type_.signed)])]
    if type_.kind == "decimal":
        return [(5, STRUCT, [(1, I32, type_.scale), (2, I32, type_.precision)])]
    if type_.kind == "time":
        return [(7, STRUCT, [(1, TRUE, False), MICROS_UNIT])]
    if type_.kind in ("timestamp", "timestamptz"):
        return [(8, STRUCT, [(1, TRUE, type_.kind == "timestamptz"), MICROS_UNIT])]
    # The engine writes dates by their converted type alone, and a record store keeps to what it writes itself.
    return {"text": [(1, STRUCT, [])], "uuid": [(14, STRUCT, [])]}.get(type_.kind)


def converted(type_):
    if type_.kind == "int":
        return {8: 11, 16: 12, 32: 13, 64: 14}[type_.bits] + (4 if type_.signed else 0)
    return {"text": 0, "decimal": 5, "date": 6, "time": 8, "timestamp": 10, "timestamptz": 10}.get(type_.kind)


def stored(type_, value):
    """The number or the bytes that stand for a value."""
    if type_.kind == "decimal":
        number = int(value.scaleb(type_.scale))
        return number.to_bytes(16, "big", signed=True) if type_.precision > 18 else number
    if type_.kind == "date":
        return (value - EPOCH).days
    if type_.kind == "time":
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if type_.kind in ("timestamp", "timestamptz"):
        return (value - EPOCH_TIME) // datetime.timedelta(microseconds=1)
    if type_.kind == "uuid":
        return bytes.fromhex(value.replace("-", ""))
    return value.encode() if isinstance(value, str) else value


def plain(type_, values):
    kind = physical(type_)
    if kind == BOOLEAN:
        bits = bytearray((len(values) + 7) // 8)
        for at, value in enumerate(values):
            bits[at // 8] |= bool(value) << at % 8
        return bytes(bits)
    if kind == BYTE_ARRAY:
        return b"".join(struct.pack("<I", len(value)) + value for value in values)
    if kind == FIXED:
        return b"".join(values)
    if kind in (INT32, INT64):
        bits = 32 if kind == INT32 else 64
        return b"".join((value % (1 << bits)).to_bytes(bits // 8, "little") for value in values)
    return struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'd'}", *values)


def elements(name, type_):
    """The SchemaElements of a column, parents first."""
    def element(name, repetition, children=None, leaf=None, logic=None, convert=None):
        size = 16 if leaf is not None and physical(leaf) == FIXED else None
        decimal = leaf is not None and leaf.kind == "decimal"
        return [(1, I32, None if leaf is None else physical(leaf)), (2, I32, size), (3, I32, repetition),
                (4, BINARY, name), (5, I32, children), (6, I32, convert),
                (7, I32, leaf.scale if decimal else None), (8, I32, leaf.precision if decimal else None),
                (10, STRUCT, logic)]
    if type_.kind == "list":
        return [element(name, OPTIONAL, children=1, logic=[(3, STRUCT, [])], convert=3),
                element("list", REPEATED, children=1)] + elements("element", type_.item)
    if type_.kind == "struct":
        own = [element(name, OPTIONAL, children=len(type_.fields))]
        return own + [one for child, of in type_.fields for one in elements(child, of)]
    return [element(name, OPTIONAL, leaf=type_, logic=logical(type_), convert=converted(type_))]


def leaves_of(type_, path, definition, repetition):
    if type_.kind == "list":
        return leaves_of(type_.item, path + ["list", "element"], definition + 2, repetition + 1)
    if type_.kind == "struct":
        return [leaf for name, of in type_.fields
                for leaf in leaves_of(of, path + [name], definition + 1, repetition)]
    return [Leaf(type_, path, definition + 1, repetition)]


def shred(type_, value, leaves, repetition, definition, depth):
    """Adds a value to the leaves beneath it. `definition` is what is there above it, `depth` the lists around it."""
    if value is None or (type_.kind == "list" and not value):
        for leaf in leaves:
            leaf.levels.append((repetition, definition + (value is not None)))
        return
    if type_.kind == "list":
        for at, one in enumerate(value):
            shred(type_.item, one, leaves, repetition if at == 0 else depth + 1, definition + 2, depth + 1)
    elif type_.kind == "struct":
        at = 0
        for name, of in type_.fields:
            count = len(leaves_of(of, [], 0, 0))
            shred(of, value.get(name), leaves[at:at + count], repetition, definition + 1, depth)
            at += count
    else:
        leaves[0].levels.append((repetition, definition + 1))
        leaves[0].values.append(stored(type_, value))


def page(kind, header_id, header, body):
    size = len(body)
    return struct_bytes([(1, I32, kind), (2, I32, size), (3, I32, size), (header_id, STRUCT, header)]) + body


def column_chunk(leaf, offset, with_dictionary):
    """The bytes of a column chunk, and its ColumnChunk."""
    body = b""
    if leaf.repetition:
        levels = run_lengths([r for r, _ in leaf.levels], bits_for(leaf.repetition))
        body += struct.pack("<I", len(levels)) + levels
    levels = run_lengths([d for _, d in leaf.levels], bits_for(leaf.definition))
    body += struct.pack("<I", len(levels)) + levels
    dictionary = b""
    encoding = PLAIN
    if with_dictionary and physical(leaf.type) == BYTE_ARRAY and leaf.values:
        words = sorted(set(leaf.values))
        bits = max(1, bits_for(len(words) - 1))
        body += bytes([bits]) + run_lengths([words.index(value) for value in leaf.values], bits)
        dictionary = page(2, 7, [(1, I32, len(words)), (2, I32, PLAIN)], plain(leaf.type, words))
        encoding = RLE_DICTIONARY
    else:
        body += plain(leaf.type, leaf.values)
    data = page(0, 5, [(1, I32, len(leaf.levels)), (2, I32, encoding), (3, I32, RLE), (4, I32, RLE)], body)
    chunk = dictionary + data
    meta = [(1, I32, physical(leaf.type)), (2, LIST, (I32, [PLAIN, RLE, encoding])), (3, LIST, (BINARY, leaf.path)),
            (4, I32, 0), (5, I64, len(leaf.levels)), (6, I64, len(chunk)), (7, I64, len(chunk)),
            (9, I64, offset + len(dictionary)), (11, I64, offset if dictionary else None)]
    return chunk, [(2, I64, offset), (3, STRUCT, meta)]


def parquet_bytes(columns, rows, group_rows=1 << 20, with_dictionary=False):
    """`columns` are (name, Type)."""
    out = b"PAR1"
    groups = []
    for begin in range(0, max(len(rows), 1), group_rows):
        part = rows[begin:begin + group_rows]
        chunks = []
        start = len(out)
        for at, (name, type_) in enumerate(columns):
            leaves = leaves_of(type_, [name], 0, 0)
            for row in part:
                shred(type_, row[at], leaves, 0, 0, 0)
            for leaf in leaves:
                data, chunk = column_chunk(leaf, len(out), with_dictionary)
                chunks.append(chunk)
                out += data
        groups.append([(1, LIST, (STRUCT, chunks)), (2, I64, len(out) - start), (3, I64, len(part))])
    schema = [[(4, BINARY, "schema"), (5, I32, len(columns))]]
    schema += [one for name, type_ in columns for one in elements(name, type_)]
    footer = struct_bytes([(1, I32, 1), (2, LIST, (STRUCT, schema)), (3, I64, len(rows)),
                           (4, LIST, (STRUCT, groups)), (6, BINARY, "differential test")])
    return out + footer + struct.pack("<I", len(footer)) + b"PAR1"
