"""Checks of `query`, the SQL tool of the lean profile: statements over tables of several sources, in every format."""

import random

import text_files
from answers import Answer, Mismatch, compare, content_of, decode, json_rows, split_csv
from generate import NAMES, Column, column_of, random_rows
from joins import KEYS, random_statement
from server import call, from_json, read_resource
from sql_text import is_said_alike
from values import INT32, INT64, TEXT, Near, Table, Type
from world import Dataset

SOURCES = ["csv", "ndjson", "parquet", "sqlite", "pg15", "pg18"]
DATABASES = ["sqlite", "pg15", "pg18"]
PREFIXES = {"pg15": "o", "pg18": "v"}  # Of the names of tables: by default, the first letter of the source.
PUSHED_MIN = 50  # Statements over one table that a database computes itself, in a run; likewise over several.
FORMS = ["text", "json", "exact", "csv", "parquet", "arrow", "pages", "list", "named"]
FILES = ("csv", "parquet", "arrow")
TABLES = 6  # Of each source in a round.
ROWS_MAX = 25
BRIEF_ERRORS = {64: 1e-14, 32: 1e-6}  # Text for reading has 15 and 7 digits.
KEY_TEXTS = ("north", "North", "south", "Straße", "two\nlines", "a,b", "")


def key_columns(rng, source):
    kinds = {"parquet": rng.choice([INT64, INT32, Type("int", 16), Type("int", 32, signed=False)]), "pg15": INT32,
             "pg18": INT32}
    number = Column("k", kinds.get(source, INT64), declared="INTEGER", pool=tuple(range(rng.choice([3, 6, 9]))),
                    nulls=rng.choice([0, 0.2]))
    text = Column("g", TEXT, declared="TEXT", pool=KEY_TEXTS, nulls=rng.choice([0, 0.2]))
    return [number, text]


def random_table(rng, source, name):
    """A table with the columns that tables share, and a few of its own."""
    plan = key_columns(rng, source)
    names = [one for one in NAMES if one not in KEYS and not one.isdigit()]
    for own in rng.sample(names, rng.choice([1, 2, 3])):
        column = column_of(rng, source, own)
        if is_said_alike(Table([(column.name, column.type)], [])) and not column.is_series:
            plan.append(column)
    rng.shuffle(plan)
    style = {"group_rows": rng.choice([3, 10, 1 << 20]), "dictionary": rng.random() < 0.5}
    if source in ("csv", "ndjson"):
        style = text_files.random_style(rng, source)
    rows = random_rows(rng, source, plan, rng.choice([1, 3, rng.randint(4, ROWS_MAX), rng.randint(4, ROWS_MAX)]))
    return Dataset(name, source, plan, rows, style)


def statements_of(case):
    """The statements of a case with their answers, made anew from the seed so that they fit smaller tables."""
    rng = random.Random(case.arguments["seed"])
    wanted = rng.choice([2, 3, 5]) if case.form == "list" else 1
    out = []
    while len(out) < wanted:
        found = random_statement(rng, case.datasets)
        if found is not None:
            out.append(found)
    case.notes["sql"] = [text for text, _ in out]
    return out


def brief(table):
    """The table as text for reading shows it: numbers with fewer digits."""
    errors = [BRIEF_ERRORS[type_.bits] if type_.kind == "float" else None for _, type_ in table.columns]
    return Table(table.columns, [[cell if error is None or cell is None or isinstance(cell, Near) else
                                  Near(cell, abs(cell) * error) for cell, error in zip(row, errors)]
                                 for row in table.rows])


