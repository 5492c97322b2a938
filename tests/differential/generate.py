"""Random tables: names, types and values of columns, as each source can hold them."""

import datetime
import math
from dataclasses import dataclass
from decimal import Decimal

from values import (BINARY, BOOL, DATE, FLOAT32, FLOAT64, INT32, INT64, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ, UUID,
                    Table, Type, float32)

ROWS_MAX = 40
SERIES_ROWS_MIN = 6
WORDS = ["road", "bridge", "school", "Straße", "café", "naïve", "Ωmega", "город", "東京", "water", "Water", "WATER",
         "energy", "budget", "north", "south", "west", "east", "river", "lake", "forest", "stone", "glass", "iron"]
AWKWARD = ['say "hi"', "a,b", "semi;colon", "pipe|pipe", "two\nlines", "tab\there", "it's", "back\\slash", "  padded ",
           "null", "NULL", "-", "#hash", "100%", "a_b", "😀 smile", "e\u0301 combining", "<b>&amp;</b>", "{}",
           "[x]"]
NAMES = ["id", "name", "amount", "Country Name", "1960", "1961", "größe", "a b", "x,y", 'quo"te', "v", "n", "g",
         "select", "value", "key", "city", "price", "day", "state", "Total Cost", "日本", "x.y", "it's", "a;b", "rate",
         "code", "flag", "when", "note", "data", "answer", "semi|pipe", "_row", "sum", "max", "order", "column0", "count", "amount_sum"]


@dataclass(frozen=True)
class Column:
    name: str
    type: Type
    pattern: str = ""  # strftime, of dates in text files
    declared: str = ""  # in a database
    pool: tuple = ()
    nulls: float = 0.0
    is_series: bool = False  # Its values come in the order of the pool.


def text_of(rng, awkward=True):
    words = " ".join(rng.choice(WORDS) for _ in range(rng.choice([1, 1, 2, 3])))
    if awkward and rng.random() < 0.25:
        return rng.choice([rng.choice(AWKWARD), words + " " + rng.choice(AWKWARD)])
    return words


def integer(rng, low, high):
    kind = rng.random()
    if kind < 0.6:
        return rng.randint(max(low, -20), min(high, 20))
    if kind < 0.8:
        return rng.randint(max(low, -100_000), min(high, 100_000))
    if kind < 0.9:
        return rng.choice([low, high, low + 1, high - 1])
    return rng.randint(low, high)


def floating(rng, bits, special):
    kind = rng.random()
    if special and kind < 0.12:
        return rng.choice([math.nan, math.inf, -math.inf, -0.0])
    if kind < 0.6:
        return rng.randint(-40, 40) / 4
    if kind < 0.8:
        return round(rng.uniform(-1000, 1000), 2) if bits == 64 else float32(round(rng.uniform(-1000, 1000), 2))
    value = rng.uniform(-1, 1) * 10.0 ** rng.randint(-12, 15)
    return value if bits == 64 else float32(value)


def moment(rng):
    base = datetime.datetime(2023, 1, 1)
    kind = rng.random()
    if kind < 0.5:
        return base + datetime.timedelta(days=rng.randint(0, 40))
    if kind < 0.8:
        return base + datetime.timedelta(seconds=rng.randint(0, 10**7))
    return datetime.datetime(rng.randint(1905, 2090), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23),
                             rng.randint(0, 59), rng.randint(0, 59), rng.choice([0, 500_000, rng.randint(0, 999_999)]))


def decimal_value(rng, type_):
    digits = rng.choice([1, 2, 3, type_.precision])
    return Decimal(rng.randint(-10**digits + 1, 10**digits - 1)).scaleb(-type_.scale)


def range_of(type_):
    return (-2**(type_.bits - 1), 2**(type_.bits - 1) - 1) if type_.signed else (0, 2**type_.bits - 1)


def value_of(rng, type_, special=True):
    if type_.kind == "bool":
        return rng.random() < 0.5
    if type_.kind == "int":
        return integer(rng, *range_of(type_))
    if type_.kind == "float":
        return floating(rng, type_.bits, special)
    if type_.kind == "decimal":
        return decimal_value(rng, type_)
    if type_.kind == "text":
        return text_of(rng)
    if type_.kind == "binary":
        return bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 3, 8])))
    if type_.kind == "date":
        return moment(rng).date()
    if type_.kind == "time":
        return moment(rng).time()
    if type_.kind in ("timestamp", "timestamptz"):
        return moment(rng)
    if type_.kind == "uuid":
        text = "%032x" % rng.getrandbits(128)
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    if type_.kind == "list":
        count = rng.choice([0, 1, 2, 3])
        return [None if rng.random() < 0.1 else value_of(rng, type_.item, False) for _ in range(count)]
    return {name: None if rng.random() < 0.2 else value_of(rng, of, False) for name, of in type_.fields}


