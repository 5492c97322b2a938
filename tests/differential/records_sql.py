"""Data types of a record store asked in SQL, alone and joined with tables of other sources, compared with the model."""

import random

from answers import compare
from generate import Column, random_rows
from joins import random_statement
from lean_cases import all_rows, ask, json_answer
from values import INT64, TEXT
from world import Dataset

KEY_NUMBERS = tuple(range(-2, 8))
KEY_TEXTS = ("red", "green", "Blue", "violet")
ROWS = 12
STYLE = {"separator": ",", "line_end": "\n", "quote_all": False, "mark": False, "final_end": True, "between": "T",
         "omit_nulls": False, "ascii": False, "pretty": False}


class RecordTable:
    """The records of a data type as `joins` takes a dataset."""
    key_names = {"k": "qty", "g": "group"}

    def __init__(self, data_type, model):
        self.reference = f"records/{data_type}"
        self.table = model.table()


def other_tables():
    """A file and a table of a database that records are joined with; the same in every run."""
    rng = random.Random("tables beside records")
    plan = [Column("k", INT64, declared="INTEGER", pool=KEY_NUMBERS, nulls=0.1),
            Column("g", TEXT, declared="TEXT", pool=KEY_TEXTS, nulls=0.1),
            Column("note", TEXT, declared="TEXT", pool=("first", "second", "third"), nulls=0.1)]
    return [Dataset(name, source, plan, random_rows(rng, source, plan, ROWS), STYLE)
            for name, source in (("marks", "csv"), ("owners", "sqlite"))]


OTHERS = other_tables()


def compare_answer(case, sql, expected):
    case.trace.append({"query": sql})
    text, meta, _ = yield from ask(sql, format="json", exact=True, max_tokens=25_000)
    compare(expected, (yield from all_rows(expected, text, meta, 200, json_answer, format="json", exact=True, max_tokens=25_000)))


def check_sql(case, model, rng):
    """All records, and a random statement over them. Returns the rows of that statement's answer."""
    rows = sorted(model.rows, key=lambda row: row["id"])
    yield from compare_answer(case, f"SELECT * FROM records.{case.data_type} ORDER BY id", model.table(rows))
    records = RecordTable(case.data_type, model)
    found = None
    while found is None:
        tables = [records, *rng.sample(OTHERS, rng.choice([0, 0, 1, 2]))]
        rng.shuffle(tables)
        found = random_statement(rng, tables)
    yield from compare_answer(case, *found)
    return len(found[1].rows)
