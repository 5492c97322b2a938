"""What query_data and aggregate have to answer, in plain Python."""

import base64
import datetime
import functools
import math
import re
import unicodedata
from decimal import Decimal
from fractions import Fraction

from values import INT64, NEAR, TIMESTAMP, Near, Table, Type, float32, key_of, rank, shown_text

INT128 = Type("int", 128)
EXACT = Type("decimal", precision=38)  # A number with all of its digits.


class Refused(Exception):
    """The product has to refuse the question."""


def operand_moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", ""))


def operand_of(type_, operand):
    """An operand as something that cells of the type can be compared with by `cell_of`."""
    if type_.kind in ("int", "decimal", "near"):
        if isinstance(operand, str) and operand in ("NaN", "Infinity", "-Infinity"):
            return float(operand.replace("Infinity", "inf"))
        return Fraction(operand if isinstance(operand, (int, Decimal)) else Decimal(operand))
    if type_.kind == "float":
        value = float(str(operand).replace("Infinity", "inf"))
        return float32(value) if type_.bits == 32 else value
    if type_.kind in ("date", "timestamp", "timestamptz"):
        return operand_moment(operand)
    if type_.kind == "time":
        return datetime.time.fromisoformat(operand)
    if type_.kind == "bool":
        return operand if isinstance(operand, bool) else operand == "true"
    if type_.kind == "binary":
        return base64.b64decode(operand)
    return operand if isinstance(operand, str) else "true" if operand is True else "false" if operand is False else str(
        operand)


def cell_of(type_, cell):
    if isinstance(cell, Near):
        return Fraction(cell.value) if math.isfinite(cell.value) else cell.value
    if type_.kind == "decimal":
        return Fraction(cell)
    if type_.kind == "date":
        return datetime.datetime(cell.year, cell.month, cell.day)
    return cell


def order_of(cell, operand):
    """-1, 0 or 1."""
    a, b = rank(cell), rank(operand)
    return (a > b) - (a < b)


COMPARISONS = {"eq": lambda c: c == 0, "neq": lambda c: c != 0, "gt": lambda c: c > 0, "gte": lambda c: c >= 0,
               "lt": lambda c: c < 0, "lte": lambda c: c <= 0}


@functools.lru_cache(maxsize=10_000)
def fold(text):
    """Text without case, accents and punctuation."""
    text = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join("".join(c if c.isalnum() else " " for c in text).split())


def python_pattern(pattern):
    """RE2's $ is the end of the text, Python's also stands before a last line end."""
    return pattern.replace("$", r"\Z")


def test_of(type_, condition):
    """A function from a cell to whether the condition holds."""
    op, operand = condition["op"], condition.get("value")
    if op == "is_null" or (op in ("eq", "neq") and operand is None):
        wants_null = (operand is not False) if op == "is_null" else op == "eq"
        return lambda cell: (cell is None) == wants_null
    if op in COMPARISONS:
        value, holds = operand_of(type_, operand), COMPARISONS[op]
        return lambda cell: cell is not None and holds(order_of(cell_of(type_, cell), value))
    if op == "in":
        keys = {rank(operand_of(type_, one)) for one in operand if one is not None}
        with_null = any(one is None for one in operand)
        return lambda cell: with_null if cell is None else rank(cell_of(type_, cell)) in keys
    if op == "range":
        tests = [test_of(type_, {"op": name, "value": operand[key]})
                 for key, name in (("min", "gte"), ("max", "lte")) if operand.get(key) is not None]
        return lambda cell: all(test(cell) for test in tests)
    if op == "contains":
        return lambda cell: cell is not None and operand in shown_text(type_, cell)
    if op == "regex":
        found = re.compile(python_pattern(operand)).search
        return lambda cell: cell is not None and found(shown_text(type_, cell)) is not None
    if op == "normalized_contains":
        wanted = fold(operand)
        return lambda cell: cell is not None and wanted in fold(cell)
    raise ValueError(op)


