"""Writes random tables as the sheets of workbooks, and beside each a model of the table that is meant.

  write_sheets.py SEED COUNT FOLDER

For each number below COUNT: N.xlsx, N.ods, N.xls and N.model. A model has the names of the columns, their types in SQL, and the rows
as the engine writes them: fields end with U+001F, lines with U+001E, and a null is U+001D.
"""

import datetime
import random
import subprocess
import sys

import xlsxwriter

NAMES = ["id", "Name", "Amount €", "day", "when", "clock", "ok", "note", "two\nlines", 'say "x"', "Id", "mix"]
TEXTS = ["a", "näme", '"', "x,y", "one\ntwo", "007", "1", "true", "2024-01-31", "'", "#", "null", " "]


class Column:
    def __init__(self, rng, name):
        self.name = name
        self.kind = rng.choice(["int", "float", "text", "bool", "date", "datetime", "time", "mixed"])
        self.type = {"int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR", "bool": "BOOLEAN", "date": "DATE", "datetime": "TIMESTAMP",
                     "time": "TIME", "mixed": "VARCHAR"}[self.kind]
        self.count = 0

    def value(self, rng):
        """What is written, and what the engine shows of it."""
        self.count += 1
        kind = self.kind
        if kind == "mixed":
            # At least one of each, so that the type is certain.
            kind = ["int", "text", "date", "bool"][self.count % 4 if self.count < 5 else rng.randrange(4)]
        if kind == "int":
            number = rng.randint(-10**12, 10**12)
            return number, str(number)
        if kind == "float":
            number = rng.randint(-10**6, 10**6) / 4 + (0.25 if self.count == 1 else 0)
            number += 0.125 if self.count == 1 else 0
            return number, repr(number)
        if kind == "text":
            text = rng.choice(TEXTS)
            return text, text
        if kind == "bool":
            flag = rng.random() < 0.5
            return flag, "true" if flag else "false"
        day = datetime.datetime(1900, 3, 1) + datetime.timedelta(days=rng.randint(0, 60_000))
        if kind == "date":
            return day.date(), day.strftime("%Y-%m-%d")
        clock = datetime.timedelta(seconds=rng.randint(1, 86_399))
        if kind == "datetime":
            return day + clock, (day + clock).strftime("%Y-%m-%d %H:%M:%S")
        return (day + clock).time(), (day + clock).strftime("%H:%M:%S")


def unique(names):
    taken, out = set(), []
    for name in names:
        wanted, number = name, 0
        while name.lower() in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(name.lower())
        out.append(name)
    return out


def write(rng, path, model):
    book = xlsxwriter.Workbook(path)
    formats = {"date": book.add_format({"num_format": "yyyy-mm-dd"}), "datetime": book.add_format({"num_format": "dd/mm/yyyy hh:mm:ss"}),
               "time": book.add_format({"num_format": "hh:mm:ss"})}
    sheet = book.add_worksheet("Data")
    columns = [Column(rng, name) for name in rng.sample(NAMES, rng.randint(2, 9))]
    # A header is certain only above a column of other values.
    if all(column.type == "VARCHAR" for column in columns):
        columns[0] = Column(random.Random(1), "id")
    left = rng.choice([0, 0, 2])
    row = 0
    if rng.random() < 0.4:
        sheet.write_string(0, left, "A report of something")
        row = 2
    for place, column in enumerate(columns):
        sheet.write_string(row, left + place, column.name)
    density = rng.choice([0.5, 0.9, 1.0])
    shown_rows = []
    for _ in range(rng.choice([3, 30, 500])):
        row += rng.choice([1, 1, 1, 3])  # Some rows are empty.
        shown_row = []
        for place, column in enumerate(columns):
            if column.count > 4 and rng.random() >= density:
                shown_row.append("\x1d")
                continue
            value, shown = column.value(rng)
            shown_row.append(shown)
            if isinstance(value, bool):
                sheet.write_boolean(row, left + place, value)
            elif isinstance(value, str):
                sheet.write_string(row, left + place, value)
            elif isinstance(value, (int, float)):
                sheet.write_number(row, left + place, value)
            else:
                kind = {datetime.datetime: "datetime", datetime.date: "date", datetime.time: "time"}[type(value)]
                sheet.write_datetime(row, left + place, value, formats[kind])
        if any(field != "\x1d" for field in shown_row):
            shown_rows.append(shown_row)
    book.close()
    lines = [unique([column.name for column in columns]), [column.type for column in columns], *shown_rows]
    with open(model, "w", encoding="utf-8", newline="") as out:
        out.write("".join("".join(field + "\x1f" for field in line) + "\x1e" for line in lines))


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    for number in range(count):
        path = f"{folder}/{number}.xlsx"
        write(rng, path, f"{folder}/{number}.model")
        convert = ["ssconvert", "--export-type"]
        subprocess.run([*convert, "Gnumeric_OpenCalc:odf", path, f"{folder}/{number}.ods"], check=True, capture_output=True, timeout=60)
        subprocess.run([*convert, "Gnumeric_Excel:excel_biff8", path, f"{folder}/{number}.xls"], check=True, capture_output=True, timeout=60)


main()
