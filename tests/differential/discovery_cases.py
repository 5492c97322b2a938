"""Checks of `catalog` and `describe`: every statement in an answer is true of the data, and what must be there is."""

import datetime
import random
import re

import lean_cases
from answers import Mismatch
from described import FEW_VALUES, number_in, paths_of, spellings, table_spellings, type_word, value_text
from generate import WORDS, Column
from server import call
from tokenizer import TOKENIZER
from values import DATE, TEXT, key_of, number_of
from world import Dataset

SOURCES = lean_cases.SOURCES
FORMS = {"describe": ["whole", "columns", "globs", "budget", "dates", "numbers", "blanks", "joins"],
         "catalog": ["whole", "budget", "match", "values"]}
TABLES = 3  # Of each source in a round.
ALL_TOKENS = 20_000
JOIN_SHARE = 60  # Of the values, in percent, that makes a join likely.
CALLS_MAX = 40  # Until all that is computed in the background is there.
TOKENS_MIN = 50  # Of an answer, however few are asked for.
KEYS_MAX = 3
KEY_ENDINGS = ("id", "key", "code", "no", "number")
DATE_FORMATS = ["%b %d %Y", "%B %d, %Y", "%b %d, %Y", "%d %b %Y", "%d-%b-%Y"]
NUMBER_FORMATS = ["${:,.2f}", "{:,.0f} %", "€{:.1f}", "{:,}"]
HARD_NAMES = ["xqZkWvJ", "Գիտություն", "ქართული", "ÅÄÖ__", "B7kQ9zX4", "የኢትዮጵያ"]
HARD_TEXTS = ("aGVsbG8gd29ybGQ/PT0+", "Zq9XkW7vTb2Lm4", "Հայաստանի Հանրապետություն", "🙂🙃", "ქართული ენა", "0x7fA9C3e1")
NOTES = {
    "describe": re.compile(r"# (values and ranges( of \d+ tables?)? left out: describe fewer tables or columns, or pass max_tokens|"
                           r"\d+ more tables: describe fewer, or pass a larger max_tokens|"
                           r"values of \d+ tables? are not known yet: ask again|"
                           r"columns left out: name those you need in columns, or pass a larger max_tokens)\Z"),
    "catalog": re.compile(r"# ((\d+) more tables|columns of (\d+) tables left out: describe them, or): ?pass (match or )?"
                          r"(a larger )?max_tokens\Z|# columns of \d+ tables? are not known yet: ask again\Z|# columns of (\d+) tables left out: describe them, or pass "
                          r"(match or )?a larger max_tokens\Z")}


def text_column(rng, name, make, count, extra=()):
    pool = tuple(make() for _ in range(count)) + tuple(extra)
    return Column(name, TEXT, declared="TEXT", pool=pool, nulls=rng.choice([0, 0.2]))


def special_columns(rng, source):
    """Columns of text that hold dates, numbers and blanks, and what may stand between them."""
    date = rng.choice(DATE_FORMATS)
    number = rng.choice(NUMBER_FORMATS[:3] if source == "csv" else NUMBER_FORMATS)
    pad = rng.choice(["{}", "{}", " {}", "{}  "])
    empty = ("",) if rng.random() < 0.3 else ()

    def day():
        return pad.format((datetime.date(2001, 1, 1) + datetime.timedelta(rng.randint(0, 9000))).strftime(date))
    out = [text_column(rng, "date_text", day, 6, empty),
           text_column(rng, "number_text", lambda: pad.format(number.format(rng.randint(1000, 99999))), 6, empty),
           text_column(rng, "padded", lambda: rng.choice([" ", ""]) + rng.choice(WORDS) + "  ", 4, ("plain",))]
    if source in ("parquet", "ndjson"):
        out.append(Column("model_year", DATE, pool=tuple(datetime.date(1970 + at, 1, 1) for at in range(9))))
    return out


