"""Random questions about a table: filters of every operator, columns, groups, aggregates, orders, limits."""

import math
from decimal import Decimal

from generate import WORDS, value_of
from model import named_aggregates, read_aggregates
from values import shown_json, shown_text

ORDERED = {"bool", "int", "float", "decimal", "text", "date", "time", "timestamp", "timestamptz"}


def flat(table):
    return [(name, type_) for name, type_ in table.columns if not type_.is_nested]


def some_cell(rng, table, name):
    at = table.index(name)
    cells = [row[at] for row in table.rows if row[at] is not None]
    return rng.choice(cells) if cells else None


def operand(rng, table, name, type_):
    """A value that was shown, one beside it, or one of another precision."""
    cell = some_cell(rng, table, name)
    if cell is None or (rng.random() < 0.15 and type_.kind not in ("text", "binary", "uuid")):
        cell = value_of(rng, type_, special=False)
    kind = rng.random()
    if type_.kind == "int" and kind < 0.3:
        return rng.choice([Decimal(cell) + Decimal("0.5"), Decimal(f"{cell}.0"), Decimal(cell) - Decimal("0.25")])
    if type_.kind == "int" and kind < 0.4:
        return str(cell)
    if type_.kind == "decimal" and kind < 0.3:
        return cell + rng.choice([Decimal("0.004"), Decimal("-0.0001"), Decimal("0.00000001")])
    if type_.kind == "date" and kind < 0.3:
        return cell.isoformat() + rng.choice(["T12:00:00", "T00:00:00", " 23:59:59"])
    if type_.kind == "timestamp" and kind < 0.2:
        return cell.date().isoformat()
    if type_.kind == "timestamp" and kind < 0.3:
        return shown_text(type_, cell).replace("T", " ")
    return shown_json(type_, cell)


def text_condition(rng, table, name, type_):
    cell = some_cell(rng, table, name)
    text = shown_text(type_, cell) if cell is not None else "x"
    begin = rng.randrange(len(text) + 1) if text else 0
    part = text[begin:begin + rng.randint(1, 5)]
    if type_.kind == "text" and rng.random() < 0.4:
        word = rng.choice([word for word in WORDS if word.isalpha()])
        return {"op": "normalized_contains", "value": rng.choice([word, word.upper(), word.lower()])}
    if rng.random() < 0.5:
        return {"op": "contains", "value": part or "a"}
    patterns = ["^[a-m]", "[0-9]+", "o$", "^.{3}", "(road|lake)", "[A-Z]", "^$", "a|e", "e{1,2}"]
    return {"op": "regex", "value": rng.choice(patterns)}


def condition(rng, table):
    name, type_ = rng.choice(table.columns)
    if type_.is_nested or rng.random() < 0.08:
        value = rng.choice([{}, {"value": True}, {"value": False}])
        return {"col": name, "op": "is_null", **value}
    if type_.kind in ("text", "int", "date") and rng.random() < (0.35 if type_.kind == "text" else 0.1):
        return {"col": name, **text_condition(rng, table, name, type_)}
    ops = ["eq", "neq", "in", "eq"] if type_.kind in ("bool", "binary", "uuid") else [
        "eq", "neq", "gt", "gte", "lt", "lte", "in", "range"]
    op = rng.choice(ops)
    if op == "in":
        count = rng.choice([1, 2, 3, 6, 70 if rng.random() < 0.1 else 4])
        values = [operand(rng, table, name, type_) for _ in range(count)]
        return {"col": name, "op": op, "value": values + ([None] if rng.random() < 0.2 else [])}
    if op == "range":
        bounds = sorted((operand(rng, table, name, type_) for _ in range(2)), key=str)
        value = {"min": bounds[0], "max": bounds[1]}
        if rng.random() < 0.3:
            del value[rng.choice(["min", "max"])]
        return {"col": name, "op": op, "value": value}
    if op in ("eq", "neq") and rng.random() < 0.08:
        return {"col": name, "op": op, "value": None}
    return {"col": name, "op": op, "value": operand(rng, table, name, type_)}


