"""Reads Arrow IPC files as the product writes them: no compression, no dictionaries."""

import datetime
import struct
from decimal import Decimal

EPOCH = datetime.date(1970, 1, 1)
EPOCH_TIME = datetime.datetime(1970, 1, 1)
INT, FLOAT, BINARY, UTF8, BOOL, DECIMAL, DATE, TIME, TIMESTAMP = 2, 3, 4, 5, 6, 7, 8, 9, 10
LIST, STRUCT, FIXED_LIST = 12, 13, 16


class FlatTable:
    """A table of a flatbuffer."""

    def __init__(self, data, at):
        self.data = data
        self.at = at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.vtable)[0]

    def place(self, number):
        entry = 4 + 2 * number
        if entry >= self.size:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + entry)[0]
        return self.at + offset if offset else None

    def scalar(self, number, form, default=0):
        place = self.place(number)
        return default if place is None else struct.unpack_from("<" + form, self.data, place)[0]

    def target(self, number):
        place = self.place(number)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, number):
        target = self.target(number)
        return None if target is None else FlatTable(self.data, target)

    def text(self, number):
        target = self.target(number)
        size = struct.unpack_from("<I", self.data, target)[0]
        return bytes(self.data[target + 4:target + 4 + size]).decode()

    def tables(self, number):
        target = self.target(number)
        if target is None:
            return []
        size = struct.unpack_from("<I", self.data, target)[0]
        places = [target + 4 + 4 * i for i in range(size)]
        return [FlatTable(self.data, place + struct.unpack_from("<I", self.data, place)[0]) for place in places]

    def structs(self, number, form):
        target = self.target(number)
        if target is None:
            return []
        size = struct.unpack_from("<I", self.data, target)[0]
        step = struct.calcsize("<" + form)
        return [struct.unpack_from("<" + form, self.data, target + 4 + i * step) for i in range(size)]


class Batch:
    def __init__(self, message, body):
        header = message.table(2)
        self.rows = header.scalar(0, "q")
        self.nodes = iter(header.structs(1, "qq"))
        self.buffers = iter(header.structs(2, "qq"))
        self.body = body

    def buffer(self):
        offset, size = next(self.buffers)
        return self.body[offset:offset + size]

    def column(self, field):
        count, _ = next(self.nodes)
        bits = self.buffer()
        is_valid = [not bits or bits[i // 8] >> i % 8 & 1 == 1 for i in range(count)]
        values = self.values(field, count, is_valid)
        return [value if valid else None for value, valid in zip(values, is_valid)]

    def values(self, field, count, is_valid):
        kind = field.scalar(2, "B")
        type_ = field.table(3)
        if kind == STRUCT:
            names = [child.text(0) for child in field.tables(5)]
            columns = [self.column(child) for child in field.tables(5)]
            return [dict(zip(names, cells)) for cells in zip(*columns)] if columns else [{}] * count
        if kind == FIXED_LIST:
            size = type_.scalar(0, "i")
            items = self.column(field.tables(5)[0])
            return [items[i * size:(i + 1) * size] for i in range(count)]
        data = self.buffer()
        if kind in (UTF8, BINARY, LIST):
            ends = struct.unpack_from(f"<{count + 1}i", data) if count else (0,)
            items = self.column(field.tables(5)[0]) if kind == LIST else self.buffer()
            parts = [items[a:b] for a, b in zip(ends, ends[1:])]
            return [bytes(part).decode() for part in parts] if kind == UTF8 else [
                bytes(part) for part in parts] if kind == BINARY else parts
        if kind == BOOL:
            return [data[i // 8] >> i % 8 & 1 == 1 for i in range(count)]
        if kind == DECIMAL:
            scale = type_.scalar(1, "i")
            return [Decimal(int.from_bytes(data[i * 16:i * 16 + 16], "little", signed=True)).scaleb(-scale)
                    for i in range(count)]
        return fixed_values(kind, type_, data, is_valid)


def fixed_values(kind, type_, data, is_valid):
    """Beneath a null may be any bytes: they are not looked at where not every number is a value."""
    count = len(is_valid)
    if kind == INT:
        form = {8: "b", 16: "h", 32: "i", 64: "q"}[type_.scalar(0, "i")]
        return list(struct.unpack_from(f"<{count}{form if type_.scalar(1, '?') else form.upper()}", data))
    if kind == FLOAT:
        return list(struct.unpack_from(f"<{count}{ {1: 'f', 2: 'd'}[type_.scalar(0, 'h')] }", data))
    if kind == DATE:
        return [EPOCH + datetime.timedelta(days=one) if valid else EPOCH
                for one, valid in zip(struct.unpack_from(f"<{count}i", data), is_valid)]
    per_second = 1000 ** type_.scalar(0, "h")
    moments = [EPOCH_TIME + datetime.timedelta(microseconds=one * 1_000_000 // per_second) if valid else EPOCH_TIME
               for one, valid in zip(struct.unpack_from(f"<{count}q", data), is_valid)]
    if kind == TIME:
        return [one.time() for one in moments]
    if kind == TIMESTAMP:
        return moments
    raise ValueError(f"Arrow type {kind} is not read here")


def read_arrow(data):
    """The names of the columns, and the rows."""
    if data[:6] != b"ARROW1" or data[-6:] != b"ARROW1":
        raise ValueError("not an Arrow file")
    size = struct.unpack("<i", data[-10:-6])[0]
    begin = len(data) - 10 - size
    footer = FlatTable(data, begin + struct.unpack_from("<I", data, begin)[0])
    fields = footer.table(1).tables(1)
    rows = []
    for offset, metadata_bytes, _, body_bytes in footer.structs(3, "qiiq"):
        at = offset + 8
        message = FlatTable(data, at + struct.unpack_from("<I", data, at)[0])
        body = data[offset + metadata_bytes:offset + metadata_bytes + body_bytes]
        batch = Batch(message, body)
        columns = [batch.column(field) for field in fields]
        rows += [list(cells) for cells in zip(*columns)]
    return [field.text(0) for field in fields], rows
