"""Random statements over collections of files, with the rows that they give."""

from collections import Counter
from dataclasses import dataclass

from conditions import Condition, all_of, compared, random_condition

KINDS = ["single", "join", "chain", "using", "semi", "with", "shadow", "subquery", "union", "total"]
JOINS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]
DIMENSION_WEIGHT = 4  # Conditions on dimensions are this much more frequent than others.


@dataclass
class Statement:
    sql: str
    rows: list  # Lists of values.
    is_ordered: bool = False  # The rows come in the order of the files.


@dataclass
class Relation:
    """A FROM clause: its SQL, its columns by their SQL with constants to compare them with, and its rows as maps."""
    sql: str
    columns: dict
    rows: list

    def conditions(self):
        return [(column, constants, weight) for column, (constants, weight) in self.columns.items()]


def base(rng, collection, alias=None):
    """A reading of a collection."""
    prefix = f"{alias}." if alias else ""
    columns = {f"{prefix}{name}": (constants, DIMENSION_WEIGHT if name in collection.dimensions else 1)
               for name, constants in collection.constants.items()}
    rows = [{f"{prefix}{name}": row.get(name) for name in collection.constants} for row in collection.rows]
    return Relation(f"{collection.name} AS {alias}" if alias else collection.name, columns, rows)


def maybe(rng, relation, share=0.9):
    return random_condition(rng, relation.conditions()) if rng.random() < share else None


def passing(relation, condition):
    return [row for row in relation.rows if condition is None or condition.truth(row) is True]


def where(condition):
    return f" WHERE {condition.sql}" if condition else ""


def output(relation, rows, names=None):
    """SELECT of all columns, each with a name of its own."""
    wanted = names or list(relation.columns)
    sql = ", ".join(f"{column} AS c{at}" for at, column in enumerate(wanted))
    return sql, [[row[column] for column in wanted] for row in rows]


def join(rng, kind, left, right, extra_share=0.6):
    """The relation of a join by `k`, with a random condition beside it."""
    left_key = rng.choice([one for one in left.columns if one.endswith(".k")])
    right_key = rng.choice([one for one in right.columns if one.endswith(".k")])
    both = {**left.columns, **right.columns}
    more = random_condition(rng, Relation("", both, []).conditions(), 2) if rng.random() < extra_share else None
    on = f"{left_key} = {right_key}" + (f" AND {more.sql}" if more else "")

    def matches(row):
        return all_of([compared("=", row[left_key], row[right_key]), more.truth(row) if more else True]) is True
    rows, found = [], set()
    nothing_left, nothing_right = dict.fromkeys(left.columns), dict.fromkeys(right.columns)
    for one in left.rows:
        pairs = [(at, {**one, **other}) for at, other in enumerate(right.rows)]
        partners = [(at, pair) for at, pair in pairs if matches(pair)]
        found.update(at for at, _ in partners)
        rows += [pair for _, pair in partners]
        if not partners and kind in ("LEFT JOIN", "FULL JOIN"):
            rows.append({**one, **nothing_right})
    if kind in ("RIGHT JOIN", "FULL JOIN"):
        rows += [{**nothing_left, **other} for at, other in enumerate(right.rows) if at not in found]
    return Relation(f"{left.sql} {kind} {right.sql} ON {on}", both, rows)


def single(rng, collections):
    relation = base(rng, rng.choice(collections), rng.choice([None, "x"]))
    condition = maybe(rng, relation)
    sql, rows = output(relation, passing(relation, condition))
    return Statement(f"SELECT {sql} FROM {relation.sql}{where(condition)}", rows, is_ordered=True)


def joined(rng, collections, aliases):
    relation = base(rng, rng.choice(collections), aliases[0])
    for alias in aliases[1:]:
        relation = join(rng, rng.choice(JOINS), relation, base(rng, rng.choice(collections), alias))
    condition = maybe(rng, relation)
    sql, rows = output(relation, passing(relation, condition))
    return Statement(f"SELECT {sql} FROM {relation.sql}{where(condition)}", rows)


def using(rng, collections):
    """The column of USING without the name of a table is that of the left side, or of either where one is missing."""
    kind = rng.choice(JOINS)
    left, right = rng.choice(collections), rng.choice(collections)
    shared = [name for name in ("year", "region", "k") if name in left.constants and name in right.constants]
    key = rng.choice(shared)
    first, second = base(rng, left, "x"), base(rng, right, "y")
    constants, weight = first.columns[f"x.{key}"]
    columns = {**first.columns, **second.columns, key: (constants, 2 * DIMENSION_WEIGHT)}
    rows, found = [], set()
    for one in first.rows:
        partners = [at for at, other in enumerate(second.rows)
                    if compared("=", one[f"x.{key}"], other[f"y.{key}"]) is True]
        found.update(partners)
        rows += [{**one, **second.rows[at], key: one[f"x.{key}"]} for at in partners]
        if not partners and kind in ("LEFT JOIN", "FULL JOIN"):
            rows.append({**one, **dict.fromkeys(second.columns), key: one[f"x.{key}"]})
    if kind in ("RIGHT JOIN", "FULL JOIN"):
        rows += [{**dict.fromkeys(first.columns), **other, key: other[f"y.{key}"]}
                 for at, other in enumerate(second.rows) if at not in found]
    relation = Relation(f"{first.sql} {kind} {second.sql} USING ({key})", columns, rows)
    condition = maybe(rng, relation)
    sql, rows = output(relation, passing(relation, condition))
    return Statement(f"SELECT {sql} FROM {relation.sql}{where(condition)}", rows)


