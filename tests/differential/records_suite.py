"""Random operations on a record store, each compared with the model, and what is read in between."""

import datetime
import json
import random
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from answers import Answer, Mismatch, compare
from cells import Cells
from parquet_writer import parquet_bytes
from records_model import (COLUMNS, SCHEMA, TYPES, Model, aggregate_answer, period_of, random_filter, random_record,
                           random_value, shown_record, sort_table)
from server import ServerDied, ToolError, call, run_cases
from records_sql import check_sql, other_tables
from suites import CELL_ANSWERS_MIN
from values import INT64, TEXT, Table, same_json
from world import World

SEQUENCES = 20
STEPS = 40
ROUNDS = 2  # As a rule they fill the cells.
ROUNDS_MAX = 6
STORE_ANSWERS_MIN = 300  # How often the store's engine computes a statement itself; each is asked up to three times.
TOOLS = ["add_record", "add_records", "update_records", "upsert_record", "delete_records", "rollback_operation",
         "restore_snapshot", "read_parquet", "sort_parquet", "aggregate_parquet", "query_with_date_range",
         "search_parquet", "get_statistics"]
WEIGHTS = [3, 2, 3, 3, 2, 3, 2, 4, 3, 3, 3, 2, 2]


@dataclass
class Sequence:
    """Operations on one data type. Each is made from its own number, so that others can be left out."""
    label: str
    data_type: str
    steps_max: int = STEPS
    skipped: tuple = ()
    counts: list = field(default_factory=list)  # (tool, rows) of what was asked
    trace: list = field(default_factory=list)
    tool: str = "records"
    form: str = "json"
    datasets: tuple = ()

    @property
    def arguments(self):
        return {"operations": self.trace}

    @property
    def notes(self):
        return {"first_records": [shown_record(one) for one in self.initial()[:3]]}

    def initial(self):
        rng = random.Random(self.label)
        return [random_record(rng, number) for number in range(rng.choice([0, 1, 5, 20]))]

    def steps(self):
        model = Model(self.initial())
        for number in range(self.steps_max):
            if number in self.skipped:
                continue
            rng = random.Random(f"{self.label}/{number}")
            tool = rng.choices(TOOLS, WEIGHTS)[0]
            rows = yield from OPERATIONS[tool](self, model, rng)
            if rows is not None:
                self.counts.append((tool, rows))
            self.counts.append(("query", (yield from check_sql(self, model, rng))))
        yield from check_state(self, model)

    def shrunk(self, report, error):
        """Leaves out every operation without which the sequence still fails."""
        found = {}
        current = self
        for number in range(STEPS):
            tried = replace(current, skipped=(*current.skipped, number), counts=[], trace=[])
            run_sequences(report, [tried], lambda one, wrong: found.__setitem__(one.skipped, wrong))
            if found.get(tried.skipped) is not None and type(found[tried.skipped]) is type(error):
                current, error = tried, found[tried.skipped]
        return current, error

    def ask(self, tool, arguments):
        arguments = {"data_type": self.data_type, **arguments}
        if tool == "rollback_operation":
            del arguments["data_type"]
        self.trace.append({tool: {name: value for name, value in arguments.items() if name != "data_type"}})
        return (yield call(tool, arguments))


def require(what, expected, actual):
    if expected != actual:
        raise Mismatch(what, expected, actual)


def check_state(case, model):
    """All records, in the order of their ids: where a record that came back stands is left open."""
    body = yield from case.ask("read_parquet", {"sort_by": [{"column": "id"}], "limit": 1000})
    rows = sorted(model.rows, key=lambda row: row["id"])
    records = body["data"]
    compare(model.table(rows), Answer("json", list(records[0]) if records else None,
                                      [list(one.values()) for one in records]))
    require("version", model.version, body["version"])
    require("total_rows", len(rows), body["total_rows"])


def new_records(model, rng, count):
    out = [random_record(rng, model.next_number + at) for at in range(count)]
    model.next_number += count
    return out


