"""Random conditions over columns and constants, as SQL and in three-valued logic: True, False, or None for NULL."""

SIGNS = {"=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
         ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def sql_text(text):
    return "'" + text.replace("'", "''") + "'"


def sql_constant(value):
    if value is None:
        return "NULL"
    return sql_text(value) if isinstance(value, str) else repr(value)


def comparable(value):
    """Text is compared by its bytes."""
    return value.encode() if isinstance(value, str) else value


def compared(sign, a, b):
    return None if a is None or b is None else SIGNS[sign](comparable(a), comparable(b))


def negated(value):
    return None if value is None else not value


def all_of(values):
    values = list(values)
    if False in values:
        return False
    return None if None in values else True


def any_of(values):
    return negated(all_of(map(negated, values)))


class Condition:
    """Its SQL, and a function from a row (values by the SQL of their columns) to its truth."""

    def __init__(self, sql, truth):
        self.sql = sql
        self.truth = truth


def comparison(rng, column, constants):
    sign, constant = rng.choice(list(SIGNS)), rng.choice(constants)
    text = sql_constant(constant)
    if isinstance(constant, int) and sign in ("=", "<>") and rng.random() < 0.15:
        text = sql_text(str(constant))  # The engine converts it to the type of the column.
    sql = f"{column} {sign} {text}" if rng.random() < 0.8 else f"{text} {MIRRORED[sign]} {column}"
    return Condition(sql, lambda row: compared(sign, row[column], constant))


def membership(rng, column, constants):
    wanted = [rng.choice(constants) for _ in range(rng.choice([1, 2, 3, 5]))]
    if rng.random() < 0.15:
        wanted.append(None)
    is_in = rng.random() < 0.6
    sql = f"{column} {'IN' if is_in else 'NOT IN'} ({', '.join(map(sql_constant, wanted))})"

    def truth(row):
        found = any_of(compared("=", row[column], one) for one in wanted)
        return found if is_in else negated(found)
    return Condition(sql, truth)


def between(rng, column, constants):
    low, high = rng.choice(constants), rng.choice(constants)
    is_in = rng.random() < 0.8
    sql = f"{column} {'' if is_in else 'NOT '}BETWEEN {sql_constant(low)} AND {sql_constant(high)}"

    def truth(row):
        found = all_of([compared(">=", row[column], low), compared("<=", row[column], high)])
        return found if is_in else negated(found)
    return Condition(sql, truth)


def null_test(rng, column, constants):
    is_null = rng.random() < 0.5
    return Condition(f"{column} IS {'' if is_null else 'NOT '}NULL", lambda row: (row[column] is None) == is_null)


def distinct_test(rng, column, constants):
    constant = rng.choice([*constants, None])
    is_distinct = rng.random() < 0.5
    sql = f"{column} IS {'' if is_distinct else 'NOT '}DISTINCT FROM {sql_constant(constant)}"
    return Condition(sql, lambda row: (row[column] != constant) == is_distinct)


LEAVES = [comparison] * 5 + [membership] * 2 + [between, null_test, distinct_test]


def random_condition(rng, columns, depth=0):
    """`columns` are (SQL, constants, weight)."""
    if depth < 3 and rng.random() < (0.75 if depth == 0 else 0.35):
        kind = rng.choice(["AND", "AND", "OR", "OR", "NOT"])
        if kind == "NOT":
            operand = random_condition(rng, columns, depth + 1)
            return Condition(f"NOT ({operand.sql})", lambda row: negated(operand.truth(row)))
        operands = [random_condition(rng, columns, depth + 1) for _ in range(rng.choice([2, 2, 3]))]
        combine = all_of if kind == "AND" else any_of
        return Condition("(" + f" {kind} ".join(one.sql for one in operands) + ")",
                         lambda row: combine(one.truth(row) for one in operands))
    column, constants, _ = rng.choices(columns, [weight for *_, weight in columns])[0]
    return rng.choice(LEAVES)(rng, column, constants)
