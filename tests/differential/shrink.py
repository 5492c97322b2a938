"""Makes a failing case smaller: fewer rows, columns, filters and arguments, as long as it fails."""

from answers import Mismatch
from generate import has_year_names
from server import ServerDied, ToolError, run_cases
from world import TEXT_SOURCES, World

PASSES_MAX = 25
CANDIDATES_MAX = 40
CELLS_MAX = 100_000  # Of all candidates of one pass.


def without(items, at):
    return items[:at] + items[at + 1:]


def smaller_arguments(arguments):
    for name, value in arguments.items():
        if name in ("seed", "field", "patterns", "mode", "column", "row", "list"):
            continue
        rest = {key: other for key, other in arguments.items() if key != name}
        yield rest
        if isinstance(value, list) and len(value) > 1:
            for at in range(len(value)):
                yield {**arguments, name: without(value, at)}
        if name == "filters":
            for at, condition in enumerate(value):
                operand = condition.get("value")
                if isinstance(operand, list) and len(operand) > 1:
                    for half in (operand[:len(operand) // 2], operand[len(operand) // 2:]):
                        changed = {**condition, "value": half}
                        yield {**arguments, name: value[:at] + [changed] + value[at + 1:]}


def smaller_rows(dataset):
    """The first row of a text file or a SQLite table tells the types, so it stays."""
    if any(column.is_series for column in dataset.plan):
        return
    first = 1 if dataset.source in TEXT_SOURCES or dataset.source == "sqlite" else 0
    rows = dataset.rows
    size = len(rows) - first
    step = size // 2
    while step >= 1:
        for begin in range(first, len(rows), step):
            if len(rows) - min(step, len(rows) - begin) >= max(first, 1):
                yield dataset.reduced(rows=rows[:begin] + rows[begin + step:])
        step //= 2


def smaller_columns(dataset):
    if len(dataset.plan) > 2 and not has_year_names(dataset.plan):
        for at in range(len(dataset.plan)):
            yield dataset.reduced(plan=without(dataset.plan, at), rows=[without(row, at) for row in dataset.rows])


def candidates(case):
    if case.form != "json":
        yield case.reduced(form="json")
    for arguments in smaller_arguments(case.arguments):
        yield case.reduced(arguments=arguments)
    for at, dataset in enumerate(case.datasets):
        for smaller in [*smaller_rows(dataset), *smaller_columns(dataset)]:
            yield case.reduced(datasets=case.datasets[:at] + [smaller] + case.datasets[at + 1:])


def size(case):
    cells = sum((len(one.rows) + 1) * len(one.plan) for one in case.datasets)
    return (cells + 3 * len(str(case.arguments)) // 10, case.form != "json")


def failures(program, servers, cases):
    """Those of the cases that fail, with their errors. Each has datasets of its own in one server."""
    for number, case in enumerate(cases):
        case.datasets = [one.reduced(name=f"s{number}_{at}") for at, one in enumerate(case.datasets)]
    found = []

    def finished(case, error):
        if isinstance(error, (Mismatch, ToolError)):
            found.append((case, error))
    world = World(program, [one for case in cases for one in case.datasets], servers, profile=cases[0].profile)
    try:
        run_cases(world.server, cases, finished, 3)  # No more than any source can take.
    except ServerDied as error:
        print(f"while shrinking: {error}")
    finally:
        world.stop()
    return found


def within(cells_max, cases):
    """The smaller ones, as far as all of them together are not large."""
    out, cells = [], 0
    for case in cases:
        cells += size(case)[0]
        if out and cells > cells_max:
            break
        out.append(case)
    return out


def is_alike(error, other):
    if isinstance(error, ToolError) != isinstance(other, ToolError):
        return False
    return not isinstance(error, ToolError) or error.body.get("code") == other.body.get("code")


def shrink(program, servers, case, error):
    """The smallest case found that fails alike, and its error."""
    for _ in range(PASSES_MAX):
        tried = [one.reduced(notes={}) for one in candidates(case)]
        tried = sorted((one for one in tried if size(one) < size(case)), key=size)
        # Large steps first, then a few of all sizes.
        chosen = tried[:CANDIDATES_MAX // 2] + tried[CANDIDATES_MAX // 2::max(1, len(tried) // (CANDIDATES_MAX // 2))]
        chosen = within(CELLS_MAX, chosen)
        found = [pair for pair in failures(program, servers, chosen) if is_alike(error, pair[1])] if chosen else []
        if not found:
            break
        case, error = min(found, key=lambda pair: size(pair[0]))
    return case, error