def filtered(table, conditions):
    rows = table.rows
    for condition in conditions:
        at = table.index(condition["col"])
        test = test_of(table.columns[at][1], condition)
        rows = [row for row in rows if test(row[at])]
    return rows


def sum_of(type_, cells):
    if type_.kind == "float":
        finite = [cell for cell in cells if math.isfinite(cell)]
        rest = [cell for cell in cells if not math.isfinite(cell)]
        if rest:
            return Near(math.nan if any(map(math.isnan, rest)) or len(set(rest)) > 1 else rest[0])
        return Near(math.fsum(finite), sum(map(abs, finite)) * 1e-12)
    return sum(cells)


def median_of(type_, cells):
    ordered = sorted(cells, key=rank)
    low, high = ordered[(len(cells) - 1) // 2], ordered[len(cells) // 2]
    if not type_.is_number:
        low, high = cell_of(type_, low), cell_of(type_, high)
        return low + (high - low) / 2
    if type_.kind == "float":
        error = 1e-12 if type_.bits == 64 else 1e-6
        return Near(low if low == high else low / 2 + high / 2, error * (abs(low) + abs(high)))
    return (Fraction(low) + Fraction(high)) / 2


def aggregated(type_, fn, cells, rows):
    """The type and the value of an aggregate. `type_` is None for the count of rows."""
    if type_ is None:
        return INT64, rows
    cells = [cell for cell in cells if cell is not None]
    if fn == "count":
        return INT64, len(cells)
    if fn == "count_distinct":
        return INT64, len({key_of(cell) for cell in cells})
    if fn in ("min", "max"):
        return type_, None if not cells else (min if fn == "min" else max)(cells, key=rank)
    kind = NEAR if type_.kind == "float" or fn in ("avg", "median") else type_ if type_.kind == "decimal" else INT128
    if fn == "sum" and type_.kind == "decimal":
        kind = Type("decimal", precision=38, scale=type_.scale)
    if fn == "median" and type_.kind in ("int", "decimal"):
        kind = EXACT
    elif fn == "median" and not type_.is_number:
        kind = TIMESTAMP
    if not cells:
        return kind, None
    if fn == "sum":
        return kind, sum_of(type_, cells)
    if fn == "median":
        return kind, median_of(type_, cells)
    total = sum_of(type_, cells)
    if isinstance(total, Near):
        return kind, Near(total.value / len(cells), total.tolerance / len(cells))
    scale = float(sum(abs(cell) for cell in cells)) / len(cells)
    return kind, Near(float(Fraction(total) / len(cells)), scale * 1e-12)


def as_list(aggs):
    """Aggregates as a list, also where they were given as {column: functions}."""
    if isinstance(aggs, dict):
        return [{"col": col, "fn": fn} for col, fns in aggs.items() for fn in (fns if isinstance(fns, list) else [fns])]
    return aggs


def read_aggregates(aggs):
    return [(one.get("col"), one["fn"]) for one in as_list(aggs)]


def output_name(column, fn):
    return "count" if column in (None, "", "*") else f"{column}_{fn}"


def named_aggregates(keys, aggregates):
    """(column, function, name in the answer): one that a group has already gets a number."""
    taken = {key.lower() for key in keys}
    out = []
    for column, fn in dict.fromkeys((None if column in ("", "*") else column, fn) for column, fn in aggregates):
        usual = name = output_name(column, fn)
        number = 2
        while name.lower() in taken:
            name = f"{usual}_{number}"
            number += 1
        taken.add(name.lower())
        out.append((column, fn, name))
    return out


def sorted_rows(rows, terms):
    """`terms` are (index, descending); nulls come last either way, and equal rows stay as they are."""
    for at, descending in reversed(terms):
        present = [row for row in rows if row[at] is not None]
        present.sort(key=lambda row: rank(row[at]), reverse=descending)
        rows = present + [row for row in rows if row[at] is None]
    return rows


def order_terms(names, order_by):
    terms = []
    for one in order_by:
        name, descending = (one, False) if isinstance(one, str) else (one["col"], bool(one.get("desc")))
        terms.append((names.index(name), descending))
    return terms


def first_of(rows, keys):
    seen = set()
    out = []
    for row in rows:
        key = tuple(key_of(row[at]) for at in keys)
        if key not in seen:
            seen.add(key)
            out.append(row)
    return out


def unique(names):
    return list(dict.fromkeys(names))


def grouped(table, question):
    rows = filtered(table, question.get("filters", []))
    names = unique(question.get("group_by", []))
    keys = [table.index(name) for name in names]
    aggregates = read_aggregates(question.get("aggs") or [{"fn": "count"}])
    if question.get("null_policy") == "drop":
        needed = keys + [table.index(column) for column, _ in aggregates if column not in (None, "", "*")]
        rows = [row for row in rows if all(row[at] is not None for at in needed)]
    groups = {}
    for row in rows:
        groups.setdefault(tuple(key_of(row[at]) for at in keys), []).append(row)
    if not keys and not groups:
        groups[()] = []
    columns = [table.columns[at] for at in keys]
    out = [[group[0][at] for at in keys] for group in groups.values()]
    for column, fn, name in named_aggregates(names, aggregates):
        at = None if column is None else table.index(column)
        type_ = None if at is None else table.columns[at][1]
        results = [aggregated(type_, fn, [] if at is None else [row[at] for row in group], len(group))
                   for group in groups.values()]
        columns.append((name, results[0][0] if results else aggregated(type_, fn, [], 0)[0]))
        for row, (_, value) in zip(out, results):
            row.append(value)
    terms = order_terms([name for name, _ in columns], question.get("order_by", []))
    return Table(columns, sorted_rows(out, terms + [(at, False) for at in range(len(keys))]))


def plain(table, question):
    rows = filtered(table, question.get("filters", []))
    names = unique(question.get("columns") or [name for name, _ in table.columns])
    indexes = [table.index(name) for name in names]
    if question.get("null_policy") == "drop":
        rows = [row for row in rows if all(row[at] is not None for at in indexes)]
    columns = [table.columns[at] for at in indexes]
    if question.get("distinct"):
        rows = first_of([[row[at] for at in indexes] for row in rows], range(len(indexes)))
        terms = order_terms(names, question.get("order_by", []))
        return Table(columns, sorted_rows(rows, terms + [(at, False) for at in range(len(indexes))]))
    deduplicate = question.get("deduplicate")
    if deduplicate:
        by = indexes if deduplicate is True or not deduplicate else [table.index(name) for name in deduplicate]
        rows = first_of(rows, by)
    rows = sorted_rows(rows, order_terms([name for name, _ in table.columns], question.get("order_by", [])))
    return Table(columns, [[row[at] for at in indexes] for row in rows])


def rounded(table):
    """The table as an engine gives it that computes medians in floating point."""
    columns = [(name, NEAR if type_ == EXACT else type_) for name, type_ in table.columns]
    rows = [[Near(float(cell), 1e-12 * float(abs(cell))) if isinstance(cell, Fraction) else cell for cell in row]
            for row in table.rows]
    return Table(columns, rows)


def answer(table, question):
    """The whole answer, and whether rows beyond the limit were left out."""
    is_grouped = bool(question.get("group_by") or question.get("aggs"))
    out = grouped(table, question) if is_grouped else plain(table, question)
    begin = question.get("offset", 0)
    rows = out.rows[begin:]
    limit = question.get("limit")
    has_more = limit is not None and len(rows) > limit
    return Table(out.columns, rows if limit is None else rows[:limit]), has_more


def aggregate_answer(table, arguments):
    question = {key: arguments[key] for key in ("group_by", "aggs", "filters", "order_by") if key in arguments}
    if "top_n" in arguments:
        question["limit"] = arguments["top_n"]
        if not question.get("order_by"):
            named = named_aggregates(arguments.get("group_by", []), read_aggregates(arguments["aggs"]))
            question["order_by"] = [{"col": named[0][2], "desc": True}]
    return answer(table, question)
