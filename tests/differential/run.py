#!/usr/bin/env python3
"""Compares the program with the model over random questions.

run.py --sluice PROGRAM --suite csv [--seed N] [--seconds S | --rounds N] [--replay NAME]
"""

import argparse
import random
import sys
import time
import traceback

import copies
import records_suite
import text_files
from answers import Mismatch, to_text
from cells import Cells
from server import ServerDied, ToolError, run_cases, to_json
from suites import CELL_ANSWERS_MIN, SUITES, WAVES_MAX, Round, cells_of
from world import TEXT_SOURCES, Servers, World

SHOWN_MAX = 5
TEXT_CHARACTERS_MAX = 3000


class Report:
    """Failures, each of which is shrunk and shown with what is needed to see it again."""

    def __init__(self, program, servers):
        self.program = program
        self.servers = servers
        self.cases = 0
        self.failed = []
        self.kinds = set()

    def add(self, case, error):
        self.cases += 1
        if error is not None:
            self.failed.append((case, error))

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


def run_round(report, cells, least, suite, seed, number):
    """Asks until every cell has its answers."""
    one_round = Round(suite, seed, number)
    world = World(report.program, one_round.datasets, report.servers)
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
            run_cases(world.server, wave, finished)
    except ServerDied as error:
        print(f"{one_round.name}: {error}")
        report.failed.append((wave[0], error))
    finally:
        world.stop()


def replay(report, name):
    suite, seed, number, tool, form, source, index = name.split("/")
    case = Round(suite, seed, int(number)).case((tool, form, source), int(index))
    case.label = name
    world = World(report.program, case.datasets, report.servers)
    try:
        run_cases(world.server, [case], report.add)
    finally:
        world.stop()


def run_suite(report, options, suite, seed):
    if suite == "records":
        return records_suite.run(report, options, seed)
    if suite == "copies":
        return copies.run(report, options, seed)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--suite", choices=[*SUITES, "records", "copies"])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0, help="go on with new rounds for so long")
    parser.add_argument("--brief", action="store_true", help="only name the cases that fail")
    parser.add_argument("--replay")
    options = parser.parse_args()
    servers = Servers()
    report = Report(options.sluice, servers)
    begin = time.monotonic()
    try:
        if options.replay:
            suite = options.replay.split("/")[0]
            runner = {"records": records_suite, "copies": copies}.get(suite)
            runner.replay(report, options.replay) if runner else replay(report, options.replay)
            short = {}
        else:
            print(f"suite {options.suite}, seed {options.seed}", flush=True)
            cells = run_suite(report, options, options.suite, options.seed)
            print(cells.table())
            least = copies.ANSWERS_MIN if options.suite == "copies" else CELL_ANSWERS_MIN
            short = cells.short(least)
        report.show(options.brief)
    finally:
        servers.stop()
    for cell in short:
        print(f"too few answers with rows: {' '.join(cell)}: {short[cell]} more are needed")
    print(f"{report.cases} cases, {len(report.failed)} failed, {time.monotonic() - begin:.1f} s")
    return 1 if report.failed or short else 0


if __name__ == "__main__":
    sys.exit(main())