def conditions(rng, table):
    return [condition(rng, table) for _ in range(rng.choice([0, 0, 1, 1, 1, 2]))]


def is_finite(table, name):
    """Whether there is a value between any two of the column."""
    at = table.index(name)
    return all(not isinstance(row[at], float) or math.isfinite(row[at]) for row in table.rows)


def aggregate_of(rng, table):
    if rng.random() < 0.2:
        return {"fn": "count"}
    name, type_ = rng.choice(table.columns)
    fns = ["count"]
    if not type_.is_nested:
        fns += ["count_distinct"]
    if type_.kind in ORDERED:
        fns += ["min", "max"]
    if type_.is_number:
        fns += ["sum", "sum", "avg"]
        fns += ["median"] if is_finite(table, name) else []
    return {"col": name, "fn": rng.choice(fns)}


def aggregates(rng, table):
    out = [aggregate_of(rng, table) for _ in range(rng.choice([1, 1, 2, 3]))]
    if rng.random() < 0.2 and all("col" in one for one in out):
        by_column = {}
        for one in out:
            if one["fn"] not in by_column.setdefault(one["col"], []):
                by_column[one["col"]].append(one["fn"])
        return {col: fns[0] if len(fns) == 1 else fns for col, fns in by_column.items()}
    return out


def order(rng, names):
    chosen = rng.sample(names, min(len(names), rng.choice([1, 1, 2])))
    return [name if rng.random() < 0.3 else {"col": name, "desc": rng.random() < 0.5} for name in chosen]


def bounds(rng, question):
    if rng.random() < 0.35:
        question["limit"] = rng.choice([0, 1, 2, 5, 10, 1000])
    if rng.random() < 0.2:
        question["offset"] = rng.choice([0, 1, 3, 10])


def key_columns(rng, table):
    names = [name for name, type_ in flat(table)]
    return rng.sample(names, min(len(names), rng.choice([1, 1, 2])))


def group_question(rng, table, with_bounds=True):
    question = {}
    if rng.random() < 0.8:
        question["group_by"] = key_columns(rng, table)
    if rng.random() < 0.85 or "group_by" not in question:
        question["aggs"] = aggregates(rng, table)
    if with_bounds:
        bounds(rng, question)
    if question.get("group_by") and rng.random() < 0.3:
        question["order_by"] = order(rng, group_outputs(table, question))
    if rng.random() < 0.35:
        question["null_policy"] = "drop"
    return question


def group_outputs(table, question):
    """Names by which groups can be ordered without rounding errors deciding."""
    named = named_aggregates(question["group_by"], read_aggregates(question.get("aggs") or [{"fn": "count"}]))
    exact = [name for column, fn, name in named if fn in ("count", "count_distinct", "min", "max")]
    return question["group_by"] + exact


def row_question(rng, table):
    question = {}
    names = [name for name, _ in table.columns]
    flat_names = [name for name, _ in flat(table)]
    if rng.random() < 0.4:
        question["columns"] = rng.sample(names, rng.randint(1, len(names)))
    kind = rng.random()
    chosen = question.get("columns", names)
    if kind < 0.15 and all(not table.type_of(name).is_nested for name in chosen):
        question["distinct"] = True
    elif kind < 0.3 and (all(not table.type_of(name).is_nested for name in chosen)):
        question["deduplicate"] = rng.choice([True, key_columns(rng, table)])
    if rng.random() < 0.4:
        sortable = [name for name in (chosen if question.get("distinct") else names) if name in flat_names]
        if sortable:
            question["order_by"] = order(rng, sortable)
    bounds(rng, question)
    if rng.random() < 0.15:
        question["null_policy"] = "drop"
    return question


def query_question(rng, table):
    question = group_question(rng, table) if rng.random() < 0.3 else row_question(rng, table)
    found = conditions(rng, table)
    if found:
        question["filters"] = found
    return question