def random_table(rng, source, name, codes):
    """A table as in `lean`, and columns about which `describe` has something to say."""
    table = lean_cases.random_table(rng, source, name)
    rows = len(codes) if name.endswith("0") else rng.randint(5, 40)
    plan = [one for one in table.plan if one.name not in ("date_text", "code", "ref")]
    plan += rng.sample(special_columns(rng, source), 3)
    if rng.random() < 0.5:  # Names that take many tokens.
        plan.append(Column(rng.choice(HARD_NAMES) + f"_{rng.getrandbits(60):x}", TEXT, declared="TEXT", pool=HARD_TEXTS))
    out = [[rng.choice(one.pool) if at == 0 or rng.random() >= one.nulls else None for one in plan]
           for at in range(rows)]
    for row, at in zip(out, range(rows)):
        if at == 0 and source != "parquet":
            row[:] = [one.pool[0] for one in plan]
    if name.endswith("0"):  # Others refer to its rows.
        plan = plan + [Column("code", TEXT, declared="TEXT", pool=("word",))]
        out = [row + [key] for row, key in zip(out, codes)]
    else:
        known = rng.choice([codes, codes + [f"Z{at}x" for at in range(rng.choice([4, 20]))]])
        plan = plan + [Column("ref", TEXT, declared="TEXT", pool=("word",))]
        out = [row + [rng.choice(known)] for row in out]
    return Dataset(name, source, plan, out, table.style)


# --- Reading an answer.

class Line:
    """The rest of a line that is read from left to right."""

    def __init__(self, text):
        self.whole = text
        self.text = text

    def take(self, *options):
        """The longest option that the rest begins with, which is taken; None if there is none."""
        found = max((one for one in options if self.text.startswith(one)), key=len, default=None)
        if found is not None:
            self.text = self.text[len(found):]
        return found

    def match(self, pattern):
        found = re.match(pattern, self.text)
        if found:
            self.text = self.text[found.end():]
        return found

    def wrong(self, what, expected=""):
        return Mismatch(f"{what} at {self.text[:60]!r}", expected, self.whole)


def take_path(line, path, ends):
    """The path with its type, if that follows and one of `ends` comes behind it."""
    for name in sorted(path.spellings, key=len, reverse=True):
        word = type_word(path.type)
        for text in ([f"{name} {word}"] if word else [name]):
            rest = line.text[len(text):]
            if line.text.startswith(text) and (not rest or rest.startswith(ends)):
                line.text = rest
                return name
    return None


def check_values(line, path):
    """`: v 3, w 2`, or the first of them; whether all are there with their counts."""
    counted = path.counted()
    with_counts = ", ".join(f"{text} {count}" for text, count in counted)
    without = ", ".join(text for text, _ in counted)
    options = [": " + with_counts] + ([": " + without] if path.is_unique or len(counted) <= 4 else [])
    if len(counted) > 4:
        options.append(": " + ", ".join(text for text, _ in counted[:4]) + f", … {len(counted)}")
    if len(counted) > FEW_VALUES or line.take(*options) is None:
        raise line.wrong("values or their counts are wrong", with_counts)


def check_range(line, path):
    ends = path.ends()
    if ends is None or line.take(f" {ends[0]}..{ends[1]}" if ends[0] != ends[1] else f" {ends[0]}") is None:
        raise line.wrong("the range is wrong", ends)


def nonblank(path):
    return [cell for cell in path.present if cell.strip(" ")]


def check_join(line, path, own, datasets):
    found = line.match(r"; = (.+?) (\d+) %(?=;|\Z)")
    if not found:
        return None
    for other in datasets:
        for key in paths_of(other.table):
            names = [f"{table}.{name}" for table in table_spellings(other) for name in key.spellings]
            if found[1] in names:
                if other is own or not key.is_unique:
                    raise line.wrong("a join with what is no key of another table", found[1])
                share = share_of(path, key)
                if share != int(found[2]):
                    raise line.wrong("the share of values that match", share)
                return found[1]
    raise line.wrong("a join with an unknown column", found[1])


PITFALLS = [("dates", re.compile(r"; dates as text: (.+)\Z")),
            ("maybe", re.compile(r"; dates as text; (.+) if the month comes first\Z")),
            ("numbers", re.compile(r"; numbers as text: (.+)\Z")), ("year", re.compile(r"; a date: (.+)\Z")),
            ("blanks", re.compile(r"; blanks around values: (.+)\Z")),
            ("quotes", re.compile(r"; quotes around values: (.+)\Z"))]


def take_pitfall(line, path):
    for kind, pattern in PITFALLS:
        found = line.match(pattern)
        if found:
            if kind == "blanks" and all(cell == cell.strip(" ") for cell in path.present):
                raise line.wrong("no value has blanks around it")
            return kind, found[1]
    return None


