"""Random SELECT statements over several tables, with their answers: joins, filters, groups, orders and bounds."""

from dataclasses import dataclass

import model
import questions
from sql_text import SIGNS, aggregate_sql, condition_sql, name_sql
from values import Table, rank

KINDS = ["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN", "RIGHT JOIN", "FULL JOIN", "EXISTS",
         "NOT EXISTS", "IN"]
PLAIN_KINDS = ["JOIN", "LEFT JOIN"]  # What a database may compute itself, if all tables are its own.
FILTERS_ONLY = {"SEMI JOIN", "ANTI JOIN", "EXISTS", "NOT EXISTS", "IN"}  # The second table adds no columns.
KEYS = ["k", "g"]  # Every table has them: an integer and a text, with values that tables share. See key_of.


@dataclass
class Joined:
    """What stands behind FROM and WHERE, and the rows that it gives."""
    from_sql: str
    wheres: list
    table: Table
    expressions: dict  # The SQL of each column of `table`.
    keys: dict  # For each of KEYS, the columns of `table` that hold it.


def table_sql(rng, dataset):
    """One of the ways in which a table can be named."""
    folder, name = dataset.reference.split("/")
    return rng.choice([name_sql(dataset.reference), f"{folder}.{name}", name])


def own_columns(dataset, alias):
    names = [(f"{alias}_{name}", type_) for name, type_ in dataset.table.columns]
    expressions = {f"{alias}_{name}": f"{alias}.{name_sql(name)}" for name, _ in dataset.table.columns}
    return names, expressions


def key_of(dataset, key):
    """What a dataset calls one of KEYS."""
    return getattr(dataset, "key_names", {}).get(key, key)


def is_match(on, left, right):
    """Whether two rows meet: `on` has (index, sign, index), and null meets nothing."""
    for i, sign, j in on:
        a, b = left[i], right[j]
        if a is None or b is None or not model.COMPARISONS[sign](model.order_of(a, b)):
            return False
    return True


def meet(kind, left, right, on, widths):
    """The rows of a join."""
    if kind in FILTERS_ONLY:
        wanted = kind in ("SEMI JOIN", "EXISTS", "IN")
        return [row for row in left if any(is_match(on, row, other) for other in right) == wanted]
    rows, found = [], set()
    for row in left:
        partners = [at for at, other in enumerate(right) if is_match(on, row, other)]
        found.update(partners)
        rows += [row + right[at] for at in partners]
        if not partners and kind in ("LEFT JOIN", "FULL JOIN"):
            rows.append(row + [None] * widths[1])
    if kind in ("RIGHT JOIN", "FULL JOIN"):
        rows += [[None] * widths[0] + other for at, other in enumerate(right) if at not in found]
    return rows


def random_on(rng, joined, alias, dataset):
    """Conditions between what was joined so far and one more table, and their SQL."""
    on, texts = [], []
    signs = ["eq"] if rng.random() < 0.85 else ["eq", rng.choice(["lt", "gte", "neq"])]
    for key, sign in zip(rng.sample(KEYS, len(signs)), signs):
        partner = rng.choice(joined.keys[key])
        own = key_of(dataset, key)
        on.append((joined.table.index(partner), sign, dataset.table.index(own)))
        texts.append(f"{joined.expressions[partner]} {SIGNS[sign]} {alias}.{name_sql(own)}")
    return on, texts


def is_one_database(datasets):
    sources = {getattr(dataset, "source", None) for dataset in datasets}
    return len(sources) == 1 and sources <= {"sqlite", "pg15", "pg18"}


def with_using(rng, joined, on, texts, dataset):
    """The key of a join of two tables by USING, if it has the same name in both, which then needs no alias; or ON."""
    names = [joined.table.columns[on[0][0]][0], dataset.table.columns[on[0][2]][0]]
    if len(on) > 1 or on[0][1] != "eq" or names[0] != f"a_{names[1]}" or rng.random() < 0.6:
        return f"ON {' AND '.join(texts)}"
    joined.expressions[names[0]] = name_sql(names[1])
    return f"USING ({name_sql(names[1])})"


def random_join(rng, datasets):
    """The first dataset joined with the others."""
    aliases = ["a", "b", "c"]
    kinds = PLAIN_KINDS if is_one_database(datasets) and rng.random() < 0.8 else KINDS
    columns, expressions = own_columns(datasets[0], "a")
    joined = Joined(f"{table_sql(rng, datasets[0])} AS a", [], Table(columns, datasets[0].table.rows), expressions,
                    {key: [f"a_{key_of(datasets[0], key)}"] for key in KEYS})
    for at, dataset in enumerate(datasets[1:], 1):
        alias = aliases[at]
        is_last = at == len(datasets) - 1
        kind = rng.choice(kinds)
        if kind in ("EXISTS", "NOT EXISTS", "IN") and not is_last:
            kind = "JOIN"  # WHERE is read after all joins.
        on, texts = random_on(rng, joined, alias, dataset)
        if kind == "IN" and (len(on) > 1 or on[0][1] != "eq"):
            kind = "EXISTS"
        name = table_sql(rng, dataset)
        can_use = kind in PLAIN_KINDS and len(datasets) == 2
        condition = with_using(rng, joined, on, texts, dataset) if can_use else f"ON {' AND '.join(texts)}"
        add_to(joined, kind, f"{name} AS {alias}", alias, texts, condition)
        widths = (len(joined.table.columns), len(dataset.table.columns))
        rows = meet(kind, joined.table.rows, dataset.table.rows, on, widths)
        if kind not in FILTERS_ONLY:
            more, more_expressions = own_columns(dataset, alias)
            joined.expressions.update(more_expressions)
            for key in KEYS:
                joined.keys[key].append(f"{alias}_{key_of(dataset, key)}")
            joined.table = Table(joined.table.columns + more, rows)
        else:
            joined.table = Table(joined.table.columns, rows)
    return joined


