#!/usr/bin/env python3
"""Compares the program with the model over random questions.

run.py --sluice PROGRAM --suite csv [--seed N] [--seconds S | --rounds N] [--replay NAME]
"""

import argparse
import collections
import json
import random
import resource
import sys
import time
import traceback

import collections_suite
import copies
import lean_cases
import records_suite
import text_files
from answers import Mismatch, to_text
from cells import Cells
from server import ServerDied, ToolError, run_cases, to_json
from suites import CELL_ANSWERS_MIN, EMPTY_SHARE, SUITES, WAVES_MAX, cells_of, round_of
from world import DATABASES, TEXT_SOURCES, Servers, World

OTHER_SUITES = {"records": records_suite, "copies": copies, "collections": collections_suite}  # Each makes its own cases.
SHOWN_MAX = 5
TELLING_SUITES = ["lean", "sqlite", "postgres"]  # Those whose databases are expected to compute something.
CHAINS_MIN = 50  # Different Polars chains that each database computes itself, in a run.
TEXT_CHARACTERS_MAX = 3000


class FirstFailure(Exception):
    """Ends a run that was asked to stop at its first failure."""


class Report:
    """Failures, each of which is shrunk and shown with what is needed to see it again."""

    def __init__(self, program, servers, stops=False, known=()):
        self.program = program
        self.servers = servers
        self.stops = stops  # At the first failure.
        self.known = set(known)  # Names of cases whose failures are not counted.
        self.cases = 0
        self.pushed = {"one table": 0, "several tables": 0}  # Statements that a database computed itself.
        self.store_answers = 0  # How often the engine of a record store computed a statement.
        self.chains = collections.Counter()  # Different Polars chains that a database computed, by database.
        self.failed = []
        self.kinds = set()

    def add(self, case, error):
        self.cases += 1
        if error is not None:
            self.add_failure(case, error)

    def add_failure(self, case, error):
        if case.label in self.known:
            return
        self.failed.append((case, error))
        if self.stops:
            raise FirstFailure

    def show(self, brief):
        for case, error in [] if brief else self.failed:
            kind = (case.tool, str(error)[:25])
            if kind in self.kinds or len(self.kinds) >= SHOWN_MAX:
                continue
            self.kinds.add(kind)
            name = case.label
            if isinstance(error, (Mismatch, ToolError)):
                case, error = case.shrunk(self, error)
            self.show_one(name, case, error)
        for case, error in self.failed:
            print(f"failed: {case.label}: {str(error)[:150]}")

    def show_one(self, name, case, error):
        print(f"\n=== {name}: {case.tool} as {case.form}")
        for dataset in case.datasets:
            print(f"--- {dataset.reference} ({dataset.source})")
            print(content_of(dataset)[:TEXT_CHARACTERS_MAX])
        print("--- question:", to_json({**case.arguments, **case.notes}))
        print("--- wrong:", str(error)[:TEXT_CHARACTERS_MAX])
        if isinstance(error, Mismatch):
            print("--- expected:", str(error.expected)[:TEXT_CHARACTERS_MAX])
            print("--- actual:  ", to_text(error.actual)[:TEXT_CHARACTERS_MAX])
        elif not isinstance(error, ToolError):
            traceback.print_exception(error)
        print(f"--- replay: tests/differential/run.py --sluice {self.program} --replay {name}", flush=True)


def content_of(dataset):
    if dataset.source in TEXT_SOURCES and not dataset.source.endswith(".gz"):
        is_csv = dataset.source in ("csv", "tsv")
        data = text_files.csv_bytes(dataset.plan, dataset.rows, dataset.style) if is_csv else text_files.json_bytes(
            dataset.plan, dataset.rows, dataset.style, dataset.source == "ndjson")
        return data.decode()
    columns = [f"{column.name} {column.declared or column.type.dtype}" for column in dataset.plan]
    return "\n".join([str(columns), *map(str, dataset.rows)])


def databases_of_chains(log):
    """The databases that computed a Polars chain themselves, once for each chain."""
    entries = (json.loads(line) for line in log.splitlines() if '"databases.answer"' in line)
    chains = {(entry["dataset"], entry["plan"]) for entry in entries if entry["language"] == "polars"}
    return [dataset.split("/")[0] for dataset, _ in chains]


def is_wanted(case):
    """Most answers should have rows. Which of the others are asked for depends on their names alone."""
    return case.rows != 0 or random.Random(case.label).random() < EMPTY_SHARE


