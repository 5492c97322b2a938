"""Writes a question of the model as SQL over `data`, with an order that leaves nothing open."""

from model import named_aggregates, read_aggregates, unique


def name_sql(name):
    return '"' + name.replace('"', '""') + '"'


def text_sql(text):
    return "'" + text.replace("'", "''") + "'"


def literal_sql(type_, operand):
    if type_.kind in ("int", "decimal"):
        return str(operand)
    if type_.kind == "float":
        return f"CAST({text_sql(str(operand))} AS {'DOUBLE' if type_.bits == 64 else 'FLOAT'})"
    if type_.kind in ("date", "timestamp"):
        return f"TIMESTAMP {text_sql(str(operand))}"
    if type_.kind == "timestamptz":
        return f"TIMESTAMPTZ {text_sql(str(operand))}"
    if type_.kind == "bool":
        return "true" if operand in (True, "true") else "false"
    return text_sql(str(operand))


SIGNS = {"eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def condition_sql(table, condition, expressions=None):
    """None if the condition has no plain counterpart in SQL. `expressions` has the SQL of columns by name."""
    name = expressions[condition["col"]] if expressions else name_sql(condition["col"])
    type_ = table.type_of(condition["col"])
    op, operand = condition["op"], condition.get("value")
    if op == "is_null" or operand is None:
        is_null = (operand is not False) if op == "is_null" else op == "eq"
        return f"{name} IS {'' if is_null else 'NOT '}NULL"
    if type_.kind in ("binary", "uuid", "time"):
        return None
    if op in SIGNS:
        return f"{name} {SIGNS[op]} {literal_sql(type_, operand)}"
    if op == "in":
        values = [literal_sql(type_, one) for one in operand if one is not None]
        found = f"{name} IN ({', '.join(values)})" if values else "false"
        return f"({found} OR {name} IS NULL)" if None in operand else found
    if op == "range":
        parts = [f"{name} {sign} {literal_sql(type_, operand[key])}" for key, sign in (("min", ">="), ("max", "<="))
                 if operand.get(key) is not None]
        return " AND ".join(parts)
    if op == "contains" and type_.kind == "text":
        return f"contains({name}, {text_sql(operand)})"
    return None


def aggregate_sql(column, fn, expressions=None):
    if column in (None, "", "*"):
        return "count(*)"
    name = expressions[column] if expressions else name_sql(column)
    return f"count(DISTINCT {name})" if fn == "count_distinct" else f"{fn}({name})"


def sql_of(table, question):
    """The text, or None where the question cannot be said."""
    wheres = [condition_sql(table, one) for one in question.get("filters", [])]
    if None in wheres:
        return None
    where = " WHERE " + " AND ".join(f"({one})" for one in wheres) if wheres else ""
    keys = unique(question.get("group_by", []))
    if keys or question.get("aggs"):
        outputs = [name_sql(key) for key in keys]
        for column, fn, name in named_aggregates(keys, read_aggregates(question.get("aggs") or [{"fn": "count"}])):
            outputs.append(f"{aggregate_sql(column, fn)} AS {name_sql(name)}")
        group = " GROUP BY " + ", ".join(map(name_sql, keys)) if keys else ""
        order = " ORDER BY " + ", ".join(f"{name_sql(key)} NULLS LAST" for key in keys) if keys else ""
        text = f"SELECT {', '.join(outputs)} FROM data{where}{group}{order}"
    else:
        names = unique(question.get("columns") or [name for name, _ in table.columns])
        outputs = ", ".join(map(name_sql, names))
        order = ", ".join(f"{name_sql(name)} NULLS LAST" for name in names)
        text = f"SELECT {'DISTINCT ' if question.get('distinct') else ''}{outputs} FROM data{where} ORDER BY {order}"
    if "limit" in question:
        text += f" LIMIT {question['limit']}"
    if question.get("offset"):
        text += f" OFFSET {question['offset']}"
    return text


def is_said_alike(table):
    """Whether every column has a counterpart in SQL that is ordered as here, and none is called like the table."""
    return all(name != "data" and not type_.is_nested and type_.kind not in ("binary", "uuid") for name, type_ in table.columns)