def check_distinct(line, path, told):
    """How many different values a column has, exactly or about. None if that is not told."""
    found = line.match(r"; (~?)(\d+) distinct")
    if not found:
        return None
    count = distinct_values(path)
    if told.get("values") or (int(found[2]) != count if not found[1] else not count <= 2 * int(found[2]) <= 4 * count):
        raise line.wrong("the number of distinct values", count)
    return found[0]


def distinct_values(path):
    return len({key_of(cell) for cell in path.present})


def check_column(line, path, own, datasets):
    """A column in full. Returns what was told beside its type, as a dict."""
    name = take_path(line, path, (":", " ", ";"))
    if name is None:
        raise line.wrong("another column or type", (path.names, type_word(path.type)))
    told = {"name": name}
    if line.take(" key"):
        told["key"] = True
        if not path.is_unique:
            raise line.wrong("this is no key")
    if line.text.startswith(": "):
        check_values(line, path)
        told["values"] = True
    elif line.take(" e.g. ") is not None:
        shown = [value_text(path.type, one) for one in path.present] if not path.type.is_nested and \
            path.type.kind != "binary" else None
        if shown is None:
            line.match(r"[^;]*")
        elif line.take(*shown) is None:
            raise line.wrong("the example is no value", shown[:5])
        told["example"] = True
    elif line.text.startswith(" "):
        check_range(line, path)
        told["range"] = True
    told["distinct"] = check_distinct(line, path, told)
    found = line.match(r"; (\d+) null")
    told["nulls"] = int(found[1]) if found else 0
    if told["nulls"] not in (path.nulls, 0) or (found and path.nulls == 0):
        raise line.wrong("the number of nulls", path.nulls)
    told["join"] = check_join(line, path, own, datasets)
    told["pitfall"] = take_pitfall(line, path)
    if line.text:
        raise line.wrong("unexpected text")
    return told


def check_types(line, paths):
    """Columns with types alone in one line, or the first of them. Returns how many."""
    for at, path in enumerate(paths):
        if at and line.take(", ") is None:
            raise line.wrong("unexpected text")
        if take_path(line, path, (",",)) is None:
            raise line.wrong("another column or type", path.names)
        if not line.text:
            return at + 1
    raise line.wrong("unexpected text")


def check_rows_word(word, dataset, line):
    rows = len(dataset.table.rows)
    if not re.fullmatch(r"~?\d+", word) or (word[0] != "~" and int(word) != rows):
        raise Mismatch("the number of rows", rows, line)


def split_tables(text, datasets):
    """(dataset, name, lines) of an answer of `describe`, and its notes."""
    heads = {name: one for one in datasets for name in table_spellings(one)}
    out, notes = [], []
    for line in text.removesuffix("\n").split("\n"):
        found = re.fullmatch(r"(.+) (\S+) rows", line)
        if found and found[1] in heads:
            check_rows_word(found[2], heads[found[1]], line)
            out.append((heads[found[1]], found[1], []))
        elif line.startswith("# "):
            if not NOTES["describe"].match(line):
                raise Mismatch("an unknown note", actual=line)
            notes.append(line)
        elif not out:
            raise Mismatch("a line before the first table", actual=line)
        else:
            out[-1][2].append(line)
    return out, notes


def check_tokens(text, arguments, usual):
    most = max(TOKENS_MIN, arguments.get("max_tokens", usual))
    used = TOKENIZER.count(text)
    if used > most:
        raise Mismatch(f"{used} tokens instead of at most {most}", most, text)


def ask(tool, arguments, usual):
    result = yield call(tool, arguments)
    text = result["content"][0]["text"]
    check_tokens(text, arguments, usual)
    return text


# --- The checks.

def check_usable(dataset, name, told):
    """What `describe` writes can be used in SQL as it stands: names and expressions."""
    counts = ", ".join(f"count({column}) AS c{at}" for at, (_, column) in enumerate(told))
    result = yield call("query", {"sql": f"SELECT {counts} FROM {name}", "max_tokens": ALL_TOKENS})
    answer = lean_cases.text_answer(result["content"][0]["text"])
    expected = [len(path.present) for path, _ in told]
    if list(map(int, answer.rows[0])) != expected:
        raise Mismatch("counts by the names that were told", expected, answer.rows[0])


