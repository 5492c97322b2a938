"""What a record store has to hold and answer: rows by id, every state by its version."""

import copy
import math
import re
import statistics
from decimal import Decimal

from generate import text_of, value_of
from model import aggregated, cell_of, operand_of, order_of, python_pattern, sorted_rows
from values import (BOOL, DATE, FLOAT64, INT64, NEAR, TEXT, TIMESTAMP, Near, Table, Type, key_of, shown_json)

COLUMNS = [("id", TEXT), ("title", TEXT), ("group", TEXT), ("qty", INT64), ("price", FLOAT64),
           ("cost", Type("decimal", precision=12, scale=2)), ("done", BOOL), ("day", DATE), ("at", TIMESTAMP),
           ("completed_at", TIMESTAMP)]
TYPES = dict(COLUMNS)
SCHEMA = {"id": "string", "title": "string", "group": "string", "qty": "integer", "price": "float",
          "done": "boolean", "day": "date", "at": "timestamp", "completed_at": "timestamp"}
GROUPS = ["red", "green", "Blue", "blue", None]


def random_value(rng, name):
    if name == "group":
        return rng.choice(GROUPS)
    if rng.random() < 0.2:
        return None
    if name == "title":
        return text_of(rng)
    if name == "qty":
        return rng.randint(-5, 20) if rng.random() < 0.8 else rng.randint(-2**60, 2**60)
    if name == "cost":
        return Decimal(rng.randint(-1000, 100_000)).scaleb(-2)
    value = value_of(rng, TYPES[name], special=False)
    return value.replace(microsecond=0) if TYPES[name].kind == "timestamp" else value


def random_record(rng, number):
    return {name: f"item-{number:04}" if name == "id" else random_value(rng, name) for name, _ in COLUMNS}


def shown_record(record):
    return {name: shown_json(TYPES[name], value) for name, value in record.items()}


class Model:
    def __init__(self, rows):
        self.rows = rows  # dictionaries, in order
        self.next_number = len(rows)
        self.states = {0: copy.deepcopy(rows)}
        self.version = 0
        self.last = None  # (operation or audit id, the state before it)

    def commit(self, rows, undo=None):
        self.last = None if undo is None else (undo, copy.deepcopy(self.rows))
        self.rows = rows
        self.version += 1
        self.states[self.version] = copy.deepcopy(rows)

    def table(self, rows=None):
        return Table(COLUMNS, [[row[name] for name, _ in COLUMNS] for row in (self.rows if rows is None else rows)])

    def matching(self, filters):
        tests = [(name, test_of(TYPES[name], wanted)) for name, wanted in filters.items()]
        return [row for row in self.rows if all(test(row[name]) for name, test in tests)]


def equals(type_, wanted):
    if wanted is None:
        return lambda cell: cell is None
    value = operand_of(type_, wanted)
    return lambda cell: cell is not None and order_of(cell_of(type_, cell), value) == 0


def operator_test(type_, name, operand):
    if name == "$ne":
        same = equals(type_, operand)
        return lambda cell: not same(cell)
    if name == "$in":
        return test_of(type_, operand)
    if name in ("$contains", "$starts_with", "$ends_with"):
        part = operand.lower()
        holds = {"$contains": lambda t: part in t, "$starts_with": lambda t: t.startswith(part),
                 "$ends_with": lambda t: t.endswith(part)}[name]
        return lambda cell: cell is not None and holds(cell.lower())
    if name == "$regex":
        found = re.compile(python_pattern(operand), re.IGNORECASE).search
        return lambda cell: cell is not None and found(cell) is not None
    value = operand_of(type_, operand)
    holds = {"$gt": lambda c: c > 0, "$gte": lambda c: c >= 0, "$lt": lambda c: c < 0, "$lte": lambda c: c <= 0}[name]
    return lambda cell: cell is not None and holds(order_of(cell_of(type_, cell), value))


def test_of(type_, wanted):
    if isinstance(wanted, list):
        tests = [equals(type_, one) for one in wanted]
        return lambda cell: any(test(cell) for test in tests)
    if isinstance(wanted, dict):
        tests = [operator_test(type_, name, operand) for name, operand in wanted.items()]
        return lambda cell: all(test(cell) for test in tests)
    return equals(type_, wanted)