def run_round(report, cells, least, suite, seed, number):
    """Asks until every cell has its answers."""
    one_round = round_of(suite, seed, number)
    level = "debug" if suite in TELLING_SUITES else "warning"  # Tells what databases computed.
    world = World(report.program, one_round.datasets, report.servers, profile=one_round.profile, log_level=level)
    counters = dict.fromkeys(cells.keys, 0)

    def finished(case, error):
        report.add(case, error)
        tool, form, source = case.label.split("/")[3:6]
        cells.add((tool, form, source), 1 if error is not None else case.rows)
    try:
        for _ in range(WAVES_MAX):
            short = cells.short(least)
            if not short:
                break
            wave = []
            for cell, missing in short.items():
                for _ in range(missing):
                    case = one_round.case(cell, counters[cell])
                    counters[cell] += 1
                    if case is not None:
                        wave.append(case)
            random.Random(one_round.name).shuffle(wave)
            run_cases(world.server, wave, finished, is_wanted=is_wanted)
    except ServerDied as error:
        print(f"{one_round.name}: {error}")
        report.add_failure(wave[0], error)
    finally:
        log = world.server.log_text()
        report.chains.update(databases_of_chains(log))
        for line in log.splitlines():
            if "query.at_source" in line:
                report.pushed["several tables" if "+" in line else "one table"] += 1
        world.stop()


def replay(report, name):
    suite, seed, number, tool, form, source, index = name.split("/")
    case = round_of(suite, seed, int(number)).case((tool, form, source), int(index))
    world = World(report.program, case.datasets, report.servers, profile=case.profile)
    try:
        run_cases(world.server, [case], report.add)
    finally:
        world.stop()


def run_suite(report, options, suite, seed):
    if suite in OTHER_SUITES:
        return OTHER_SUITES[suite].run(report, seed)
    cells = Cells(cells_of(suite))
    begin = time.monotonic()
    rounds = options.rounds
    number = 0
    while number < rounds or (options.seconds and time.monotonic() - begin < options.seconds):
        least = CELL_ANSWERS_MIN * (number + 1) // rounds
        run_round(report, cells, least, suite, seed, number)
        number += 1
        if report.failed and number >= rounds:
            break
    return cells


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--suite", choices=[*SUITES, *OTHER_SUITES])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0, help="go on with new rounds for so long")
    parser.add_argument("--brief", action="store_true", help="only name the cases that fail")
    parser.add_argument("--first", action="store_true", help="stop at the first failure")
    parser.add_argument("--known", nargs="*", default=[], metavar="NAME", help="cases whose failures do not count")
    parser.add_argument("--replay", metavar="NAME", help="run this case alone")
    return parser.parse_args()


def run(report, options):
    """Runs what was asked for. Returns the cells that have too few answers."""
    if options.replay:
        runner = OTHER_SUITES.get(options.replay.split("/")[0])
        runner.replay(report, options.replay) if runner else replay(report, options.replay)
        return {}
    print(f"suite {options.suite}, seed {options.seed}", flush=True)
    cells = run_suite(report, options, options.suite, options.seed)
    print(cells.table())
    if options.suite == "lean" and not report.failed:
        missing = {}
        for tables, count in report.pushed.items():
            print(f"{count} statements over {tables} were computed by a database")
            if count < lean_cases.PUSHED_MIN:
                missing["query", f"computed by a database over {tables}"] = lean_cases.PUSHED_MIN - count
        if missing:
            return missing
    if options.suite == "records" and not report.failed:
        print(f"the record store's engine was asked {report.store_answers} statements")
        if report.store_answers < records_suite.STORE_ANSWERS_MIN:
            return {("query", "computed by the store"): records_suite.STORE_ANSWERS_MIN - report.store_answers}
    for source in set(SUITES.get(options.suite, [])) & set(DATABASES) if options.suite != "lean" else []:
        asked = report.chains[DATABASES[source]]
        print(f"{source} computed {asked} Polars chains")
        if asked < CHAINS_MIN and not report.failed:
            return {("advanced_query", "computed by", source): CHAINS_MIN - asked}
    return cells.short(copies.ANSWERS_MIN if options.suite == "copies" else CELL_ANSWERS_MIN)


def cpu_seconds(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main():
    options = read_options()
    servers = Servers()
    report = Report(options.sluice, servers, options.first, options.known)
    begin = time.monotonic()
    short = {}
    try:
        short = run(report, options)
    except FirstFailure:
        pass
    finally:
        seconds = time.monotonic() - begin
        report.show(options.brief)
        servers.stop()
    for cell in short:
        print(f"too few answers with rows: {' '.join(cell)}: {short[cell]} more are needed")
    print(f"{report.cases} cases, {len(report.failed)} failed, {seconds:.1f} s, {report.cases / seconds:.0f} cases/s, "
          f"processor time {cpu_seconds(resource.RUSAGE_SELF):.1f} s here and "
          f"{cpu_seconds(resource.RUSAGE_CHILDREN):.1f} s in the program and databases")
    return 1 if report.failed or short else 0


if __name__ == "__main__":
    sys.exit(main())