def rows_text(text):
    """The lines of an answer without the remarks that stand above the rows."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    return "\n".join(lines[first:])


def text_answer(text):
    rows = split_csv(rows_text(text))
    if not rows:
        raise Mismatch("an answer without a header", actual=text)
    return Answer("csv", rows[0], rows[1:])


def check_meta(meta, expected, shown=None):
    """What an answer says about itself. `shown` is how many rows its text has."""
    if meta["rows"] != len(expected.rows) or (shown is not None and meta["shown"] != shown):
        raise Mismatch("rows and shown", (len(expected.rows), shown), meta)
    if meta["columns"] != [name for name, _ in expected.columns]:
        raise Mismatch("the names of the columns", [name for name, _ in expected.columns], meta)


def ask(sql, **arguments):
    """The text of the answer, what it says about itself, and all of it."""
    result = yield call("query", {"sql": sql, **arguments})
    return result["content"][0]["text"], result["_meta"]["sluice/result"], result


def json_answer(text):
    return Answer("json", *json_rows({"data": from_json(rows_text(text))}, "records"))


def all_rows(expected, text, meta, page_rows, read=text_answer, **arguments):
    """The rows of an answer: those that are shown, or else all of the table in which they are kept."""
    answer = read(text)
    check_meta(meta, expected, len(answer.rows))
    if len(answer.rows) == meta["rows"]:
        return answer
    rows = []
    while len(rows) < meta["rows"]:
        page, _, _ = yield from ask(f"SELECT * FROM {meta['name']} LIMIT {page_rows} OFFSET {len(rows)}", **arguments)
        found = read(page).rows
        if not found:
            raise Mismatch("the kept table has fewer rows than the answer", meta["rows"], len(rows))
        rows += found
    if rows[:len(answer.rows)] != answer.rows:
        raise Mismatch("the kept table begins with other rows than were shown", answer.rows, rows[:len(answer.rows)])
    return Answer(answer.kind, answer.names, rows)


def file_answer(result, form):
    link = next(one for one in result["content"] if one["type"] == "resource_link")
    read = yield read_resource(link["uri"])
    return Answer(form, *decode(form, content_of(read)))


def check_one(case, sql, expected):
    rng = random.Random(case.arguments["seed"])
    if case.form in FILES:
        _, meta, result = yield from ask(sql, format=case.form)
        check_meta(meta, expected)
        return compare(expected, (yield from file_answer(result, case.form)))
    if case.form in ("json", "exact"):
        is_exact = case.form == "exact"
        arguments = {"format": "json", "exact": is_exact}
        text, meta, _ = yield from ask(sql, **arguments)
        return compare(expected if is_exact else brief(expected),
                       (yield from all_rows(expected, text, meta, 20, json_answer, **arguments)))
    more = {"max_rows": rng.choice([1, 2, 5])} if case.form == "pages" else {}
    text, meta, _ = yield from ask(sql, **more)
    return compare(brief(expected), (yield from all_rows(expected, text, meta, rng.choice([2, 5, 20]))))


def check_list(statements):
    """Several statements in one call. What is left out for lack of room is in the kept table."""
    text, metas, _ = yield from ask([sql for sql, _ in statements])
    blocks = []
    for number in reversed(range(1, len(statements) + 1)):
        text, found, block = text.rpartition(f"-- {number}\n")
        if not found:
            raise Mismatch(f"no answer to statement {number}", actual=text)
        blocks.insert(0, block)
    for (_, expected), block, meta in zip(statements, blocks, metas):
        compare(brief(expected), (yield from all_rows(expected, block, meta, 20)))


def check_named(case, sql, expected):
    """A result that gets a name is a table of the next statement."""
    name = f"kept_{case.arguments['seed']}"
    text, meta, _ = yield from ask(sql, name=name)
    if meta["name"] != name:
        raise Mismatch("the name of the result", name, meta)
    counted, _, _ = yield from ask(f"SELECT count(*) AS n FROM {name}")
    compare(Table([("n", INT64)], [[len(expected.rows)]]), text_answer(counted))
    again, meta, result = yield from ask(f"SELECT * FROM {name}", format="parquet")
    compare(expected, (yield from file_answer(result, "parquet")))


def query(case):
    statements = statements_of(case)
    case.rows = max(len(expected.rows) for _, expected in statements)
    if case.form == "list":
        return (yield from check_list(statements))
    check = check_named if case.form == "named" else check_one
    return (yield from check(case, *statements[0]))


CHECKS = {"query": query}