def random_filter(rng, model):
    """{column: condition} with one or two columns."""
    out = {}
    for name in rng.sample(list(TYPES), rng.choice([1, 1, 2])):
        type_ = TYPES[name]
        cells = [row[name] for row in model.rows if row[name] is not None]
        cell = rng.choice(cells) if cells else random_value(rng, name)
        kind = rng.random()
        if cell is None or kind < 0.08:
            out[name] = None
        elif kind < 0.3:
            out[name] = shown_json(type_, cell)
        elif kind < 0.4:
            out[name] = [shown_json(type_, cell)] + ([None] if rng.random() < 0.5 else [])
        elif type_.kind == "text" and kind < 0.7:
            part = rng.choice([cell[:4], cell[-3:].upper(), cell[1:3]]) or "a"
            op = rng.choice(["$contains", "$starts_with", "$ends_with"])
            out[name] = {op: part} if rng.random() < 0.8 else {"$regex": rng.choice(["^r", "E$", "[0-9]", "o|a"])}
        elif type_.kind == "bool" or kind < 0.5:
            out[name] = {rng.choice(["$ne", "$in"]): shown_json(type_, cell)}
            if "$in" in out[name]:
                out[name]["$in"] = [out[name]["$in"]]
        else:
            out[name] = {rng.choice(["$gt", "$gte", "$lt", "$lte"]): shown_json(type_, cell)}
            if type_.kind == "int" and rng.random() < 0.3:
                out[name] = {"$gt": Decimal(cell) + Decimal("0.5")}
    return out


def aggregate_value(type_, fn, cells):
    present = [cell for cell in cells if cell is not None]
    if type_.kind == "bool" and fn not in ("count", "min", "max"):
        type_, present = INT64, [int(cell) for cell in present]
    if fn == "std":
        numbers = [float(cell) for cell in present if math.isfinite(float(cell))]
        if len(numbers) < 2:
            return NEAR, None
        # A spread that is tiny beside the numbers is all rounding error.
        return NEAR, Near(statistics.stdev(numbers), max(map(abs, numbers)) * 1e-7)
    result, value = aggregated(type_, {"mean": "avg"}.get(fn, fn), present, len(cells))
    if fn == "sum" and not present:
        value = Near(0.0) if result == NEAR else 0
    return result, value


def aggregate_answer(model, rows, keys, aggregations):
    """Groups in the order of their keys; those without a key are left out and counted."""
    kept = [row for row in rows if all(row[key] is not None for key in keys)]
    groups = {}
    for row in kept:
        groups.setdefault(tuple(key_of(row[key]) for key in keys), []).append(row)
    if not keys and not groups:
        groups[()] = []
    columns = [(key, TYPES[key]) for key in keys]
    out = [[group[0][key] for key in keys] for group in groups.values()]
    for name, fns in aggregations.items():
        for fn in fns if isinstance(fns, list) else [fns]:
            results = [aggregate_value(TYPES[name], fn, [row[name] for row in group]) for group in groups.values()]
            columns.append((f"{name}_{'mean' if fn == 'avg' else fn}", results[0][0] if results else INT64))
            for row, (_, value) in zip(out, results):
                row.append(value)
    terms = [(at, False) for at in range(len(keys))]
    return Table(columns, sorted_rows(out, terms)), len(rows) - len(kept)


def sort_table(table, sort_by):
    """sort_by of the tools: nulls where na_position says, ties as they are."""
    rows = table.rows
    for term in reversed(sort_by):
        at = table.index(term["column"])
        ascending = term.get("ascending", True)
        rows = sorted_rows(rows, [(at, not ascending)])
        if term.get("na_position", "last") == "first":
            rows = [row for row in rows if row[at] is None] + [row for row in rows if row[at] is not None]
    return Table(table.columns, rows)


def period_of(value, period):
    if period == "day":
        return value.strftime("%Y-%m-%d")
    if period == "month":
        return value.strftime("%Y-%m")
    if period == "quarter":
        return f"{value.year}Q{(value.month - 1) // 3 + 1}"
    return str(value.year)