def add_record(case, model, rng):
    record = new_records(model, rng, 1)[0]
    if rng.random() < 0.15:
        yield from case.ask("add_record", {"record": shown_record(record), "dry_run": True})
        yield from check_state(case, model)
    body = yield from case.ask("add_record", {"record": shown_record(record)})
    model.commit(model.rows + [record], body["audit_id"])
    require("total_records", len(model.rows), body["total_records"])
    for name, value in body["added_record"].items():
        if not same_json(TYPES[name], record[name], value):
            raise Mismatch(f"added_record.{name}", record[name], value)
    return 1


def add_records(case, model, rng):
    records = new_records(model, rng, rng.randint(1, 4))
    body = yield from case.ask("add_records", {"records": [shown_record(one) for one in records]})
    model.commit(model.rows + records, body["operation_id"])
    require("records_added", len(records), body["records_added"])
    require("total_records", len(model.rows), body["total_records"])
    require("version", model.version, body["version"])
    return len(records)


def random_updates(rng):
    names = rng.sample([name for name, _ in COLUMNS if name != "id"], rng.choice([1, 1, 2]))
    return {name: random_value(rng, name) for name in names}


def refused(case, tool, arguments, code):
    try:
        body = yield from case.ask(tool, arguments)
    except ToolError as error:
        given = error.body.get("code", error.body)
        require("code of the refusal", code, given if isinstance(given, str) else error.body["data"]["code"])
        return
    raise Mismatch(f"{tool} has to be refused", code, body)


def update_records(case, model, rng):
    filters, updates = random_filter(rng, model), random_updates(rng)
    arguments = {"filters": filters, "updates": shown_record(updates)}
    found = {row["id"] for row in model.matching(filters)}
    if not found:
        yield from refused(case, "update_records", arguments, "no_match")
        return 0
    if rng.random() < 0.15:
        yield from case.ask("update_records", {**arguments, "dry_run": True})
        yield from refused(case, "update_records", {**arguments, "expected_version": model.version + 7},
                           "version_conflict")
        yield from check_state(case, model)
    body = yield from case.ask("update_records", arguments)
    model.commit([{**row, **updates} if row["id"] in found else row for row in model.rows], body["operation_id"])
    require("records_updated", len(found), body["records_updated"])
    require("version", model.version, body["version"])
    return len(found)


def upsert_record(case, model, rng):
    filters = {"id": rng.choice(model.rows)["id"]} if model.rows and rng.random() < 0.6 else {
        "id": "missing"}
    found = model.matching(filters)
    if found:
        updates = random_updates(rng)
        body = yield from case.ask("upsert_record", {"filters": filters, "record": shown_record(updates)})
        require("action", "updated", body["action"])
        model.commit([{**row, **updates} if row in found else row for row in model.rows])
        return 1
    record = new_records(model, rng, 1)[0]
    body = yield from case.ask("upsert_record", {"filters": filters, "record": shown_record(record)})
    require("action", "created", body["action"])
    model.commit(model.rows + [record], body["audit_id"])
    return 1


def delete_records(case, model, rng):
    filters = random_filter(rng, model)
    found = {row["id"] for row in model.matching(filters)}
    if not found:
        yield from refused(case, "delete_records", {"filters": filters}, "no_match")
        return 0
    if len(found) > 3 and rng.random() < 0.8:
        filters = {"id": sorted(found)[:2]}
        found = set(filters["id"])
    body = yield from case.ask("delete_records", {"filters": filters})
    model.commit([row for row in model.rows if row["id"] not in found], body["operation_id"])
    require("records_deleted", len(found), body["records_deleted"])
    require("remaining_records", len(model.rows), body["remaining_records"])
    return len(found)


def rollback_operation(case, model, rng):
    if model.last is None:
        return None
    name, before = model.last
    body = yield from case.ask("rollback_operation", {"audit_id": name})
    model.commit(before)
    require("total_records", len(model.rows), body["total_records"])
    yield from check_state(case, model)
    return 1


