"""Cases: a question about datasets, and the check of its answer. A case is plain data, so that it can be shrunk."""

import random
from dataclasses import dataclass, field, replace

import advanced_cases
import discovery_cases
import explore_cases
import lean_cases
import model
import questions
from answers import Mismatch, check_ends, compare, whole_answer
from server import call
from shrink import shrink
from values import Table

ROW_FORMS = ["json", "columns", "csv", "parquet", "arrow", "pages:json", "pages:columns", "pages:csv",
             "pages:parquet", "pages:arrow"]


@dataclass
class Case:
    tool: str
    form: str
    datasets: list
    arguments: dict
    label: str = ""
    notes: dict = field(default_factory=dict)
    rows: int = -1  # of the expected answer, once it is known

    @property
    def source(self):
        return self.datasets[0].source

    @property
    def wire_tool(self):
        return advanced_cases.WIRE_TOOLS.get(self.tool, self.tool)

    @property
    def profile(self):
        """The tools that its server has to have."""
        return "lean" if self.tool in {**lean_cases.CHECKS, **discovery_cases.CHECKS} else "full"

    @property
    def table(self):
        return self.datasets[0].table

    def steps(self):
        return CHECKS[self.tool](self)

    def reduced(self, **changes):
        return replace(self, rows=-1, **changes)

    def shrunk(self, report, error):
        return shrink(report.program, report.servers, self, error)


def check_rows(case, expected, has_more, tool=None, arguments=None):
    """Asks for rows, and compares all of them."""
    if arguments is None:
        arguments = {"dataset": case.datasets[0].reference, **case.arguments}
    case.rows = len(expected.rows)
    answer, _ = yield from whole_answer(tool or case.tool, arguments, case.form)
    compare(expected, answer)
    check_ends(answer, case.form, has_more)


def query_data(case):
    expected, has_more = model.answer(case.table, case.arguments)
    yield from check_rows(case, expected, has_more)


def aggregate(case):
    expected, has_more = model.aggregate_answer(case.table, case.arguments)
    yield from check_rows(case, expected, has_more)


def echo(case):
    """A value that was shown finds the rows that show it."""
    shown = yield call("query_data", {"dataset": case.datasets[0].reference, "shape": "columns"})
    row = case.arguments["row"] % len(case.table.rows)
    name = case.arguments["column"]
    at = case.table.index(name)
    given = shown["rows"][row][at]
    condition = {"col": name, "op": "in" if case.arguments["list"] else "eq",
                 "value": [given] if case.arguments["list"] else given}
    if case.table.rows[row][at] is None:
        condition = {"col": name, "op": "eq", "value": None}
    key = model.key_of(case.table.rows[row][at])
    rows = [one for one in case.table.rows if model.key_of(one[at]) == key]
    arguments = {"dataset": case.datasets[0].reference, "filters": [condition]}
    yield from check_rows(case, Table(case.table.columns, rows), False, "query_data", arguments)


def estimate_query(case):
    expected, _ = model.answer(case.table, case.arguments)
    case.rows = len(expected.rows)
    body = yield call("estimate_query", {"dataset": case.datasets[0].reference, **case.arguments})
    if body["row_estimate_kind"] == "exact" and body["row_estimate"] != len(expected.rows):
        raise Mismatch("the exact estimate is wrong", len(expected.rows), body["row_estimate"])
    if body["fits_inline"] and len(expected.rows) > case.arguments.get("max_rows", len(expected.rows)):
        raise Mismatch("fits_inline", False, body)
    if len(body["preview"]) != min(5, len(expected.rows)):
        raise Mismatch("the preview has another number of rows", min(5, len(expected.rows)), body["preview"])


CHECKS = {"query_data": query_data, "aggregate": aggregate, "echo": echo, "estimate_query": estimate_query,
          **explore_cases.CHECKS, **advanced_cases.CHECKS, **lean_cases.CHECKS,
          **discovery_cases.CHECKS}


def aggregate_arguments(rng, table):
    arguments = questions.group_question(rng, table, with_bounds=False)
    arguments.pop("null_policy", None)
    if "aggs" not in arguments:
        arguments.pop("order_by", None)
        arguments["aggs"] = questions.aggregates(rng, table)
    if arguments.get("group_by") and rng.random() < 0.2:
        arguments["top_n"] = rng.choice([1, 2, 5])
        arguments["aggs"] = [one for one in [{"fn": "count"}] + model.as_list(arguments["aggs"]) if one]
    found = questions.conditions(rng, table)
    if found:
        arguments["filters"] = found
    return arguments


def echo_arguments(rng, table):
    names = [name for name, type_ in table.columns if not type_.is_nested]
    return {"row": rng.randrange(1000), "column": rng.choice(names), "list": rng.random() < 0.3}


def estimate_arguments(rng, table):
    arguments = questions.query_question(rng, table)
    for name in ("order_by", "deduplicate", "null_policy"):
        arguments.pop(name, None)
    if rng.random() < 0.5:
        arguments["max_rows"] = rng.choice([1, 3, 10])  # Answers that do not fit are counted in another way.
    return arguments


MAKERS = {"query_data": questions.query_question, "aggregate": aggregate_arguments, "echo": echo_arguments,
          "estimate_query": estimate_arguments, **explore_cases.MAKERS, **advanced_cases.MAKERS}


def random_case(rng, tool, form, datasets):
    """None where the datasets have nothing that the tool can be asked about."""
    if tool == "bulk":
        return Case(tool, form, datasets, advanced_cases.bulk_arguments(rng, datasets))
    arguments = MAKERS[tool](rng, datasets[0].table)
    return None if arguments is None else Case(tool, form, datasets[:1], arguments)


def case_random(*parts):
    return random.Random("/".join(map(str, parts)))