def read_by(kind, expression, cell):
    """What an expression has to make of a text."""
    if kind == "numbers":
        return float(number_in(cell))
    if kind == "blanks":
        return cell.strip(" ")
    pattern = re.search(r"'(%[^']*)'\)\Z", expression)[1]
    return datetime.datetime.strptime(cell.strip(" "), pattern)


def check_expression(name, path, pitfall):
    """The expression reads every value that is not blank."""
    kind, expression = pitfall
    if kind not in ("dates", "numbers", "blanks"):
        return
    column = path.spellings[0]
    result = yield call("query", {"sql": f"SELECT {column} AS t, {expression} AS v FROM {name} WHERE {column} IS NOT NULL",
                                  "format": "json", "exact": True, "max_tokens": ALL_TOKENS, "max_rows": 100})
    rows = lean_cases.json_answer(result["content"][0]["text"]).rows
    for text, value in rows:
        if kind != "blanks" and not text.strip(" "):
            continue
        wanted = read_by(kind, expression, text)
        same = (value is not None and float(number_of(value)) == wanted if kind == "numbers" else value == (
            wanted.isoformat() if kind == "dates" else wanted))
        if not same:
            raise Mismatch(f"{expression} of {text!r}", wanted, value)


def keys_of(paths):
    """The columns that an answer in full calls keys: of the first three that identify rows, those whose name or type says so."""
    unique = [path for path in paths if path.is_unique and path.type.kind in ("int", "text", "uuid")]
    return [path for path in unique[:KEYS_MAX] if path.type.kind != "int" or path.names[-1].lower().endswith(KEY_ENDINGS)]


def must_be_told(path, told, is_whole, keys):
    """What an answer in full says of a column at least."""
    few = distinct_values(path)
    has_values = not path.type.is_nested and path.type.kind != "binary"
    if not is_whole or not path.present:
        return
    if has_values and few <= FEW_VALUES // 2 and not told.get("values"):
        raise Mismatch("few values and no list of them", path.counted(), told)
    if path.has_range and not told.get("values") and not told.get("range"):
        raise Mismatch("no range", path.ends(), told)
    if told["nulls"] != path.nulls:
        raise Mismatch("the number of nulls is not told", path.nulls, told)
    if path in keys and not told.get("key"):
        raise Mismatch("a key is not told", path.names, told)
    if has_values and not (told.get("values") or path.is_unique or told["distinct"]):
        raise Mismatch("the number of distinct values is not told", few, told)
    if not (told.get("values") or told.get("range") or told.get("example")):
        raise Mismatch("no value is told", path.counted()[:3], told)


def check_table(case, part, wanted, is_whole, datasets):
    """One table of an answer. Returns what is told of its columns, or None if that is types alone."""
    dataset, name, lines = part
    paths = [path for path in paths_of(dataset.table) if wanted is None or wanted(path)]
    if len(lines) == 1 and (len(paths) != 1 or case.form == "budget"):
        try:
            return check_types(Line(lines[0]), paths) and None
        except Mismatch:
            if len(paths) != 1:
                raise
    if not paths and lines == [""]:
        return []
    if len(lines) != len(paths):
        raise Mismatch("another number of columns", len(paths), lines)
    out, keys = [], keys_of(paths_of(dataset.table)) if wanted is None else []
    for line, path in zip(lines, paths):
        told = check_column(Line(line), path, dataset, datasets)
        must_be_told(path, told, is_whole, keys)
        out.append((path, told))
    return out


def has_all(text, chosen, case):
    """Whether nothing is still computed: more than types is told of each table, and a join where one is wanted."""
    parts, _ = split_tables(text, case.datasets)
    is_computed = "are not known yet" not in text and all(
        any(re.search(r"(: | e\.g\. |\.\.|; | -?\d)", line) for line in lines) for _, _, lines in parts)
    return is_computed and (case.form != "joins" or "; = " in text or not has_partner(chosen[0], case))


def has_partner(dataset, case):
    codes = [path for one in case.datasets for path in paths_of(one.table) if path.names == ("code",)]
    refs = [path for path in paths_of(dataset.table) if path.names == ("ref",) and len(path.texts()) > 2]
    return any(share_of(ref, code) >= JOIN_SHARE for ref in refs for code in codes)


