"""Checks of the tools that describe datasets: values, statistics, schemas, the catalog, and words in text."""

import re
from collections import Counter

import model
import questions
from answers import Answer, Mismatch, compare
from generate import WORDS
from server import call
from values import INT64, Table, key_of, rank, same_csv, shown_text

TOP_VALUES = 3
VALUE_CHARACTERS = 80
SAMPLE_ROWS = 3
CATALOG_CALLS_MAX = 500
SAMPLE_CELL_BYTES = 120


def counted(table, name, conditions):
    """(value, count) of a column, the most frequent first, then by value."""
    at = table.index(name)
    cells = [row[at] for row in model.filtered(table, conditions)]
    counts = Counter(map(key_of, cells))
    firsts = {}
    for cell in cells:
        firsts.setdefault(key_of(cell), cell)
    rows = [[value, counts[key]] for key, value in firsts.items()]
    return model.sorted_rows(rows, [(1, True), (0, False)])


def distinct_values(case):
    arguments = case.arguments
    rows = [row for row in counted(case.table, arguments["column"], arguments.get("filters", []))
            if row[1] >= arguments.get("min_count", 1)]
    limit = arguments.get("limit", 100)
    case.rows = len(rows[:limit])
    body = yield call("distinct_values", {"dataset": case.datasets[0].reference, **arguments})
    expected = Table([("value", case.table.type_of(arguments["column"])), ("count", INT64)], rows[:limit])
    values = body["values"]
    compare(expected, Answer("json", ["value", "count"] if values else None,
                             [[one["value"], one["count"]] for one in values]))
    limited = "limit" in arguments and len(rows) > limit
    if body["has_more"] != (len(rows) > limit and not limited) or body.get("limited", False) != limited:
        raise Mismatch("has_more and limited", (len(rows) > limit and not limited, limited), body)
    if body["size"] != len(values):
        raise Mismatch("size", len(values), body["size"])


def distinct_arguments(rng, table):
    arguments = {"column": rng.choice(questions.flat(table))[0]}
    if rng.random() < 0.3:
        arguments["limit"] = rng.choice([1, 2, 5])
    if rng.random() < 0.2:
        arguments["min_count"] = rng.choice([1, 2, 3])
    found = questions.conditions(rng, table)
    if found:
        arguments["filters"] = found
    return arguments


def same_extreme(type_, expected, given):
    if expected is None or given is None:
        return expected is None and given is None
    given = {True: "true", False: "false"}[given] if isinstance(given, bool) else str(given)
    if type_.kind == "text":
        return given.rstrip("…") == expected[:VALUE_CHARACTERS] or given == expected
    if type_.kind in ("timestamp", "timestamptz"):
        moment = given.replace(" ", "T").removesuffix("Z").removesuffix("+00")
        return moment == shown_text(type_, expected).removesuffix("Z")
    if type_.kind == "float":
        given = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(given, given)
    return same_csv(type_, expected, given)


def check_statistics(name, type_, cells, given):
    present = [cell for cell in cells if cell is not None]
    for key, value in (("column", name), ("count", len(present)),
                       ("nulls", len(cells) - len(present))):
        if given[key] != value:
            raise Mismatch(f"{key} of column {name}", value, given)
    if type_.is_nested:
        return
    if type_.kind != "binary" and type_.kind != "uuid":
        for key, pick in (("min", min), ("max", max)):
            wanted = pick(present, key=rank) if present else None
            if not same_extreme(type_, wanted, given[key]):
                raise Mismatch(f"{key} of column {name}", wanted, given)
    counts = Counter(map(key_of, present))
    distinct = next(given[key] for key in ("distinct", "distinct_count", "distinct_estimate") if key in given)
    if distinct != len(counts):
        raise Mismatch(f"number of values of column {name}", len(counts), given)
    check_top(name, type_, present, given)


def check_top(name, type_, present, given):
    """The most frequent values; which of equally frequent ones are shown is left open."""
    top = given.get("top") or []
    if type_.kind not in ("int", "text", "bool", "date", "uuid") or any(
            isinstance(cell, str) and len(cell) > VALUE_CHARACTERS for cell in present):
        return
    counts = Counter(shown_text(type_, cell) for cell in present)
    wanted = [count for _, count in counts.most_common(TOP_VALUES)]
    texts = [str(one["value"] if isinstance(one, dict) else one) for one in top]
    texts = [{"True": "true", "False": "false"}.get(text, text) for text in texts]
    if [counts.get(text) for text in texts] != wanted:
        raise Mismatch(f"top values of column {name}", counts.most_common(TOP_VALUES + 2), given)
    for one, count in zip(top, wanted):
        if isinstance(one, dict) and one.get("count", count) != count:
            raise Mismatch(f"count of a top value of column {name}", counts.most_common(TOP_VALUES), given)


