"""Random Polars chains, and what they mean: each step is a function over a table."""

import functools
import json

from model import COMPARISONS, aggregated, cell_of, first_of, operand_of, order_of
from questions import flat, is_finite, some_cell
from values import FLOAT32, INT64, NEAR, Near, Table, Type, key_of, shown_text

INT128 = Type("int", 128)
OPERATORS = {"==": "eq", "!=": "neq", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
PLAIN_KINDS = ("int", "float", "text", "date", "bool", "decimal")


def python_text(value):
    return json.dumps(value, ensure_ascii=False)


def literal(type_, cell):
    """A Python literal that means a cell; dates are text."""
    if type_.kind == "bool":
        return "True" if cell else "False"
    if type_.kind in ("int", "float", "decimal"):
        return shown_text(type_, cell)
    return python_text(shown_text(type_, cell))


def has_literal(type_, cell):
    """The language has none for what is not finite, of single precision, or beyond 63 bits and a sign."""
    if type_.kind == "int":
        return abs(cell) < 2**63
    return type_ != FLOAT32 and shown_text(type_, cell) not in ("NaN", "Infinity", "-Infinity")


def usable(table):
    return [(name, type_) for name, type_ in flat(table) if type_.kind in PLAIN_KINDS and not (
        type_.kind == "int" and type_.bits > 64)]


def column(name):
    return f"pl.col({python_text(name)})"


def all_of(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def any_of(a, b):
    return True if a is True or b is True else None if a is None or b is None else False


def predicate(rng, table, depth=0):
    """The text of a condition, and a function from a row to True, False or None."""
    if depth < 2 and rng.random() < 0.3:
        left, test_left = predicate(rng, table, depth + 1)
        right, test_right = predicate(rng, table, depth + 1)
        if rng.random() < 0.5:
            return f"({left} & {right})", lambda row: all_of(test_left(row), test_right(row))
        return f"({left} | {right})", lambda row: any_of(test_left(row), test_right(row))
    if depth < 2 and rng.random() < 0.1:
        inner, test = predicate(rng, table, depth + 1)
        return f"(~{inner})", lambda row: None if test(row) is None else not test(row)
    name, type_ = rng.choice(usable(table))
    at = table.index(name)
    cell = some_cell(rng, table, name)
    kind = rng.random()
    if cell is None or isinstance(cell, Near) or kind < 0.1 or not has_literal(type_, cell):
        if rng.random() < 0.5:
            return f"{column(name)}.is_null()", lambda row: row[at] is None
        return f"{column(name)}.is_not_null()", lambda row: row[at] is not None
    value = operand_of(type_, shown_text(type_, cell) if type_.kind != "bool" else cell)
    if type_.kind == "text" and kind < 0.3:
        part = cell[:3] or "a"
        method, test = rng.choice([("contains", lambda t: part in t), ("starts_with", lambda t: t.startswith(part)),
                                   ("ends_with", lambda t: t.endswith(part))])
        more = ", literal=True" if method == "contains" else ""
        return (f"{column(name)}.str.{method}({python_text(part)}{more})",
                lambda row: None if row[at] is None else test(row[at]))
    if kind < 0.45 and type_.kind != "bool":
        return (f"{column(name)}.is_in([{literal(type_, cell)}])",
                lambda row: None if row[at] is None else order_of(cell_of(type_, row[at]), value) == 0)
    sign = rng.choice(["==", "!="] if type_.kind == "bool" else list(OPERATORS))
    holds = COMPARISONS[OPERATORS[sign]]
    return (f"({column(name)} {sign} {literal(type_, cell)})",
            lambda row: None if row[at] is None else holds(order_of(cell_of(type_, row[at]), value)))


def filter_step(rng, table):
    text, test = predicate(rng, table)
    return f"filter({text})", Table(table.columns, [row for row in table.rows if test(row) is True])


def select_step(rng, table):
    chosen = rng.sample(table.columns, rng.randint(1, len(table.columns)))
    if not any(type_.kind in PLAIN_KINDS for _, type_ in chosen):
        return None
    indexes = [table.index(name) for name, _ in chosen]
    names = ", ".join(python_text(name) if rng.random() < 0.5 else column(name) for name, _ in chosen)
    return f"select({names})", Table(chosen, [[row[at] for at in indexes] for row in table.rows])


def with_columns_step(rng, table):
    numbers = [(name, type_) for name, type_ in table.columns if type_.kind == "int" and all(
        row[table.index(name)] is None or abs(row[table.index(name)]) < 2**28 for row in table.rows)]
    if not numbers or any(name == "added" for name, _ in table.columns) or numbers[0][1].bits < 32:
        return None
    name, _ = numbers[0]
    at = table.index(name)
    number = rng.randint(1, 5)
    sign, work = rng.choice([("+", lambda x: x + number), ("-", lambda x: x - number), ("*", lambda x: x * number),
                             ("//", lambda x: x // number), ("%", lambda x: x % number)])
    rows = [row + [None if row[at] is None else work(row[at])] for row in table.rows]
    return (f'with_columns(({column(name)} {sign} {number}).alias("added"))',
            Table(table.columns + [("added", INT64)], rows))


def sort_step(rng, table):
    names = [name for name, _ in usable(table)]
    name = rng.choice(names)
    at = table.index(name)
    descending, nulls_last = rng.random() < 0.5, rng.random() < 0.5

    def compare(a, b):
        x, y = a[at], b[at]
        if x is None or y is None:
            if (x is None) == (y is None):
                return 0
            return 1 if (x is None) == nulls_last else -1
        order = order_of(x, y)
        return -order if descending else order
    text = f"sort({python_text(name)}"
    text += ", descending=True" if descending else ""
    text += ", nulls_last=True" if nulls_last else ""
    return text + ")", Table(table.columns, sorted(table.rows, key=functools.cmp_to_key(compare)))


def head_step(rng, table):
    count = rng.choice([1, 3, 10])
    return f"{rng.choice(['head', 'limit'])}({count})", Table(table.columns, table.rows[:count])


def unique_step(rng, table):
    names = [name for name, _ in usable(table)]
    chosen = rng.sample(names, 1)
    at = [table.index(name) for name in chosen]
    if rng.random() < 0.5:
        rows = first_of(table.rows, at)
        return f"unique(subset=[{python_text(chosen[0])}])", Table(table.columns, rows)
    rows = first_of(table.rows[::-1], at)[::-1]
    return f"unique(subset=[{python_text(chosen[0])}], keep='last')", Table(table.columns, rows)


def drop_step(rng, table):
    if len(table.columns) < 3:
        return None
    name, _ = rng.choice(table.columns)
    at = table.index(name)
    left = [one for one in table.columns if one[0] != name]
    if not any(type_.kind in PLAIN_KINDS for _, type_ in left):
        return None
    return f"drop({python_text(name)})", Table(left, [row[:at] + row[at + 1:] for row in table.rows])


def aggregate(fn, type_, cells):
    present = [cell for cell in cells if cell is not None]
    if fn == "len":
        return INT64, len(cells)
    if fn == "n_unique":
        return INT64, len({key_of(cell) for cell in cells})
    if fn in ("first", "last"):
        return type_, None if not cells else cells[0 if fn == "first" else -1]
    result, value = aggregated(type_, {"mean": "avg"}.get(fn, fn), present, len(cells))
    if fn == "sum" and not present:
        value = Near(0.0) if result == NEAR else 0
    return result, value


def group_step(rng, table):
    key, _ = rng.choice(usable(table))
    at = table.index(key)
    groups = {}
    for row in table.rows:
        groups.setdefault(key_of(row[at]), []).append(row)
    texts, columns = [], [table.columns[at]]
    ordered = [group for _, group in sorted(groups.items())]
    rows = [[group[0][at]] for group in ordered]
    for number in range(rng.randint(1, 3)):
        name, type_ = rng.choice(usable(table))
        fns = ["count", "len", "n_unique", "first", "last"]
        fns += ["min", "max"] if type_.kind != "bool" else []
        fns += ["sum", "mean"] if type_.is_number else []
        fns += ["median"] if type_.is_number and is_finite(table, name) else []
        fn = rng.choice(fns)
        place = table.index(name)
        results = [aggregate(fn, type_, [row[place] for row in group]) for group in ordered]
        texts.append(f'{column(name)}.{fn}().alias("out{number}")')
        columns.append((f"out{number}", results[0][0] if results else aggregate(fn, type_, [])[0]))
        for row, (_, value) in zip(rows, results):
            row.append(value)
    return f"group_by({python_text(key)}).agg({', '.join(texts)})", Table(columns, rows)


STEPS = [filter_step, filter_step, select_step, with_columns_step, sort_step, head_step, unique_step, drop_step]


def random_chain(rng, table):
    """The text of a chain, and its answer; None where the table has no column that chains are made of."""
    if not usable(table):
        return None
    texts = []
    for _ in range(rng.randint(1, 3)):
        step = rng.choice(STEPS)(rng, table)
        if step is not None:
            texts.append(step[0])
            table = step[1]
    if (rng.random() < 0.35 or not texts) and usable(table):
        text, table = group_step(rng, table)
        texts.append(text)
    return rng.choice(["df.", "", "data."]) + ".".join(texts), table