def pick(rng, case):
    first = case.datasets[0]
    if case.form == "globs":
        prefix = first.reference.rpartition("/")[0]
        pattern = rng.choice([f"{prefix}/{first.name[0]}*", f"{prefix}/?{first.name[1:]}", first.reference.upper()[:-1] + "?"])
        regex = re.compile(re.escape(pattern.lower()).replace(r"\*", ".*").replace(r"\?", "."))
        found = sorted((one for one in case.datasets if regex.fullmatch(one.reference.lower())),
                       key=lambda one: one.reference)
        return [pattern], found
    chosen = [first] + (rng.sample(case.datasets[1:], rng.randint(0, 3)) if case.form in ("whole", "budget") else [])
    return [rng.choice([one.reference, *table_spellings(one)]) for one in chosen], chosen


def describe(case):
    rng = random.Random(case.arguments["seed"])
    names, chosen = pick(rng, case)
    arguments, wanted = {"datasets": names, "max_tokens": ALL_TOKENS}, None
    if case.form == "columns":
        path = rng.choice(paths_of(chosen[0].table))
        by = rng.choice(["name", "glob"])
        arguments["columns"] = [path.names[0] if by == "name" else path.names[0][:1] + "*"]
        if by == "name":
            wanted = lambda one: one.names[0].lower() == path.names[0].lower()
        else:
            first = path.names[0][:1].lower()
            wanted = lambda one: one.names[0].lower().startswith(first)
    if case.form == "budget":
        arguments["max_tokens"] = rng.choice([rng.randint(50, 120), rng.randint(50, 400), rng.randint(300, 1500)])
    case.notes["arguments"] = arguments
    for _ in range(CALLS_MAX):
        text = yield from ask("describe", arguments, 1500)
        is_settled = "are not known yet" not in text if case.form == "columns" else has_all(text, chosen, case)
        if case.form == "budget" or is_settled:
            break
        if case.form == "joins":  # Waits for the statistics of the tables that it may be joined with.
            yield from ask("describe", {"datasets": [one.reference for one in case.datasets], "max_tokens": ALL_TOKENS}, 1500)
    parts, notes = split_tables(text, case.datasets)
    is_few = len(chosen) <= 4
    is_whole = case.form not in ("budget", "columns") and is_few
    if case.form != "budget" and (notes or [one for one, _, _ in parts] != chosen):
        raise Mismatch("other tables than were asked for", [one.reference for one in chosen], text)
    if [one for one, _, _ in parts] != chosen[:len(parts)]:
        raise Mismatch("tables in another order", [one.reference for one in chosen], text)
    case.rows = len(parts)
    for part in parts:
        told = check_table(case, part, wanted, is_whole, case.datasets)
        if not told:
            continue
        yield from check_usable(part[0], part[1], [(path, one["name"]) for path, one in told])
        for path, one in told:
            if one["pitfall"]:
                yield from check_expression(part[1], path, one["pitfall"])
        check_planned(case, told)


def share_of(path, other):
    return len(path.texts() & other.texts()) * 100 // len(path.texts())


def check_planned(case, told):
    """The columns that were made to have a pitfall or a partner have it."""
    codes = [path for one in case.datasets for path in paths_of(one.table) if path.names == ("code",)]
    for path, one in told if case.form == "joins" else []:
        is_sure = path.names == ("ref",) and len(path.texts()) > 2
        if is_sure and max(share_of(path, code) for code in codes) >= JOIN_SHARE and not one["join"]:
            raise Mismatch("a join is not told", path.texts(), one)
    columns = {"dates": "date_text", "numbers": "number_text", "blanks": "padded"}
    if case.form not in columns:
        return
    for path, one in told:
        if path.names[0] != columns[case.form] or len(nonblank(path)) < 3:
            continue
        if case.form == "blanks" and all(cell == cell.strip(" ") for cell in path.present):
            continue
        if not one["pitfall"] or one["pitfall"][0] != case.form:
            raise Mismatch(f"{case.form} are not told", path.present[:5], one)


