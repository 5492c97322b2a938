"""Statements over collections of files: filters on dimensions select files, and must not change the answer."""

import json
import random
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from answers import Mismatch
from cells import Cells
from collection_statements import KINDS, random_statement
from lean_cases import ask, file_answer
from parquet_writer import parquet_bytes
from server import Server, ServerDied, run_cases
from values import FLOAT64, INT32, INT64, TEXT

ROUNDS = 6
CASES_MAX = 60  # Of each kind in a round, until it has its answers.
ANSWERS_MIN = 50  # With rows, of each kind; and as many cases must have left out a file.
ROWS_MAX = 4  # Of a file.
ANSWER_ROWS_MAX = 400  # A longer file is read in several parts.
FILES_MAX = 9
YEARS = [1999, 2020, 2021, 2022, 2023, -3, 0, 7, 9223372036854775807, -9223372036854775808]
TEXTS = ["north", "North", "a b", " a", "it's", '"q"', "07", "7", "null", "%", "x;y", "' OR 1=1 --", "ä", "z\\n",
         "__HIVE_DEFAULT_PARTITION__", "'); DROP TABLE t; --", "year = 2020"]
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
WORDS = ["red", "green", "blue"]


@dataclass
class Collection:
    name: str
    dimensions: dict  # Whether it is an integer, by name.
    files: list = field(default_factory=list)  # (path, source, columns, rows)
    rows: list = field(default_factory=list)  # Of all files in the order of the catalog, as maps.
    constants: dict = field(default_factory=dict)  # What each column is compared with.


def value_of(text, is_integer):
    if is_integer:
        return int(text)
    return None if text == NULL_PARTITION else text


def written(rng, value, is_integer):
    """A value as a part of a path: integers may have leading zeros."""
    if not is_integer or value < 0 or rng.random() < 0.8:
        return str(value)
    return f"00{value}"


def random_collection(rng, name):
    names = ["year", *rng.sample(["region", "code"], rng.choice([0, 1, 1, 2]))]
    out = Collection(name, {one: one == "year" or (one == "code" and rng.random() < 0.5) for one in names})
    years, texts = rng.sample(YEARS, 4), rng.sample(TEXTS, 4)
    kind = rng.choice(["widths", "fractions"])
    seen = {}
    for _ in range(rng.randint(3, FILES_MAX)):
        values = [rng.choice(years if is_integer else texts) for is_integer in out.dimensions.values()]
        seen.setdefault(tuple(values), [written(rng, *one) for one in zip(values, out.dimensions.values())])
    made = [random_file(rng, out, parts, kind) for parts in seen.values()]
    # Files come in the order of their names.
    made.sort(key=lambda one: f"{name}/{one[0].rsplit('.', 1)[0]}".encode())
    for path, source, columns, rows, dimensions in made:
        out.files.append((path, source, columns, rows))
        out.rows += [{**dimensions, **dict(zip((column for column, _ in columns), row))} for row in rows]
    choices = {True: [*years, *rng.sample(YEARS, 2)], False: [*texts, *rng.sample(TEXTS, 2)]}
    out.constants = {one: choices[is_integer] for one, is_integer in out.dimensions.items()}
    out.constants |= {"k": [0, 1, 2, 3], "g": [*WORDS, "north"], "v": [0, 1, 5]}
    if any("extra" in row for row in out.rows):
        out.constants["extra"] = [*WORDS]
    return out


def random_file(rng, collection, parts, kind):
    """Columns come in any order, their types differ, and not every file has all of them."""
    columns = [("k", rng.choice([INT32, INT64])), ("g", TEXT)]
    columns.append(("v", rng.choice([INT32, INT64] if kind == "widths" else [INT64, FLOAT64])))
    if rng.random() < 0.5:
        columns.append(("extra", TEXT))
    if rng.random() < 0.4:
        rng.shuffle(columns)
    source = rng.choice(["parquet", "parquet", "parquet", "csv", "ndjson"])
    rows = []
    for at in range(rng.randint(1, ROWS_MAX)):
        # The first row of a text file tells the types of its columns.
        values = {"k": rng.choice([0, 1, 2, 3, None] if at else [0, 1, 2]), "g": rng.choice(WORDS),
                  "extra": rng.choice(WORDS), "v": rng.choice([0, 1, 5, None] if at else [1, 5])}
        rows.append([values[name] + 0.5 if name == "v" and type_ == FLOAT64 and values[name] is not None else
                     values[name] for name, type_ in columns])
    dimensions = {name: value_of(part, is_integer)
                  for part, (name, is_integer) in zip(parts, collection.dimensions.items())}
    return "/".join(parts) + "." + source, source, columns, rows, dimensions


