"""Checks of advanced_query, in both languages, and of questions over several datasets."""

import random

import model
import questions
from answers import check_ends, compare, whole_answer
from polars_model import random_chain
from sql_text import is_said_alike, sql_of
from values import TEXT, Table
from world import DATABASES


def check(case, expected, arguments):
    case.rows = len(expected.rows)
    answer, _ = yield from whole_answer(case.wire_tool, arguments, case.form)
    compare(expected, answer)


def polars(case):
    """The chain is made anew from its seed, so that it fits a table that was made smaller."""
    text, expected = random_chain(random.Random(case.arguments["seed"]), case.table)
    case.notes["polars_expr"] = text
    yield from check(case, model.rounded(expected), {"dataset": case.datasets[0].reference, "polars_expr": text})


def polars_arguments(rng, table):
    seed = rng.getrandbits(40)
    return None if random_chain(random.Random(seed), table) is None else {"seed": seed}


def sql_question(table, question):
    """With an order over all that the answer shows."""
    names = [name for name, _ in model.answer(table, {**question, "order_by": []})[0].columns]
    if question.get("group_by") or question.get("aggs"):
        return question
    return {**question, "order_by": names}


def sql(case):
    text = sql_of(case.table, case.arguments)
    case.notes["sql"] = text
    expected, _ = model.answer(case.table, sql_question(case.table, case.arguments))
    yield from check(case, model.rounded(expected), {"dataset": case.datasets[0].reference, "sql": text})


def sql_arguments(rng, table):
    if not is_said_alike(table):
        return None
    question = questions.query_question(rng, table)
    for name in ("deduplicate", "null_policy", "order_by"):
        question.pop(name, None)
    medians = [column for column, fn in model.read_aggregates(question.get("aggs") or []) if fn == "median"]
    # The engine's own median of decimals has their scale.
    if any(table.type_of(column).kind == "decimal" for column in medians):
        return None
    return question if sql_of(table, question) else None


def united(datasets):
    """Rows of several datasets with what tells them apart; what one lacks is null."""
    columns = [("dataset", TEXT)]
    if datasets[0].source in DATABASES:
        columns += [("database", TEXT), ("table", TEXT)]
    labels = len(columns)
    for dataset in datasets:
        columns += [one for one in dataset.table.columns if one not in columns]
    rows = []
    for dataset in datasets:
        own = [name for name, _ in dataset.table.columns]
        for row in dataset.table.rows:
            cells = dict(zip(own, row))
            own_labels = [dataset.reference, *dataset.reference.split("/")][:labels]
            rows.append(own_labels + [cells.get(name) for name, _ in columns[labels:]])
    return Table(columns, rows)


def bulk(case):
    expected, has_more = model.answer(united(case.datasets), case.arguments)
    arguments = {"datasets": [one.reference for one in case.datasets], **case.arguments}
    case.rows = len(expected.rows)
    answer, _ = yield from whole_answer(case.wire_tool, arguments, case.form)
    compare(expected, answer)
    check_ends(answer, case.form, has_more)


def bulk_arguments(rng, datasets):
    question = questions.query_question(rng, united(datasets))
    for name in ("deduplicate", "null_policy", "distinct", "offset"):
        question.pop(name, None)
    return question


CHECKS = {"polars": polars, "sql": sql, "bulk": bulk}
MAKERS = {"polars": polars_arguments, "sql": sql_arguments}
WIRE_TOOLS = {"polars": "advanced_query", "sql": "advanced_query", "bulk": "bulk_filter_multiple_datasets"}