def add_to(joined, kind, source, alias, texts, condition):
    if kind == "IN":
        left, _, right = texts[0].partition(f" = {alias}.")
        joined.wheres.append(f"{left} IN (SELECT {alias}.{right} FROM {source})")
    elif kind in ("EXISTS", "NOT EXISTS"):
        joined.wheres.append(f"{kind} (SELECT 1 FROM {source} WHERE {' AND '.join(texts)})")
    else:
        joined.from_sql += f" {kind} {source} {condition}"


def sorted_rows(rows, terms):
    """`terms` are (index, descending, nulls first)."""
    for at, descending, nulls_first in reversed(terms):
        present = [row for row in rows if row[at] is not None]
        present.sort(key=lambda row: rank(row[at]), reverse=descending)
        nulls = [row for row in rows if row[at] is None]
        rows = nulls + present if nulls_first else present + nulls
    return rows


def random_order(rng, names, chosen):
    """Terms over names of the answer: some that were chosen, then all that decide, so that nothing is left open."""
    first = rng.sample(chosen, min(len(chosen), rng.choice([0, 1, 2])))
    terms, texts = [], []
    for name in first + [one for one in chosen if one not in first]:
        descending = name in first and rng.random() < 0.5
        nulls_first = name in first and rng.random() < 0.3
        terms.append((names.index(name), descending, nulls_first))
        texts.append(f"{name_sql(name)}{' DESC' if descending else ''} NULLS {'FIRST' if nulls_first else 'LAST'}")
    return terms, " ORDER BY " + ", ".join(texts) if texts else ""


def random_question(rng, table):
    """A question that SQL can say; None if this one cannot be said."""
    question = questions.query_question(rng, table)
    for name in ("deduplicate", "null_policy", "order_by"):
        question.pop(name, None)
    # A median is refused in a statement that joins.
    is_refused = any(fn == "median" for _, fn in model.read_aggregates(question.get("aggs") or []))
    return None if is_refused else question


def random_having(rng, named, grouped):
    """(name of a count, operator, operand), or None."""
    counts = [name for _, fn, name in named if fn in ("count", "count_distinct")]
    if not counts or rng.random() < 0.5:
        return None
    name = rng.choice(counts)
    cells = [row[grouped.index(name)] for row in grouped.rows]
    return name, rng.choice(list(SIGNS)), rng.choice(cells) if cells else 1


def group_parts(rng, joined, question):
    """The outputs, GROUP BY with HAVING, the answer without an order, and the names that order it."""
    keys = model.unique(question.get("group_by", []))
    named = model.named_aggregates(keys, model.read_aggregates(question.get("aggs") or [{"fn": "count"}]))
    texts = {name: aggregate_sql(column, fn, joined.expressions) for column, fn, name in named}
    outputs = [f"{joined.expressions[key]} AS {name_sql(key)}" for key in keys]
    outputs += [f"{text} AS {name_sql(name)}" for name, text in texts.items()]
    tail = " GROUP BY " + ", ".join(joined.expressions[key] for key in keys) if keys else ""
    answer = model.grouped(joined.table, question)
    having = random_having(rng, named, answer)
    if having:
        name, op, operand = having
        tail += f" HAVING {texts[name]} {SIGNS[op]} {operand}"
        at = answer.index(name)
        test = model.test_of(answer.columns[at][1], {"op": op, "value": operand})
        answer = Table(answer.columns, [row for row in answer.rows if test(row[at])])
    counts = [name for _, fn, name in named if fn in ("count", "count_distinct")]
    return ", ".join(outputs), tail, answer, keys + counts if keys else []


def row_parts(joined, question):
    names = model.unique(question.get("columns") or [name for name, _ in joined.table.columns])
    outputs = ", ".join(f"{joined.expressions[name]} AS {name_sql(name)}" for name in names)
    return "DISTINCT " * bool(question.get("distinct")) + outputs, "", model.plain(joined.table, question), names


def negated_sql(rng, table, condition, expressions):
    """The condition, or the negation of its opposite, which keeps the same rows: null is neither."""
    opposites = {"eq": "neq", "neq": "eq", "gt": "lte", "lte": "gt", "lt": "gte", "gte": "lt"}
    if condition["op"] in opposites and condition.get("value") is not None and rng.random() < 0.4:
        opposite = condition_sql(table, {**condition, "op": opposites[condition["op"]]}, expressions)
        return opposite and f"NOT ({opposite})"
    return condition_sql(table, condition, expressions)


def random_statement(rng, datasets):
    """The text of a statement and its answer; None if the question cannot be said in SQL."""
    joined = random_join(rng, datasets)
    question = random_question(rng, joined.table)
    if question is None:
        return None
    conditions = [negated_sql(rng, joined.table, one, joined.expressions) for one in question.get("filters", [])]
    if None in conditions:
        return None
    wheres = joined.wheres + [f"({one})" for one in conditions]
    where = " WHERE " + " AND ".join(wheres) if wheres else ""
    if question.get("group_by") or question.get("aggs"):
        outputs, tail, answer, deciding = group_parts(rng, joined, question)
    else:
        outputs, tail, answer, deciding = row_parts(joined, question)
    terms, order = random_order(rng, [name for name, _ in answer.columns], deciding)
    rows = sorted_rows(answer.rows, terms)[question.get("offset", 0):]
    text = f"SELECT {outputs} FROM {joined.from_sql}{where}{tail}{order}"
    if "limit" in question:
        text += f" LIMIT {question['limit']}"
        rows = rows[:question["limit"]]
    if question.get("offset"):
        text += f" OFFSET {question['offset']}"
    return text, Table(answer.columns, rows)