def file_bytes(source, columns, rows):
    if source == "parquet":
        return parquet_bytes(columns, rows)
    names = [name for name, _ in columns]
    if source == "csv":
        lines = [",".join(names), *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    else:
        lines = [json.dumps(dict(zip(names, row))) for row in rows]
    return "".join(line + "\n" for line in lines).encode()


class CollectionWorld:
    """A folder of collections and a server over it, whose log says how many files each statement reads."""

    def __init__(self, program, collections):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-collections-"))
        config = ["tools: { profile: lean }", "spool: { ttl: 20m, max_bytes: 4GB }", "collections:"]
        for one in collections:
            for path, source, columns, rows in one.files:
                target = self.folder / one.name / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file_bytes(source, columns, rows))
            pattern = "/".join("{%s}" % name for name in one.dimensions)
            types = ", ".join(f"{name}: {'integer' if is_integer else 'text'}"
                              for name, is_integer in one.dimensions.items())
            config.append(f"  - {{ name: {one.name}, path: \"{one.name}/{pattern}\", dimensions: {{ {types} }} }}")
        path = self.folder / "sluice.yaml"
        path.write_text("\n".join(config) + "\n")
        self.server = Server(program, str(path), "debug")
        self.log_read = 0

    def left_out_files(self):
        """Whether a statement since the last call left out a file."""
        text = self.server.log_text()[self.log_read:]
        self.log_read += len(text)
        lines = [json.loads(line) for line in text.splitlines() if '"collection.files"' in line]
        return any(line["kept"] < line["all"] for line in lines)

    def stop(self):
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def is_same(expected, actual):
    if expected is None or actual is None:
        return expected is None and actual in (None, "")
    if isinstance(expected, str):
        return expected == actual
    return int(actual) == expected if actual.lstrip("-").isdigit() else float(actual) == expected


def rank(cell):
    return "" if cell is None else f"{float(cell):.3f}" if not isinstance(cell, str) or is_number(cell) else cell


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return text.strip() == text and text.lower() not in ("nan", "inf", "infinity")


def compare(statement, rows):
    expected = statement.rows
    if not statement.is_ordered:
        key = lambda row: [rank(None if cell == "" else cell) for cell in row]
        expected, rows = sorted(expected, key=key), sorted(rows, key=key)
    if len(expected) != len(rows):
        raise Mismatch(f"{len(rows)} rows instead of {len(expected)}", expected, rows)
    for at, (wanted, found) in enumerate(zip(expected, rows)):
        if len(wanted) != len(found) or not all(map(is_same, wanted, found)):
            raise Mismatch(f"row {at} differs", wanted, found)


@dataclass
class CollectionCase:
    label: str
    world: CollectionWorld
    statement: object
    form: str
    left_out: bool = False
    tool: str = "query"
    datasets: tuple = ()
    arguments: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)

    @property
    def rows(self):
        return len(self.statement.rows)

    def steps(self):
        self.world.left_out_files()
        _, meta, result = yield from ask(self.statement.sql, format="csv")
        self.left_out = self.world.left_out_files()
        if meta["rows"] != self.rows:
            raise Mismatch(f"{meta['rows']} rows instead of {self.rows}", self.statement.rows, result)
        answer = yield from file_answer(result, "csv")
        compare(self.statement, answer.rows)

    def shrunk(self, report, error):
        return self, error


def collections_of(seed, number):
    rng = random.Random(f"collections/{seed}/{number}")
    return [random_collection(rng, name) for name in ("alpha", "beta")]


def case_of(label, world, collections):
    kind = label.split("/")[3]
    rng = random.Random(label)
    statement = random_statement(rng, kind, collections)
    while len(statement.rows) > ANSWER_ROWS_MAX:
        statement = random_statement(rng, kind, collections)
    return CollectionCase(label, world, statement, kind, arguments={"sql": statement.sql})


def run_labels(report, seed, number, labels, finished):
    """One statement at a time, so that the log says which of them left out files."""
    collections = collections_of(seed, number)
    world = CollectionWorld(report.program, collections)
    try:
        run_cases(world.server, (case_of(label, world, collections) for label in labels), finished, in_flight=1)
    except ServerDied as error:
        report.add_failure(CollectionCase(f"collections/{seed}/{number}", world, None, "server"), error)
    finally:
        world.stop()


def run(report, seed):
    cells = Cells([("query", kind, "answers") for kind in KINDS] + [("query", "left_out", "answers")])

    def finished(case, error):
        report.add(case, error)
        cells.add(("query", case.form, "answers"), 1 if error is not None else case.rows)
        cells.add(("query", "left_out", "answers"), int(case.left_out))
    for number in range(ROUNDS):
        least = ANSWERS_MIN * (number + 1) // ROUNDS

        def labels():
            for kind in KINDS:
                for at in range(CASES_MAX):
                    if cells.full["query", kind, "answers"] < least:
                        yield f"collections/{seed}/{number}/{kind}/{at}"
        run_labels(report, seed, number, labels(), finished)
    return cells


def replay(report, name):
    _, seed, number, *_ = name.split("/")
    run_labels(report, seed, int(number), [name], report.add)
