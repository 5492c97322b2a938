"""Which datasets and cases a suite has. A case is found again by its name alone."""

import random

from cases import random_case
from world import random_dataset, sibling

CELL_ANSWERS_MIN = 50  # Answers with rows for each tool, format and source.
DATASETS = 14  # Of each source in a round.
WAVES_MAX = 60

DIRECT_FORMS = ["json", "columns", "csv", "parquet", "arrow"]
ROW_TOOLS = ["query_data", "aggregate", "advanced_query", "bulk"]
OTHER_TOOLS = ["echo", "estimate_query", "distinct_values", "describe_dataset", "get_schema", "get_catalog",
               "pattern_filter"]
SUITES = {"csv": ["csv", "csv.gz", "tsv"], "json": ["json", "ndjson", "ndjson.gz"], "parquet": ["parquet"],
          "sqlite": ["sqlite"], "postgres": ["pg15", "pg18"]}


def family(source):
    return source.removesuffix(".gz")


def cells_of(suite):
    """(tool, format, source) of all cells."""
    out = []
    for source in dict.fromkeys(family(source) for source in SUITES[suite]):
        out += [(tool, form, source) for tool in ROW_TOOLS for form in DIRECT_FORMS]
        out += [("query_next_page", form, source) for form in DIRECT_FORMS]
        out += [(tool, "json", source) for tool in OTHER_TOOLS]
    return out


class Round:
    """The datasets of one round, made from its name."""

    def __init__(self, suite, seed, number):
        self.name = f"{suite}/{seed}/{number}"
        rng = random.Random(self.name)
        self.pairs = {}
        for source in SUITES[suite]:
            count = DATASETS if source == family(source) else DATASETS // 3
            for at in range(count):
                first = random_dataset(rng, source, f"t{at}")
                self.pairs.setdefault(family(source), []).append([first, sibling(rng, first, f"t{at}b")])

    @property
    def datasets(self):
        return [one for pairs in self.pairs.values() for pair in pairs for one in pair]

    def case(self, cell, number):
        """The case of this number in its cell; None where its dataset has nothing to ask about."""
        tool, form, source = cell
        rng = random.Random(f"{self.name}/{tool}/{form}/{source}/{number}")
        pair = rng.choice(self.pairs[source])
        if tool == "query_next_page":
            tool, form = rng.choice(ROW_TOOLS), f"pages:{form}"
        if tool == "advanced_query":
            tool = rng.choice(["polars", "sql"])
        case = random_case(rng, tool, form, pair)
        if case is not None:
            case.label = f"{self.name}/{cell[0]}/{cell[1]}/{source}/{number}"
        return case