def semi(rng, collections):
    """The second collection only decides which rows of the first are kept."""
    outer, inner = base(rng, rng.choice(collections), "x"), base(rng, rng.choice(collections), "y")
    kind = rng.choice(["SEMI JOIN", "ANTI JOIN", "EXISTS", "NOT EXISTS", "IN", "NOT IN"])
    condition, more = maybe(rng, outer, 0.6), maybe(rng, inner)
    if kind in ("IN", "NOT IN"):
        keys = [row["y.k"] for row in passing(inner, more)]

        def is_kept(row):
            found = not all_of(compared("<>", row["x.k"], key) for key in keys)
            if any(key is None for key in keys) or (row["x.k"] is None and keys):
                found = found if row["x.k"] is not None and row["x.k"] in keys else None
            return found is True if kind == "IN" else found is False
        test = Condition(f"x.k {kind} (SELECT y.k FROM {inner.sql}{where(more)})", is_kept)
    else:
        pairs = {**outer.columns, **inner.columns}
        both = random_condition(rng, Relation("", pairs, []).conditions(), 2) if rng.random() < 0.4 else None
        on = " AND ".join(["x.k = y.k"] + [one.sql for one in (more, both) if one])

        def has_partner(row):
            return any(all_of([compared("=", row["x.k"], other["y.k"]), more.truth(other) if more else True,
                               both.truth({**row, **other}) if both else True]) is True for other in inner.rows)
        wanted = kind in ("SEMI JOIN", "EXISTS")
        test = Condition(f"{kind} (SELECT 1 FROM {inner.sql} WHERE {on})", lambda row: has_partner(row) == wanted)
    rows = [row for row in passing(outer, condition) if test.truth(row) is True]
    sql, rows = output(outer, rows)
    if kind in ("SEMI JOIN", "ANTI JOIN"):
        return Statement(f"SELECT {sql} FROM {outer.sql} {kind} {inner.sql} ON {on}{where(condition)}", rows)
    tests = [condition.sql] if condition else []
    return Statement(f"SELECT {sql} FROM {outer.sql} WHERE {' AND '.join([*tests, test.sql])}", rows)


def named(relation, rows, alias):
    """The rows of a subquery that selects `relation` under short names, as a relation of its own."""
    names = {column: f"{alias}.{column.split('.')[-1]}" for column in relation.columns}
    return Relation("", {names[column]: about for column, about in relation.columns.items()},
                    [{names[column]: row[column] for column in names} for row in rows])


def with_table(rng, collections):
    """A WITH table that is read once or twice, with conditions inside and outside."""
    source = base(rng, rng.choice(collections))
    inside = maybe(rng, source)
    rows = passing(source, inside)
    first = named(source, rows, "x")
    first.sql = "w AS x"
    if rng.random() < 0.5:
        second = named(source, rows, "y")
        second.sql = "w AS y"
        first = join(rng, rng.choice(JOINS), first, second)
    condition = maybe(rng, first)
    sql, rows = output(first, passing(first, condition))
    return Statement(f"WITH w AS (SELECT * FROM {source.sql}{where(inside)}) "
                     f"SELECT {sql} FROM {first.sql}{where(condition)}", rows)


def shadow(rng, collections):
    """A WITH table that has the name of a collection."""
    hidden, read = rng.sample(collections, 2)
    source = base(rng, read)
    inside = maybe(rng, source, 0.5)
    relation = named(source, passing(source, inside), "x")
    relation.sql = f"{hidden.name} AS x"
    condition = maybe(rng, relation)
    sql, rows = output(relation, passing(relation, condition))
    return Statement(f"WITH {hidden.name} AS (SELECT * FROM {source.sql}{where(inside)}) "
                     f"SELECT {sql} FROM {relation.sql}{where(condition)}", rows)


def subquery(rng, collections):
    """A subquery in FROM, joined to a collection."""
    source = base(rng, rng.choice(collections))
    inside = maybe(rng, source)
    relation = named(source, passing(source, inside), "x")
    relation.sql = f"(SELECT * FROM {source.sql}{where(inside)}) AS x"
    if rng.random() < 0.7:
        relation = join(rng, rng.choice(JOINS), relation, base(rng, rng.choice(collections), "y"))
    condition = maybe(rng, relation)
    sql, rows = output(relation, passing(relation, condition))
    return Statement(f"SELECT {sql} FROM {relation.sql}{where(condition)}", rows)


def union(rng, collections):
    parts, rows = [], []
    for _ in range(2):
        relation = base(rng, rng.choice(collections), "x")
        condition = maybe(rng, relation)
        sql, more = output(relation, passing(relation, condition), ["x.k", "x.g", "x.year"])
        parts.append(f"SELECT {sql} FROM {relation.sql}{where(condition)}")
        rows += more
    return Statement(" UNION ALL ".join(parts), rows)


def total(rng, collections):
    relation = base(rng, rng.choice(collections), "x")
    condition = maybe(rng, relation)
    counts = Counter(row["x.g"] for row in passing(relation, condition))
    return Statement(f"SELECT x.g AS g, count(*) AS n FROM {relation.sql}{where(condition)} GROUP BY x.g",
                     [[key, count] for key, count in counts.items()])


MAKERS = {"single": single, "join": lambda rng, them: joined(rng, them, "xy"),
          "chain": lambda rng, them: joined(rng, them, "xyz"), "using": using, "semi": semi, "with": with_table,
          "shadow": shadow, "subquery": subquery, "union": union, "total": total}


def random_statement(rng, kind, collections):
    return MAKERS[kind](rng, collections)
