"""What `catalog` and `describe` may say about a table, computed from its rows."""

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from values import key_of, rank, shown_text

TYPE_WORDS = {"int": "int", "float": "real", "decimal": "decimal", "bool": "bool", "text": "", "date": "date",
              "time": "time", "timestamp": "timestamp", "timestamptz": "timestamp", "uuid": "uuid", "binary": "blob"}
FEW_VALUES = 12
VALUE_BYTES = 40
PLAIN_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*\Z")
PLAIN_VALUE = re.compile(r"[^\x00-\x20\x7f-\x9f,;'\"\\#]([^\x00-\x1f\x7f-\x9f,;'\"\\]*[^\x00-\x20\x7f-\x9f,;'\"\\])?\Z")


def spellings(name):
    """How SQL may write a name. Whether one without quotes works is found out by using it."""
    quoted = '"' + name.replace('"', '""') + '"'
    return [quoted, name] if PLAIN_NAME.match(name) else [quoted]


def table_spellings(dataset):
    """The name in quotes, and without them, with _ for what needs quotes if that is enough."""
    quoted = '"' + dataset.reference.replace('"', '""') + '"'
    parts = re.sub(r"[-. ]", "_", dataset.reference).split("/")
    return [".".join(parts), quoted] if all(map(PLAIN_NAME.match, parts)) else [quoted]


def type_word(type_):
    if type_.kind == "list":
        return (TYPE_WORDS[type_.item.kind] or "text") + "[]"
    return TYPE_WORDS[type_.kind]


def brief_text(type_, value):
    if type_.kind == "float" and value == value and abs(value) != float("inf"):
        return f"{value:.{15 if type_.bits == 64 else 7}g}"
    return shown_text(type_, value)


def cut(text):
    """At most so many bytes of whole characters."""
    taken = b""
    for character in text:
        if len(taken) + len(character.encode()) > VALUE_BYTES:
            return taken.decode(), True
        taken += character.encode()
    return text, False


def value_text(type_, value):
    """A value in a list: text in quotes, unless it cannot be mistaken."""
    text = brief_text(type_, value)
    if type_.kind != "text":
        return text
    text, is_cut = cut(text)
    more = "…" if is_cut else ""
    if PLAIN_VALUE.match(text) and not re.search(r" [0-9]", text) and not is_cut:
        return text
    if not re.search(r"[\x00-\x1f\x7f-\x9f]", text):
        return "'" + text.replace("'", "''") + "'" + more
    names = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'"}
    return "E'" + re.sub(r"[\x00-\x1f\\']", lambda m: names.get(m[0], f"\\x{ord(m[0]):02x}"), text) + "'" + more


@dataclass
class Path:
    """A column, or a member of a column of structs."""
    names: tuple
    type: object
    cells: list

    @property
    def spellings(self):
        out = [""]
        for name in self.names:
            out = [f"{head}.{one}" if head else one for head in out for one in spellings(name)]
        return out

    @property
    def present(self):
        return [cell for cell in self.cells if cell is not None]

    @property
    def nulls(self):
        return len(self.cells) - len(self.present)

    @property
    def is_unique(self):
        return len({key_of(cell) for cell in self.present}) == len(self.cells) > 2

    @property
    def has_range(self):
        return self.type.is_number or self.type.kind in ("date", "time", "timestamp", "timestamptz")

    def counted(self):
        """(text, count), the most frequent first, then by value."""
        counts, firsts = Counter(map(key_of, self.present)), {}
        for cell in self.present:
            firsts.setdefault(key_of(cell), cell)

        def order(item):
            value = firsts[item[0]]
            return (-item[1], value.encode() if isinstance(value, str) else rank(value))
        return [(value_text(self.type, firsts[key]), count) for key, count in sorted(counts.items(), key=order)]

    def ends(self):
        ordered = sorted(self.present, key=rank)
        return [brief_text(self.type, one) for one in (ordered[0], ordered[-1])] if ordered else None

    def texts(self):
        return {brief_text(self.type, cell) for cell in self.present}


def paths_of(table):
    out = []
    for at, (name, type_) in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        if type_.kind != "struct":
            out.append(Path((name,), type_, cells))
            continue
        out += [Path((name, member), one, [None if cell is None else cell.get(member) for cell in cells])
                for member, one in type_.fields]
    return out


def number_in(text):
    """The number that a text holds without signs of currency, percent and thousands."""
    return Decimal(re.sub("[$€£%, ]", "", text))
