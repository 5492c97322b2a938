"""Reads whole answers, whatever they come as: rows at once, pages of a handle, or a file in parts."""

import base64
import re
from dataclasses import dataclass

from arrow_reader import read_arrow
from parquet_reader import read_parquet
from server import call, read_resource, to_json
from values import same, same_csv, same_json

PARTS_MAX = 10_000


class Mismatch(Exception):
    def __init__(self, what, expected=None, actual=None):
        super().__init__(what)
        self.what = what
        self.expected = expected
        self.actual = actual


@dataclass
class Answer:
    kind: str  # json, csv, parquet or arrow: how cells are compared
    names: list  # None where an answer without rows names no columns
    rows: list
    has_more: bool = False
    limited: bool = False  # Rows were left out by the caller's own limit.
    is_direct: bool = False  # It came at once.


CSV_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])')


def split_csv(text):
    """Rows of cells; a cell that is empty and not quoted is None."""
    rows, row, at = [], [], 0
    while at < len(text):
        found = CSV_CELL.match(text, at)
        if not found:
            raise Mismatch("a cell of the CSV is not quoted as it has to be", actual=text[at:at + 200])
        quoted, plain, end = found.groups()
        row.append(plain or None if quoted is None else quoted.replace('""', '"'))
        if end == "\n":
            rows.append(row)
            row = []
        at = found.end()
    if row:
        raise Mismatch("the CSV does not end with a line end", actual=text[-200:])
    return rows


def json_rows(body, shape, key="data"):
    if shape == "columns":
        return body["columns"], body["rows"]
    records = body[key]
    names = list(records[0]) if records else None
    for record in records:
        if list(record) != names:
            raise Mismatch("records have different columns", actual=records[:3])
    return names, [list(record.values()) for record in records]


def check_count(body, count):
    if body.get("row_count", count) != count:
        raise Mismatch("row_count differs from the number of rows", expected=count, actual=body["row_count"])


def handle_pages(body, arguments, page_arguments):
    """All rows of a handle through query_next_page."""
    names, rows = None, []
    page_format = page_arguments.get("format", "json")
    info = body["page_info"]
    total = body["row_count"]
    for _ in range(PARTS_MAX):
        if not info["has_more"]:
            break
        request = {"result_handle": body["result_handle"], "page_token": info["page_token"], **page_arguments}
        page = yield call("query_next_page", request)
        part_names, part = yield from page_rows(page, page_format, page_arguments.get("shape"))
        names = names or part_names
        if not part and page["page_info"]["has_more"]:
            raise Mismatch("a page without rows promises more", actual=page)
        info = page["page_info"]
        if info.get("size", len(part)) != len(part):
            raise Mismatch("page_info.size differs from the rows of the page", len(part), info)
        if info.get("offset", len(rows)) != len(rows):
            raise Mismatch("page_info.offset differs from the rows before the page", len(rows), info)
        rows += part
    if total != len(rows):
        raise Mismatch("row_count of the handle differs from the rows of its pages", total, len(rows))
    kind = "json" if page_format == "json" else page_format
    return Answer(kind, names, rows)


def page_rows(page, page_format, shape):
    if page_format == "json":
        return json_rows(page, shape)
    if page_format == "csv" and "resource_uri" not in page:
        text = next(page[key] for key in ("csv", "data", "text", "content") if isinstance(page.get(key), str))
        rows = split_csv(text)
        return rows[0], rows[1:]
    read = yield read_resource(page["resource_uri"])
    return decode(page_format, content_of(read))


def content_of(read):
    content = read["contents"][0]
    return base64.b64decode(content["blob"]) if "blob" in content else content["text"].encode()


def decode(kind, data):
    if kind == "csv":
        rows = split_csv(data.decode())
        return rows[0], rows[1:]
    return (read_parquet if kind == "parquet" else read_arrow)(data)


def is_whole(kind, data):
    if kind == "parquet":
        return data[:4] == b"PAR1" and data[-4:] == b"PAR1"
    return kind == "arrow" and data[:6] == b"ARROW1" and data[-6:] == b"ARROW1"


def file_rows(body, kind):
    """All rows of a file: of its pages where each is a file of its own, else of its parts put together."""
    uri = body["resource_uri"]
    parts = []
    for _ in range(PARTS_MAX):
        read = yield read_resource(uri)
        parts.append(content_of(read))
        meta = read["contents"][0].get("_meta", {})
        uri = next((meta[key] for key in ("next", "sluice/next") if meta.get(key)), None)
        if uri is None:
            break
    headers = {part.split(b"\n", 1)[0] for part in parts}
    is_paged = len(headers) == 1 if kind == "csv" else all(is_whole(kind, part) for part in parts)
    if not is_paged:
        parts = [b"".join(parts)]
    names, rows = None, []
    for part in parts:
        names, some = decode(kind, part)
        rows += some
    check_count(body, len(rows))
    return Answer(kind, names, rows)


def whole_answer(tool, arguments, form):
    """Asks, and reads all rows. `form` is json, columns, csv, parquet, arrow, or pages:<format of the pages>."""
    arguments = dict(arguments)
    page_arguments = {}
    if form == "columns":
        arguments["shape"] = "columns"
    elif form.startswith("pages:"):
        arguments["max_rows"] = 2
        page_format = form.partition(":")[2]
        page_arguments = {"max_rows": 3}
        if page_format == "columns":
            page_arguments["shape"] = "columns"
        elif page_format != "json":
            page_arguments["format"] = page_format
    elif form != "json":
        arguments["output_format"] = form
    body = yield call(tool, arguments)
    if body.get("method") == "direct":
        names, rows = json_rows(body, arguments.get("shape"))
        check_count(body, len(rows))
        return Answer("json", names, rows, body["page_info"]["has_more"],
                      body["page_info"].get("limited", False), is_direct=True), body
    if body.get("method") == "file":
        answer = yield from file_rows(body, form)
        return answer, body
    if body.get("method") != "handle":
        raise Mismatch("an answer of an unknown kind", actual=body)
    if not page_arguments and form == "columns":
        page_arguments = {"shape": "columns"}
    answer = yield from handle_pages(body, arguments, page_arguments)
    return answer, body


def check_ends(answer, form, limited):
    """An answer that came at once has all rows; only the caller's own limit leaves some out, and it says so."""
    if not answer.is_direct or form not in ("json", "columns"):
        return
    if answer.has_more:
        raise Mismatch("has_more", False, True)
    if answer.limited != limited and answer.names is not None:
        raise Mismatch("limited", limited, answer.limited)


COMPARE = {"json": same_json, "csv": same_csv, "parquet": same, "arrow": same}


def excerpt(table):
    return [[name for name, _ in table.columns]] + table.rows[:12]


def compare(expected, answer):
    names = [name for name, _ in expected.columns]
    if answer.names is not None and answer.names != names:
        raise Mismatch("the columns differ", names, answer.names)
    if len(expected.rows) != len(answer.rows):
        raise Mismatch(f"{len(answer.rows)} rows instead of {len(expected.rows)}", excerpt(expected),
                       [answer.names] + answer.rows[:12])
    same_cell = COMPARE[answer.kind]
    for at, (wanted, given) in enumerate(zip(expected.rows, answer.rows)):
        for (name, type_), e, a in zip(expected.columns, wanted, given):
            if not same_cell(type_, e, a):
                raise Mismatch(f"row {at}, column {name}: {e!r} expected, {to_text(a)} given", excerpt(expected),
                               [answer.names] + answer.rows[:12])


def to_text(value):
    try:
        return to_json(value)
    except TypeError:
        return repr(value)
