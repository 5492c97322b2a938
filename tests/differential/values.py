"""Types and values of the model, and how an answer has to show them."""

import base64
import datetime
import json
import math
import struct
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, getcontext
from fractions import Fraction

getcontext().prec = 100  # Decimals of 38 digits are added up exactly.

EXACT_INTEGER_MAX = 2**53  # A JSON number beyond it loses digits in most readers.


@dataclass(frozen=True)
class Type:
    kind: str  # bool int float decimal text binary date time timestamp timestamptz uuid list struct near
    bits: int = 0
    signed: bool = True
    precision: int = 0
    scale: int = 0
    item: "Type" = None  # of a list
    fields: tuple = ()  # of a struct: (name, Type)

    @property
    def is_number(self):
        return self.kind in ("int", "float", "decimal", "near")

    @property
    def is_nested(self):
        return self.kind in ("list", "struct")

    @property
    def dtype(self):
        """The name of the type in get_schema and describe_dataset."""
        if self.kind == "int":
            return f"{'Int' if self.signed else 'UInt'}{self.bits}"
        if self.kind == "float":
            return f"Float{self.bits}"
        if self.kind == "decimal":
            return f"Decimal({self.precision},{self.scale})"
        if self.kind == "list":
            return f"List({self.item.dtype})"
        if self.kind == "struct":
            return "Struct({%s})" % ", ".join(f'"{name}": {one.dtype}' for name, one in self.fields)
        return {"bool": "Boolean", "text": "String", "uuid": "String", "binary": "Binary", "date": "Date",
                "time": "Time", "timestamp": "Datetime", "timestamptz": "Datetime(UTC)"}[self.kind]


BOOL = Type("bool")
INT64 = Type("int", 64)
INT32 = Type("int", 32)
FLOAT64 = Type("float", 64)
FLOAT32 = Type("float", 32)
TEXT = Type("text")
BINARY = Type("binary")
DATE = Type("date")
TIME = Type("time")
TIMESTAMP = Type("timestamp")
TIMESTAMPTZ = Type("timestamptz")
UUID = Type("uuid")
NEAR = Type("near")  # The result of floating-point arithmetic.


@dataclass(frozen=True)
class Near:
    """A number that may differ by a rounding error."""
    value: float
    tolerance: float = 0.0


@dataclass
class Table:
    columns: list  # (name, Type)
    rows: list  # lists of values; None is null

    def index(self, name):
        for at, (own, _) in enumerate(self.columns):
            if own == name:
                return at
        raise KeyError(name)

    def type_of(self, name):
        return self.columns[self.index(name)][1]


def float32(value):
    if math.isnan(value) or math.isinf(value):
        return value
    return struct.unpack("<f", struct.pack("<f", value))[0]


def rank(value):
    """A key by which values of one type are ordered and compared: NaN equals itself and is the greatest."""
    if isinstance(value, Near):
        value = value.value
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return (0, value)


def key_of(value):
    """A hashable key under which equal cells are equal, nulls included."""
    if value is None:
        return (2, 0)
    if isinstance(value, (list, dict)):
        return (0, json.dumps(value, default=str, sort_keys=True))
    return rank(value)


def fraction_text(micros):
    return f".{micros:06}".rstrip("0") if micros else ""


def shown_text(type_, value):
    """The text of a cell as CSV shows it. Floats are compared by value instead."""
    if type_.kind == "bool":
        return "true" if value else "false"
    if type_.kind == "binary":
        return base64.b64encode(value).decode()
    if type_.kind == "date":
        return value.isoformat()
    if type_.kind == "time":
        return value.strftime("%H:%M:%S") + fraction_text(value.microsecond)
    if type_.kind in ("timestamp", "timestamptz"):
        text = f"{value.year:04}" + value.strftime("-%m-%dT%H:%M:%S") + fraction_text(value.microsecond)
        return text + ("Z" if type_.kind == "timestamptz" else "")
    if type_.kind == "decimal":
        return str(value.quantize(Decimal(1).scaleb(-type_.scale)))
    if type_.kind == "float":
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value) if type_.bits == 64 else shortest_float32(value)
    return str(value)


