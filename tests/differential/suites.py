"""Which datasets and cases a suite has. A case is found again by its name alone."""

import random

import discovery_cases
import lean_cases
from cases import Case, random_case
from generate import Deck
from world import random_dataset, sibling

CELL_ANSWERS_MIN = 50  # Answers with rows for each tool, format and source.
DATASETS = 14  # Of each source in a round.
WAVES_MAX = 60
EMPTY_SHARE = 0.2  # Of the questions whose answer has no rows, so many are asked.

DIRECT_FORMS = ["json", "columns", "csv", "parquet", "arrow"]
ROW_TOOLS = ["query_data", "aggregate", "advanced_query", "bulk"]
OTHER_TOOLS = ["echo", "estimate_query", "distinct_values", "describe_dataset", "get_schema", "get_catalog",
               "pattern_filter"]
SUITES = {"csv": ["csv", "csv.gz", "tsv"], "json": ["json", "ndjson", "ndjson.gz"], "parquet": ["parquet"],
          "sqlite": ["sqlite"], "postgres": ["pg15", "pg18"], "lean": lean_cases.SOURCES, "discovery": discovery_cases.SOURCES}


def family(source):
    return source.removesuffix(".gz")


def cells_of(suite):
    """(tool, format, source) of all cells."""
    if suite == "lean":
        return [("query", form, source) for form in lean_cases.FORMS for source in lean_cases.SOURCES]
    if suite == "discovery":
        return [(tool, form, source) for tool, forms in discovery_cases.FORMS.items() for form in forms
                for source in discovery_cases.SOURCES]
    out = []
    for source in dict.fromkeys(family(source) for source in SUITES[suite]):
        out += [(tool, form, source) for tool in ROW_TOOLS for form in DIRECT_FORMS]
        out += [("query_next_page", form, source) for form in DIRECT_FORMS]
        out += [(tool, "json", source) for tool in OTHER_TOOLS]
    return out


class Round:
    """The datasets and cases of one round, made from its name."""
    profile = "full"  # The tools that the server has to have.

    def __init__(self, suite, seed, number):
        self.name = f"{suite}/{seed}/{number}"
        rng = random.Random(self.name)
        self.pairs = {}
        types = Deck(rng)
        for source in SUITES[suite]:
            count = DATASETS if source == family(source) else DATASETS // 3
            for at in range(count):
                first = random_dataset(rng, source, f"t{at}", types)
                self.pairs.setdefault(family(source), []).append([first, sibling(rng, first, f"t{at}b")])

    @property
    def datasets(self):
        return [one for pairs in self.pairs.values() for pair in pairs for one in pair]

    def case(self, cell, number):
        """The case of this number in its cell; None if its dataset has nothing to ask about."""
        label = "/".join([self.name, *cell, str(number)])
        case = self.random_case(random.Random(label), *cell)
        if case is not None:
            case.label = label
        return case

    def random_case(self, rng, tool, form, source):
        pair = rng.choice(self.pairs[source])
        if tool == "query_next_page":
            tool, form = rng.choice(ROW_TOOLS), f"pages:{form}"
        if tool == "advanced_query":
            tool = rng.choice(["polars", "sql"])
        return random_case(rng, tool, form, pair)


class LeanRound(Round):
    """Tables of several sources that share columns, and statements over them."""
    profile = "lean"

    def __init__(self, suite, seed, number):
        self.name = f"{suite}/{seed}/{number}"
        rng = random.Random(self.name)
        self.tables = {source: [lean_cases.random_table(rng, source, f"{lean_cases.PREFIXES.get(source, source[0])}{at}")
                                for at in range(lean_cases.TABLES)] for source in SUITES[suite]}

    @property
    def datasets(self):
        return [one for tables in self.tables.values() for one in tables]

    def random_case(self, rng, tool, form, source):
        """The first table is of the cell's source, the others of any. A database computes statements over its own."""
        is_own = source in lean_cases.DATABASES and rng.random() < 0.7
        if is_own:
            others = rng.sample(self.tables[source], rng.choice([0, 0, 1, 1, 2]))
        else:
            others = rng.sample(self.datasets, rng.choice([0, 1, 1, 2]))
        return Case(tool, form, [rng.choice(self.tables[source]), *others], {"seed": rng.getrandbits(40)})


class DiscoveryRound(LeanRound):
    """Tables about which there is something to say. Every case has all of them, since they are joined with."""

    def __init__(self, suite, seed, number):
        self.name = f"{suite}/{seed}/{number}"
        rng = random.Random(self.name)
        codes = [f"{rng.choice('ABCD')}{at}x" for at in range(30)]
        self.tables = {source: [discovery_cases.random_table(rng, source, f"{source[0]}{at}", codes)
                                for at in range(discovery_cases.TABLES)] for source in SUITES[suite]}

    def random_case(self, rng, tool, form, source):
        first = rng.choice(self.tables[source][1:] if form == "joins" else self.tables[source])
        others = [one for one in self.datasets if one is not first]
        return Case(tool, form, [first, *others], {"seed": rng.getrandbits(40)})


ROUNDS = {"lean": LeanRound, "discovery": DiscoveryRound}


def round_of(suite, seed, number):
    return ROUNDS.get(suite, Round)(suite, seed, number)
