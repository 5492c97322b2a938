"""Writes tables as CSV, TSV, JSON and NDJSON, in the many ways in which people write them."""

import gzip
import json
import math

from values import shown_text

ENDINGS = {"csv": "csv", "tsv": "tsv", "json": "json", "ndjson": "ndjson", "csv.gz": "csv.gz",
           "ndjson.gz": "ndjson.gz"}


def csv_cell(column, value, style):
    """The text of a cell; None for a null."""
    if value is None:
        return None
    type_ = column.type
    if column.pattern:  # Dates in the order of a country.
        return value.strftime(column.pattern)
    if type_.kind == "timestamp":
        return shown_text(type_, value).replace("T", style["between"])
    if type_.kind == "float" and math.isfinite(value):
        return repr(value)
    return shown_text(type_, value)


def quote(text, style):
    must = text == "" or any(c in text for c in (style["separator"], '"', "\n", "\r")) or text != text.strip()
    if must or style["quote_all"]:
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_bytes(plan, rows, style):
    end = style["line_end"]
    lines = [style["separator"].join(quote(column.name, style) for column in plan)]
    for row in rows:
        cells = (csv_cell(column, value, style) for column, value in zip(plan, row))
        lines.append(style["separator"].join("" if cell is None else quote(cell, style) for cell in cells))
    text = end.join(lines) + (end if style["final_end"] else "")
    return (b"\xef\xbb\xbf" if style["mark"] else b"") + text.encode()


def json_cell(column, value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, list):
        return [json_cell(column, one) for one in value]
    if isinstance(value, dict):
        return {name: json_cell(column, one) for name, one in value.items()}
    return shown_text(column.type, value)


def json_bytes(plan, rows, style, lines):
    records = []
    for at, row in enumerate(rows):
        record = {}
        for column, value in zip(plan, row):
            # A missing key is a null, except in the first record, which names all columns in their order.
            if value is None and at > 0 and style["omit_nulls"]:
                continue
            record[column.name] = json_cell(column, value)
        records.append(json.dumps(record, ensure_ascii=style["ascii"]))
    if lines:
        text = "".join(record + "\n" for record in records)
    else:
        text = "[" + (",\n" if style["pretty"] else ",").join(records) + "]"
    return (b"\xef\xbb\xbf" if style["mark"] else b"") + text.encode()


def random_style(rng, source):
    is_csv = source.startswith(("csv", "tsv"))
    separator = "\t" if source == "tsv" else rng.choice([",", ",", ",", ";", "|"])
    return {"separator": separator, "line_end": rng.choice(["\n", "\n", "\r\n"]), "quote_all": rng.random() < 0.1,
            "mark": not source.endswith(".gz") and is_csv and rng.random() < 0.15, "final_end": rng.random() < 0.8,
            "between": rng.choice(["T", " "]), "omit_nulls": rng.random() < 0.5, "ascii": rng.random() < 0.3,
            "pretty": rng.random() < 0.5}


def write(path, source, plan, rows, style):
    if source.startswith(("csv", "tsv")):
        data = csv_bytes(plan, rows, style)
    else:
        data = json_bytes(plan, rows, style, source.startswith("ndjson"))
    if source.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with open(path, "wb") as out:
        out.write(data)