def describe_dataset(case):
    body = yield call("describe_dataset", {"dataset": case.datasets[0].reference, **case.arguments})
    names = case.arguments.get("columns") or [name for name, _ in case.table.columns]
    case.rows = len(case.table.rows)
    if [one["column"] for one in body["columns"]] != names:
        raise Mismatch("described columns", names, body["columns"])
    if body.get("rows", len(case.table.rows)) != len(case.table.rows):
        raise Mismatch("rows", len(case.table.rows), body["rows"])
    for name, given in zip(names, body["columns"]):
        at = case.table.index(name)
        check_statistics(name, case.table.columns[at][1], [row[at] for row in case.table.rows], given)


def describe_arguments(rng, table):
    names = [name for name, _ in table.columns]
    return {} if rng.random() < 0.6 else {"columns": rng.sample(names, rng.randint(1, len(names)))}


def same_dtype(source, wanted, given):
    """Integers in JSON have no width of their own."""
    if "json" in source:
        wanted, given = (re.sub(r"U?Int\d+", "Int", text) for text in (wanted, given))
    return wanted == given


def get_schema(case):
    body = yield call("get_schema", {"dataset": case.datasets[0].reference})
    table = case.table
    case.rows = len(table.rows)
    wanted = {name: type_.dtype for name, type_ in table.columns}
    if body["columns"] != list(wanted) or not all(same_dtype(case.source, wanted[name], body["dtypes"][name])
                                                  for name in wanted):
        raise Mismatch("columns and types", wanted, body["dtypes"])
    if body["shape"][0] not in ("approx", len(table.rows)) or body["shape"][1] != len(table.columns):
        raise Mismatch("shape", [len(table.rows), len(table.columns)], body["shape"])
    if any(isinstance(cell, str) and len(cell.encode()) > SAMPLE_CELL_BYTES - 20 for row in table.rows for cell in row):
        return
    rows = [list(record.values()) for record in body["sample_rows"]]
    compare(Table(table.columns, table.rows[:SAMPLE_ROWS]), Answer("json", None, rows))


def get_catalog(case):
    dataset = case.datasets[0]
    case.rows = len(dataset.rows)
    # On a busy machine the time for counting may be over before a file was reached. Its rows are then counted in the
    # background, and the catalog is asked again.
    for _ in range(CATALOG_CALLS_MAX):
        body = yield call("get_catalog", {"match": dataset.reference})
        found = [one for one in body["datasets"] if one["dataset"] == dataset.reference]
        if len(found) != 1:
            raise Mismatch("entries of the dataset", 1, body)
        entry = found[0]
        count = entry["row_count_approx"]
        if count is None or (entry["row_count_kind"] == "exact" and count != len(dataset.rows)):
            raise Mismatch("row count", len(dataset.rows), entry)
        if entry["row_count_kind"] == "exact" or dataset.source not in ("parquet", "csv", "tsv"):
            return
    raise Mismatch("the count is not exact", len(dataset.rows), entry)


def words_of(text):
    return model.fold(text).split()


def holds(mode, word, text):
    folded = model.fold(word)
    return folded in words_of(text) if mode == "strict" else folded in model.fold(text)


def pattern_filter(case):
    """Which values mean a word, and that the token finds their rows."""
    arguments = case.arguments
    reference = {"dataset": case.datasets[0].reference}
    at = case.table.index(arguments["field"])
    rows = [row for row in case.table.rows
            if row[at] is not None and holds(arguments["mode"], arguments["patterns"][0], row[at])]
    case.rows = len(rows)
    body = yield call("pattern_filter", {**reference, **arguments})
    if body["status"] != "confirmed":
        raise Mismatch("status", "confirmed", body)
    if body["diagnostics"]["rows"] != len(rows) or body["diagnostics"]["matched"] != len({row[at] for row in rows}):
        raise Mismatch("matches", sorted({row[at] for row in rows}), body)
    if not rows:
        if "filter_token" in body:
            raise Mismatch("a token for nothing", None, body)
        return
    answer = yield call("query_data", {**reference, "filters": [body["filter_token"]], "shape": "columns"})
    compare(Table(case.table.columns, rows), Answer("json", answer["columns"], answer["rows"]))


def pattern_arguments(rng, table):
    fields = [name for name, type_ in table.columns if type_.kind == "text"]
    if not fields:
        return None
    field = rng.choice(fields)
    words = [word for row in table.rows if isinstance(row[table.index(field)], str)
             for word in row[table.index(field)].split() if word in WORDS]
    word = rng.choice(words) if words else rng.choice(WORDS)
    return {"field": field, "patterns": [rng.choice([word, word.upper()])],
            "mode": rng.choice(["strict", "permissive"])}


CHECKS = {"distinct_values": distinct_values, "describe_dataset": describe_dataset, "get_schema": get_schema,
          "get_catalog": get_catalog, "pattern_filter": pattern_filter}
MAKERS = {"distinct_values": distinct_arguments, "describe_dataset": describe_arguments,
          "get_schema": lambda rng, table: {}, "get_catalog": lambda rng, table: {},
          "pattern_filter": pattern_arguments}