def restore_snapshot(case, model, rng):
    if model.version == 0:
        return None
    version = rng.randint(0, model.version)
    if rng.random() < 0.2:
        body = yield from case.ask("restore_snapshot", {"version": version, "dry_run": True})
        require("total_records_after", len(model.states[version]), body["total_records_after"])
        yield from check_state(case, model)
    body = yield from case.ask("restore_snapshot", {"version": version})
    model.commit([dict(row) for row in model.states[version]])
    require("total_records", len(model.rows), body["total_records"])
    yield from check_state(case, model)
    return 1


def random_sort(rng):
    terms = []
    for name in rng.sample([name for name, _ in COLUMNS if name != "id"], rng.choice([0, 1, 2])):
        term = {"column": name}
        if rng.random() < 0.5:
            term["ascending"] = rng.random() < 0.5
        if rng.random() < 0.3:
            term["na_position"] = rng.choice(["first", "last"])
        terms.append(term)
    return terms + [{"column": "id"}]


def read_rows(case, model, rng, tool):
    filters = random_filter(rng, model) if rng.random() < 0.7 else {}
    arguments = {"sort_by": random_sort(rng), "filters": filters}
    table = sort_table(model.table(model.matching(filters)), arguments["sort_by"])
    total = len(table.rows)
    if rng.random() < 0.4:
        arguments["columns"] = rng.sample([name for name, _ in COLUMNS], 3)
        indexes = [table.index(name) for name in arguments["columns"]]
        table = Table([table.columns[at] for at in indexes], [[row[at] for at in indexes] for row in table.rows])
    limit = rng.choice([2, 5, 1000])
    rows, offset = [], 0
    while True:
        body = yield from case.ask(tool, {**arguments, "limit": limit, "offset": offset})
        require("total_rows", total, body["total_rows"])
        require("count", len(body["data"]), body["count"])
        rows += [list(one.values()) for one in body["data"]]
        if not body["has_more"]:
            break
        require("next_offset", len(rows), body["next_offset"])
        offset = body["next_offset"]
    compare(table, Answer("json", None, rows))
    return total


def read_parquet(case, model, rng):
    return (yield from read_rows(case, model, rng, "read_parquet"))


def sort_parquet(case, model, rng):
    return (yield from read_rows(case, model, rng, "sort_parquet"))


def random_aggregations(rng):
    out = {}
    for name in rng.sample(["qty", "price", "cost", "done", "title", "day"], rng.choice([1, 2])):
        fns = ["count", "min", "max"] if name in ("title", "day") else ["sum", "count", "avg", "mean", "min", "max", "std"]
        if name == "done":
            fns = ["sum", "count", "mean"]
        chosen = rng.sample(fns, 2)
        out[name] = chosen[0] if rng.random() < 0.5 or {"avg", "mean"} == set(chosen) else chosen
    return out


def aggregate_parquet(case, model, rng):
    filters = random_filter(rng, model) if rng.random() < 0.5 else {}
    keys = rng.choice([[], ["group"], ["group", "done"], ["day"]])
    aggregations = random_aggregations(rng)
    expected, without_key = aggregate_answer(model, model.matching(filters), keys, aggregations)
    body = yield from case.ask("aggregate_parquet", {"aggregations": aggregations, "group_by": keys,
                                                     "filters": filters})
    compare(expected, Answer("json", list(body["data"][0]) if body["data"] else None,
                             [list(one.values()) for one in body["data"]]))
    require("total_groups", len(expected.rows), body["total_groups"])
    require("rows_without_key", without_key, body.get("rows_without_key", 0))
    return len(expected.rows)