def shortest_float32(value):
    """The shortest text that reads back as the same single-precision number."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if float32(float(text)) == value:
            return text
    return repr(value)


def shown_json(type_, value):
    """A JSON value that shows a cell; used to give a shown value back as an operand."""
    if value is None:
        return None
    if type_.kind == "int":
        return value if abs(value) <= EXACT_INTEGER_MAX else str(value)
    if type_.kind == "bool":
        return value
    if type_.kind == "float":
        text = shown_text(type_, value)
        return text if text in ("NaN", "Infinity", "-Infinity") else Decimal(text)
    if type_.kind == "decimal":
        digits = len(value.as_tuple().digits)
        return Decimal(shown_text(type_, value)) if digits <= 15 else shown_text(type_, value)
    return shown_text(type_, value)


def number_of(text):
    """A number in an answer, as exactly as it was written."""
    text = str(text)
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    if text in special:
        return special[text]
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def same_number(type_, expected, actual):
    if isinstance(actual, bool) or actual is None:
        return False
    actual = number_of(actual) if not isinstance(actual, (int, float, Decimal)) else actual
    if actual is None:
        return False
    if type_.kind == "near" or isinstance(expected, Near):
        wanted = expected.value if isinstance(expected, Near) else expected
        tolerance = expected.tolerance if isinstance(expected, Near) else 0.0
        given = float(actual)
        if math.isnan(wanted) or math.isinf(wanted):
            return wanted == given or (math.isnan(wanted) and math.isnan(given))
        return math.isclose(wanted, given, rel_tol=1e-12, abs_tol=tolerance)
    if type_.kind == "float":
        given = float(actual) if type_.bits == 64 else float32(float(actual))
        return rank(given) == rank(expected)
    if isinstance(actual, float):
        return math.isfinite(actual) and Fraction(actual) == Fraction(expected)
    return not (isinstance(actual, Decimal) and not actual.is_finite()) and Fraction(actual) == Fraction(expected)


def same(type_, expected, actual):
    """Whether a value that was decoded from Parquet or Arrow is the expected one."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if type_.is_number:
        return same_number(type_, expected, actual)
    if type_.kind == "list":
        return (isinstance(actual, list) and len(actual) == len(expected)
                and all(same(type_.item, e, a) for e, a in zip(expected, actual)))
    if type_.kind == "struct":
        return isinstance(actual, dict) and all(same(t, expected.get(n), actual.get(n)) for n, t in type_.fields)
    if isinstance(actual, str) and not isinstance(expected, str):
        return shown_text(type_, expected) == actual
    if isinstance(expected, datetime.datetime) and isinstance(actual, datetime.date) and not isinstance(
            actual, datetime.datetime):
        actual = datetime.datetime(actual.year, actual.month, actual.day)
    return type(expected) is type(actual) and expected == actual


def same_json(type_, expected, actual):
    """Whether a cell of a JSON answer is the expected value. Numbers were read as Decimal or int."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if type_.is_number:
        if type_.kind == "int" and not isinstance(actual, str) and abs(expected) > EXACT_INTEGER_MAX:
            return False
        return same_number(type_, expected, actual)
    if type_.kind == "list":
        return (isinstance(actual, list) and len(actual) == len(expected)
                and all(same_json(type_.item, e, a) for e, a in zip(expected, actual)))
    if type_.kind == "struct":
        return (isinstance(actual, dict) and list(actual) == [n for n, _ in type_.fields]
                and all(same_json(t, expected.get(n), actual[n]) for n, t in type_.fields))
    if type_.kind == "bool":
        return actual is expected
    return isinstance(actual, str) and actual == shown_text(type_, expected)


def same_csv(type_, expected, actual):
    """Whether a cell of a CSV answer is the expected value; `actual` is None for a cell without quotes and text."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if type_.is_number:
        return same_number(type_, expected, actual)
    if type_.is_nested:
        return same_json(type_, expected, json.loads(actual, parse_float=Decimal))
    return actual == shown_text(type_, expected)