def pool_of(rng, make):
    return tuple(make() for _ in range(rng.choice([1, 2, 3, 5, 8, 20])))


def typed_pool(rng, type_, special=True):
    """Values of a type. Half of the columns of integers and text also have those at the ends of their range."""
    ends = {"int": range_of, "text": lambda _: ("",)}.get(type_.kind, lambda _: ())(type_)
    return pool_of(rng, lambda: value_of(rng, type_, special)) + (ends if rng.random() < 0.5 else ())


def csv_pool(rng, kind):
    """The type, the pattern of dates, and the values of a column of a text file, such that reading it gives them."""
    if kind == "int":
        wide = rng.random() < 0.2
        return INT64, "", pool_of(rng, lambda: integer(rng, -10**17, 10**17) if wide else integer(rng, -10**6, 10**6))
    if kind == "float":
        return FLOAT64, "", (0.5,) + pool_of(rng, lambda: floating(rng, 64, False))
    if kind == "bool":
        return BOOL, "", (True, False)
    if kind == "months":
        # Both orders fit each value; only one of them gives a series of months.
        return DATE, "%m/%d/%Y", tuple(datetime.date(2019 + at // 12, at % 12 + 1, 1) for at in range(ROWS_MAX))
    if kind == "date":
        pattern = rng.choice(["", "", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"])
        # A day beyond the twelfth tells the order.
        return DATE, pattern, (datetime.date(2024, 3, 25),) + pool_of(rng, lambda: moment(rng).date())
    if kind == "timestamp":
        return TIMESTAMP, "", pool_of(rng, lambda: moment(rng).replace(microsecond=0).replace(second=7))
    if kind == "time":
        return TIME, "", pool_of(rng, lambda: moment(rng).time().replace(microsecond=0))
    if kind == "code":
        return TEXT, "", ("007",) + pool_of(rng, lambda: f"{rng.randint(0, 999):04}")
    if kind == "digits":
        return TEXT, "", pool_of(rng, lambda: str(rng.randint(10**19, 10**24)))
    return TEXT, "", ("word",) + typed_pool(rng, TEXT)


def json_pool(rng, kind):
    if kind == "list":
        item = rng.choice([INT64, TEXT])
        first = [1] if item is INT64 else ["word"]
        type_ = Type("list", item=item)
        return type_, "", (first,) + pool_of(rng, lambda: value_of(rng, type_, False))
    if kind == "struct":
        type_ = Type("struct", fields=(("a", INT64), ("b", TEXT)))
        return type_, "", ({"a": 1, "b": "word"},) + pool_of(rng, lambda: {
            "a": rng.randint(0, 9), "b": rng.choice([None, "x", "y"])})
    return csv_pool(rng, kind)


PARQUET_TYPES = ([Type("int", bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)] +
                 [FLOAT32, FLOAT64, FLOAT64, BOOL, TEXT, TEXT, TEXT, BINARY, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, UUID,
                  Type("decimal", precision=9, scale=2), Type("decimal", precision=18, scale=4),
                  Type("decimal", precision=30, scale=6), Type("list", item=INT32), Type("list", item=TEXT),
                  Type("struct", fields=(("a", INT32), ("b", TEXT)))])
POSTGRES_TYPES = {"smallint": Type("int", 16), "integer": INT32, "bigint": INT64, "real": FLOAT32,
                  "double precision": FLOAT64, "numeric(12,3)": Type("decimal", precision=12, scale=3),
                  "boolean": BOOL, "text": TEXT, "varchar(200)": TEXT, "date": DATE, "timestamp": TIMESTAMP,
                  "timestamptz": TIMESTAMPTZ, "time": TIME, "uuid": UUID, "bytea": BINARY,
                  "integer[]": Type("list", item=INT32), "text[]": Type("list", item=TEXT)}
SQLITE_TYPES = {"INTEGER": INT64, "BIGINT": INT64, "REAL": FLOAT64, "TEXT": TEXT, "VARCHAR(20)": TEXT, "BLOB": BINARY}
SQLITE_NAMES, POSTGRES_NAMES = list(SQLITE_TYPES), list(POSTGRES_TYPES)
CSV_KINDS = ["int", "int", "float", "bool", "date", "timestamp", "time", "text", "text", "text", "code", "digits",
             "months"]
JSON_KINDS = ["int", "int", "float", "bool", "date", "timestamp", "text", "text", "list", "struct"]


class Deck:
    """Chooses at random like a generator, but takes every option once before any comes again."""

    def __init__(self, rng):
        self.rng = rng
        self.left = {}

    def choice(self, options):
        left = self.left.setdefault(id(options), [])
        if not left:
            left += self.rng.sample(options, len(options))
        return left.pop()


def mixed_pool(rng):
    """What SQLite stores in one column although its types differ; it is shown as text."""
    return ("word", 1, 10, 9) + pool_of(rng, lambda: rng.choice([rng.randint(0, 30), str(rng.randint(0, 30)), "abc"]))


def column_of_kind(rng, kind, name, nulls=0):
    type_, pattern, pool = csv_pool(rng, kind)
    return Column(name, type_, pattern=pattern, pool=pool, nulls=nulls, is_series=kind == "months")


def column_of(rng, source, name, types=None):
    """A column of a random type; `types` chooses it, which is `rng` unless given."""
    types = types or rng
    nulls = rng.choice([0, 0, 0.1, 0.4])
    if source.startswith(("csv", "tsv")):
        # Columns with a number for a name are years of a table that grew sideways: they hold numbers.
        kind = rng.choice(["int", "float"]) if name.isdigit() else types.choice(CSV_KINDS)
        return column_of_kind(rng, kind, name, nulls)
    if source.startswith(("json", "ndjson")):
        type_, _, pool = json_pool(rng, types.choice(JSON_KINDS))
        return Column(name, type_, pool=pool, nulls=nulls)
    if source == "parquet":
        type_ = types.choice(PARQUET_TYPES)
        return Column(name, type_, pool=typed_pool(rng, type_), nulls=nulls)
    if source == "sqlite":
        if rng.random() < 0.15:
            return Column(name, TEXT, declared=rng.choice(["", "INTEGER"]), pool=mixed_pool(rng), nulls=nulls)
        declared = types.choice(SQLITE_NAMES)
        type_ = SQLITE_TYPES[declared]
        return Column(name, type_, declared=declared, nulls=nulls,
                      pool=typed_pool(rng, type_, special=False))
    declared = types.choice(POSTGRES_NAMES)
    type_ = POSTGRES_TYPES[declared]
    return Column(name, type_, declared=declared, pool=typed_pool(rng, type_), nulls=nulls)


def has_year_names(plan):
    return any(column.name.isdigit() for column in plan)


def random_plan(rng, source, types=None):
    names = rng.sample(NAMES, rng.randint(2, 7))
    plan = [column_of(rng, source, name, types) for name in names]
    if has_year_names(plan) and not any(column.type != TEXT and not column.name.isdigit() for column in plan):
        # Names above numbers tell that the first line is a header, and so do years beside them.
        plan.append(column_of_kind(rng, "int", "height") if source.startswith(("csv", "tsv")) else column_of(
            rng, source, "height"))
    if all(column.type.is_nested for column in plan):
        plan[0] = column_of(rng, "csv", names[0]) if source.endswith("json") else Column(
            names[0], INT32, declared="integer", pool=(1, 2, 3))
    return plan


def random_rows(rng, source, plan, count=None):
    """Rows over a plan. In text files the first row has no nulls and the first of each pool, which tells the type."""
    count = rng.choice([1, 2, 3, rng.randint(4, ROWS_MAX), rng.randint(4, ROWS_MAX)]) if count is None else count
    tells_types = source not in ("parquet", "pg15", "pg18")
    if any(column.is_series for column in plan):
        count = max(count, SERIES_ROWS_MIN)

    def cell(column, at):
        if column.is_series:
            return column.pool[at]
        if at == 0 and tells_types:
            return column.pool[0]
        return None if rng.random() < column.nulls else rng.choice(column.pool)
    return [[cell(column, at) for column in plan] for at in range(count)]


def model_table(plan, rows):
    """The table as answers show it: what SQLite mixes in one column is text."""
    def shown(column, value):
        return str(value) if column.type.kind == "text" and isinstance(value, int) else value
    return Table([(column.name, column.type) for column in plan],
                 [[shown(column, value) for column, value in zip(plan, row)] for row in rows])