def matches(dataset, words):
    """Whether all words occur in the names of a table and its columns."""
    text = " ".join([*table_spellings(dataset), *(name for path in paths_of(dataset.table)
                                                  for name in path.spellings)]).lower()
    return all(word in text for word in words)


def check_catalog_line(line, dataset, name):
    rest = Line(line[len(name) + 1:])
    word = rest.match(r"~?\d+")
    if not word:
        raise rest.wrong("no number of rows")
    check_rows_word(word[0], dataset, line)
    if not rest.text:
        return "name"
    if rest.take(": ") is None:
        raise rest.wrong("unexpected text")
    paths = paths_of(dataset.table)
    try:
        count, kind = check_types(Line(rest.text), paths), "types"
    except Mismatch:
        names = [path.spellings for path in paths]
        for at, options in enumerate(names):
            if (at and rest.take(", ") is None) or rest.take(*options) is None:
                raise rest.wrong("another column", options) from None
        count, kind = len(paths), "columns"
        if rest.text:
            raise rest.wrong("unexpected text") from None
    if count != len(paths):
        raise Mismatch("columns are missing", [path.names for path in paths], line)
    return kind


def catalog(case):
    rng = random.Random(case.arguments["seed"])
    arguments, words = {"max_tokens": ALL_TOKENS}, []
    if case.form == "budget":
        arguments["max_tokens"] = rng.choice([rng.randint(50, 150), rng.randint(100, 1200)])
    elif case.form == "match":
        path = rng.choice(paths_of(case.datasets[0].table))
        words = [rng.choice([case.datasets[0].name, path.names[0].split()[0].lower(), path.names[0].split()[-1]])]
    elif case.form == "values":
        words = [rng.choice(WORDS), *rng.sample(["o", "a", "e"], rng.choice([0, 1]))]
    if words:
        arguments["match"] = " ".join(words)
    case.notes["arguments"] = arguments
    text = yield from ask("catalog", arguments, 1200)
    words = [word.lower() for word in words]
    found = [one for one in case.datasets if matches(one, words)]
    lines = text.removesuffix("\n").split("\n")
    if text.startswith("# no table, column or description matches"):
        return check_found_values(case, words, found, lines)
    heads = {name: one for one in case.datasets for name in table_spellings(one)}
    kinds, shown, notes = [], [], []
    for line in lines:
        name = max((one for one in heads if line.startswith(one + " ")), key=len, default=None)
        if line.startswith("# "):
            notes.append(line)
        elif name is not None:
            kinds.append(check_catalog_line(line, heads[name], name))
            shown.append(heads[name])
        else:
            raise Mismatch("an unknown table", actual=line)
    case.rows = len(lines)
    if any(one not in found for one in shown):
        raise Mismatch("a table that does not match", words, text)
    if len(shown) < len(found) and not any("more tables" in note for note in notes):
        raise Mismatch("tables are missing", [one.reference for one in found], text)
    for note in notes:
        if not NOTES["catalog"].match(note):
            raise Mismatch("an unknown note", actual=note)
    if case.form != "budget" and not words and (notes or set(kinds) != {"types"}):
        raise Mismatch("columns with types are missing", actual=text)


def check_found_values(case, words, found, lines):
    """Where no name matches, the columns of text with values that do are told, with the number of rows."""
    if found:
        raise Mismatch("tables match by their names", [one.reference for one in found], lines)
    told = {}
    for line in lines[1:]:
        at = re.fullmatch(r"(.+) (\d+) rows?", line)
        if not at:
            raise Mismatch("unexpected text", actual=line)
        told[at[1]] = int(at[2])
    expected = {}
    for dataset in case.datasets:
        for path in paths_of(dataset.table):
            if path.type.kind == "text" and len(path.names) == 1:
                count = sum(all(word in cell.lower() for word in words) for cell in path.present)
                names = [f"{table}.{name}" for table in table_spellings(dataset) for name in path.spellings]
                expected.update({name: count for name in names})
                if count and not any(name in told for name in names) and len(told) < 20 and "searched)" not in lines[0]:
                    raise Mismatch("a column with such values is missing", names[0], lines)
    case.rows = len(told)
    for name, count in told.items():
        if expected.get(name, 0) != count:
            raise Mismatch(f"rows of {name} that contain {words}", expected.get(name, 0), count)


CHECKS = {"catalog": catalog, "describe": describe}
