"""Writes random workbooks and, beside each, a model of what its cells hold.

  write_books.py SEED COUNT FOLDER

For each number below COUNT: N.xlsx, by one of two writers, N.ods and N.xls, which Gnumeric converts from it, and N.model. A line of
the model is `sheet NAME`, or `row TAB column TAB kind TAB value` of a cell that is not empty, in the order of rows and columns.
"""

import datetime
import random
import struct
import subprocess
import sys

import openpyxl
import xlsxwriter

TEXTS = ["", "a", "näme", "日本語", "😀 x", 'say "hi"', "two\nlines", "  spaces  inside  ", "<&>'", "007", "1.5", "true", "2024-01-31"]
EPOCH = datetime.datetime(1970, 1, 1)


def double(value):
    return struct.pack(">d", float(value)).hex()


def micros(delta):
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


class Cell:
    """A value, how the model tells it, and the number format that it needs."""

    def __init__(self, kind, value, told, number_format=None):
        self.kind, self.value, self.told, self.number_format = kind, value, told, number_format


def random_cell(rng):
    kind = rng.choice("NNNNITTTBDMCL")
    if kind in "NI":
        number = rng.choice([rng.randint(-10, 10), rng.random(), rng.uniform(-1e6, 1e6), round(rng.random() * 100, 2), 1e300, -1e-300, 2**53,
                             123456789.0, 0.1 + 0.2])
        number = float(f"{number:.15g}")  # One of the writers keeps no more digits.
        shown = rng.choice([None, "0.00", "#,##0", '0.0 "days"', "0%", "[Red]0.0"])
        return Cell("N", number, double(number), shown)
    if kind == "T":
        text = rng.choice(TEXTS[1:]) + rng.choice(["", "", str(rng.randint(0, 99))])
        return Cell("T", text, text)
    if kind == "B":
        flag = rng.random() < 0.5
        return Cell("B", flag, "1" if flag else "0")
    day = datetime.datetime(1900, 3, 1) + datetime.timedelta(days=rng.randint(0, 80_000))
    if kind == "D":
        return Cell("D", day, str(micros(day - EPOCH)), rng.choice(["yyyy-mm-dd", "dd/mm/yyyy", "d mmm yy"]))
    clock = datetime.timedelta(seconds=rng.randint(1, 86_399))
    if kind == "M":
        moment = day + clock
        return Cell("M", moment, str(micros(moment - EPOCH)), rng.choice(["yyyy-mm-dd hh:mm:ss", "d/m/yy h:mm"]))
    if kind == "C":
        return Cell("C", clock / datetime.timedelta(days=1), str(micros(clock)), rng.choice(["hh:mm:ss", "h:mm AM/PM"]))
    length = datetime.timedelta(seconds=rng.randint(90_000, 10_000_000))
    return Cell("L", length / datetime.timedelta(days=1), str(micros(length)), "[h]:mm:ss")


def random_sheet(rng):
    cells = {}
    rows, columns = rng.choice([(1, 1), (5, 3), (40, 12), (3, 250), (400, 4)])
    density = rng.choice([0.1, 0.6, 1.0])
    for row in range(rows):
        previous = None
        for column in range(columns):
            if rng.random() < density:
                # Runs of the same value, which some formats write once.
                if previous is None or rng.random() < 0.7:
                    previous = random_cell(rng)
                cells[row, column] = previous
    if rng.random() < 0.3:
        for row in range(rows, rows + 5):
            for column in range(3):
                cells[row, column] = Cell("N", 7, double(7))
    cells[rng.randint(0, 5000), rng.randint(0, 255)] = Cell("T", "far", "far")
    return cells


def write_openpyxl(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets:
        sheet = book.create_sheet(name)
        for (row, column), cell in cells.items():
            placed = sheet.cell(row + 1, column + 1)
            if cell.kind == "T":
                placed.value = cell.value
                placed.data_type = "s"
            elif cell.kind in "DM":
                placed.value = (cell.value - datetime.datetime(1899, 12, 30)) / datetime.timedelta(days=1)
            else:
                placed.value = cell.value
            if cell.number_format:
                placed.number_format = cell.number_format
    book.save(path)


def write_xlsxwriter(path, sheets, rng):
    options = {"constant_memory": True} if rng.random() < 0.5 else {}
    book = xlsxwriter.Workbook(path, options)
    formats = {}
    for name, cells in sheets:
        sheet = book.add_worksheet(name)
        for (row, column), cell in sorted(cells.items(), key=lambda each: each[0]):
            shown = None
            if cell.number_format:
                shown = formats.setdefault(cell.number_format, book.add_format({"num_format": cell.number_format}))
            if cell.kind == "T":
                sheet.write_string(row, column, cell.value, shown)
            elif cell.kind == "B":
                sheet.write_boolean(row, column, cell.value, shown)
            elif cell.kind in "DM":
                sheet.write_datetime(row, column, cell.value, shown)
            else:
                sheet.write_number(row, column, cell.value, shown)
    book.close()


def escaped(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def write_model(path, sheets):
    with open(path, "w", encoding="utf-8") as out:
        for name, cells in sheets:
            out.write(f"sheet {name}\n")
            for (row, column), cell in sorted(cells.items(), key=lambda each: each[0]):
                out.write(f"{row}\t{column}\t{cell.kind}\t{escaped(cell.told)}\n")


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    for number in range(count):
        names = rng.sample(["Sheet1", "Sales 2024", "a_b", "Ü & <x>", "q'uote", "表"], rng.randint(1, 3))
        sheets = [(name, random_sheet(rng)) for name in names]
        path = f"{folder}/{number}.xlsx"
        if rng.random() < 0.5:
            write_openpyxl(path, sheets)
        else:
            write_xlsxwriter(path, sheets, rng)
        write_model(f"{folder}/{number}.model", sheets)
        convert = ["ssconvert", "--export-type"]
        subprocess.run([*convert, "Gnumeric_OpenCalc:odf", path, f"{folder}/{number}.ods"], check=True, capture_output=True, timeout=60)
        subprocess.run([*convert, "Gnumeric_Excel:excel_biff8", path, f"{folder}/{number}.xls"], check=True, capture_output=True, timeout=60)


main()