def query_with_date_range(case, model, rng):
    name = rng.choice(["day", "at"])
    cells = [row[name] for row in model.rows if row[name] is not None]
    bounds = sorted(rng.choice(cells) for _ in range(2)) if cells else []

    def moment(value):
        return value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
    rows = [row for row in model.rows if row[name] is not None]
    arguments = {"date_column": name, "sort_by": [{"column": "id"}]}
    if bounds:
        arguments.update(date_start=bounds[0].isoformat(), date_end=bounds[1].isoformat())
        rows = [row for row in rows if moment(bounds[0]) <= moment(row[name]) <= moment(bounds[1])]
    if rng.random() < 0.5:
        del arguments["sort_by"]
        arguments["group_by_period"] = period = rng.choice(["day", "month", "quarter", "year"])
        counts = {}
        for row in rows:
            counts[period_of(row[name], period)] = counts.get(period_of(row[name], period), 0) + 1
        expected = Table([("period", TEXT), ("count", INT64)], [list(pair) for pair in sorted(counts.items())])
    else:
        expected = model.table(sorted(rows, key=lambda row: row["id"]))
    body = yield from case.ask("query_with_date_range", arguments)
    compare(expected, Answer("json", None, [list(one.values()) for one in body["data"]]))
    require("total_rows", len(expected.rows), body["total_rows"])
    return len(expected.rows)


def search_parquet(case, model, rng):
    """A record whose title is the query itself is found, and nothing is ranked above it."""
    titles = [row["title"] for row in model.rows if row["title"] and row["title"].replace(" ", "").isalpha()]
    if not titles:
        return None
    title = rng.choice(titles)
    body = yield from case.ask("search_parquet", {"query": title, "text_fields": ["title"], "limit": 1000})
    scores = [float(one["_similarity"]) for one in body["data"]]
    require("order of _similarity", sorted(scores, reverse=True), scores)
    best = {one["id"] for one in body["data"] if float(one["_similarity"]) == scores[0]}
    missing = {row["id"] for row in model.rows if row["title"] == title} - best
    require("records with this title that are not ranked first", set(), missing)
    return len(scores)


def get_statistics(case, model, rng):
    body = yield from case.ask("get_statistics", {})
    require("row_count", len(model.rows), body["row_count"])
    require("column_count", len(COLUMNS), body["column_count"])
    for name in ("qty", "price", "cost"):
        given = body.get("numeric_statistics", {}).get(name)
        expected, _ = aggregate_answer(model, model.rows, [], {name: ["count", "sum", "mean", "min", "max"]})
        if given is None or not any(row[name] is not None for row in model.rows):
            continue
        for (column, type_), value in zip(expected.columns, expected.rows[0]):
            if not same_json(type_, value, given[column.rpartition("_")[2]]):
                raise Mismatch(f"statistics of {column}", value, given)
    return len(model.rows)


OPERATIONS = {name: globals()[name] for name in TOOLS}


def prepare(folder, sequences):
    (folder / "schemas").mkdir(parents=True)
    for one in sequences:
        (folder / one.data_type).mkdir()
        rows = [[record[name] for name, _ in COLUMNS] for record in one.initial()]
        (folder / one.data_type / f"{one.data_type}.parquet").write_bytes(parquet_bytes(COLUMNS, rows))
        schema = {"schema": SCHEMA, "description": "", "version": "1.0.0"}
        (folder / "schemas" / f"{one.data_type}_schema.json").write_text(json.dumps(schema))


def run_sequences(report, sequences, finished):
    with tempfile.TemporaryDirectory(prefix="sluice-differential-records-") as name:
        folder = Path(name) / "store"
        prepare(folder, sequences)
        world = World(report.program, other_tables(), report.servers, records=str(folder), profile="all",
                      log_level="debug")  # Tells what the store's engine computed.
        try:
            run_cases(world.server, sequences, finished)
        except ServerDied as error:
            finished(sequences[0], error)
        finally:
            report.store_answers += world.server.log_text().count('"records.answer"')
            world.stop()


def run(report, seed):
    cells = Cells([(tool, "json", "records") for tool in [*TOOLS, "query"]])

    def finished(case, error):
        for tool, rows in case.counts:
            cells.add((tool, "json", "records"), rows)
            report.cases += 1
        if error is not None:
            report.add_failure(case, error)
    for number in range(ROUNDS_MAX):
        if number >= ROUNDS and not cells.short(CELL_ANSWERS_MIN):
            break
        sequences = [Sequence(f"records/{seed}/{number}/{at}", f"kind{at}") for at in range(SEQUENCES)]
        run_sequences(report, sequences, finished)
    return cells


def replay(report, name):
    run_sequences(report, [Sequence(name, "kind0")], report.add)
