"""Answers about large text files, before and after they are copied in columns."""

import datetime
import random
from collections import Counter

from cases import Case, random_case
from cells import Cells
from generate import Column, random_rows
from server import ServerDied, call, run_cases
from text_files import random_style
from values import BOOL, DATE, FLOAT64, INT64, TEXT
from world import Dataset, World

SOURCES = ["csv", "tsv", "json", "ndjson"]
TOOLS = ["query_data", "aggregate", "distinct_values", "advanced_query", "estimate_query"]
PHASES = ["before", "after"]
ROWS = 2_500  # More than the engine handles in one step.
FILE_BYTES_MIN = 1 << 20  # Smaller files are not copied.
ANSWERS_MIN = 12  # Of each tool and source in each phase.
QUESTIONS_MAX = 40  # Most are not asked: those without rows, and those that are not needed.
NUDGES_MAX = 400
DAYS = tuple(datetime.date(2024, month, day) for month in (1, 5, 12) for day in (17, 3, 28))


def large_dataset(seed, source):
    rng = random.Random(f"{seed}/{source}")
    words = [" ".join(rng.choice("abcdefghij") * 9 for _ in range(45)) for _ in range(40)]
    plan = [Column("number", INT64, pool=tuple(range(2000))),
            Column("ratio", FLOAT64, pool=(0.5, -0.0, 0.0, 1.25, -3.75, 1e10, 2.5), nulls=0.1),
            Column("day", DATE, pool=DAYS), Column("done", BOOL, pool=(True, False), nulls=0.2),
            Column("words", TEXT, pool=tuple(words), nulls=0.05), Column("kind", TEXT, pool=("a", "b", "c", ""))]
    return Dataset("large", source, plan, random_rows(rng, source, plan, ROWS), random_style(rng, source))


def labels_of(seed, datasets, phase, chosen):
    """The names of cases, of each tool and source until enough have been chosen, and their datasets."""
    for dataset in datasets:
        for tool in TOOLS:
            for number in range(QUESTIONS_MAX):
                if chosen[tool, phase, dataset.source] < ANSWERS_MIN:
                    yield f"copies/{seed}/{dataset.source}/{phase}/{tool}/{number}", dataset


def case_of(label, dataset):
    """The same question in both phases, in another format: an answer that is remembered would prove nothing."""
    _, seed, source, phase, tool, number = label.split("/")
    rng = random.Random(f"{seed}/{source}/{tool}/{number}")
    forms = ["json", "csv", "columns", "parquet"] if tool in ("query_data", "aggregate", "advanced_query") else ["json"]
    form = forms[(int(number) + PHASES.index(phase)) % len(forms)]
    case = random_case(rng, {"advanced_query": "sql"}.get(tool, tool), form, [dataset])
    if case is not None:
        case.label = label
        if tool == "query_data" and not case.arguments.get("group_by") and "limit" not in case.arguments:
            case.arguments["limit"] = rng.choice([10, 300])
    return case


class Nudge(Case):
    """Questions until the log says that all files were copied."""

    def steps(self):
        for at in range(NUDGES_MAX):
            if self.notes["copied"]():
                return
            for dataset in self.datasets:
                yield call("query_data", {"dataset": dataset.reference, "limit": 1, "offset": at})
        raise RuntimeError("the files were not copied in columns")


def run_phases(report, seed, sources, labels=None):
    datasets = [large_dataset(seed, source) for source in sources]
    cells = Cells([(tool, phase, source) for source in sources for tool in TOOLS for phase in PHASES])
    chosen = Counter()

    def is_wanted(case):
        _, _, source, phase, tool, _ = case.label.split("/")
        chosen[tool, phase, source] += case.rows > 0
        return case.rows > 0
    world = World(report.program, datasets, report.servers, log_level="info")
    for dataset in datasets:
        if world.path_of(dataset).stat().st_size < FILE_BYTES_MIN:
            raise RuntimeError(f"{dataset.reference} is too small to be copied")

    def finished(case, error):
        if case.tool == "nudge":
            if error is not None:
                report.add_failure(case, error)
            return
        report.add(case, error)
        _, _, source, phase, tool, _ = case.label.split("/")
        cells.add((tool, phase, source), 1 if error is not None else case.rows)
    try:
        for phase in PHASES:
            wanted = (case_of(*pair) for pair in labels_of(seed, datasets, phase, chosen)
                      if labels is None or pair[0] in labels)
            wanted = (case for case in wanted if case is not None)
            if phase == "after":
                copied = lambda: world.server.log_text().count("columns_copied") >= len(datasets)
                nudge = Nudge("nudge", "json", datasets, {}, label=f"copies/{seed}", notes={"copied": copied})
                run_cases(world.server, [nudge], finished)
            run_cases(world.server, wanted, finished, is_wanted=is_wanted)
    except ServerDied as error:
        report.add_failure(Case("copies", "json", datasets[:1], {}, label=f"copies/{seed}"), error)
    finally:
        world.stop()
    return cells


def run(report, seed):
    return run_phases(report, seed, SOURCES)


def replay(report, name):
    _, seed, source, *_ = name.split("/")
    run_phases(report, seed, [source], {name, name.replace("/after/", "/before/")})
