#!/usr/bin/env python3
"""The test's own reader of Parquet reads what its own writer writes; without that, answers could not be judged."""

import datetime
import math
import random
import unittest

from answers import split_csv
from generate import PARQUET_TYPES, value_of
from parquet_reader import read_parquet
from parquet_writer import parquet_bytes
from snappy import decompress
from values import FLOAT32, FLOAT64, INT64, TEXT, TIMESTAMP, Type, same, same_json, shown_text


class Formats(unittest.TestCase):
    def test_parquet_is_read_as_it_was_written(self):
        rng = random.Random(1)
        columns = [(f"c{at}", type_) for at, type_ in enumerate(PARQUET_TYPES)]
        rows = [[None if rng.random() < 0.2 else value_of(rng, type_) for _, type_ in columns] for _ in range(50)]
        for group_rows in (1, 7, 100):
            for with_dictionary in (False, True):
                names, found = read_parquet(parquet_bytes(columns, rows, group_rows, with_dictionary))
                self.assertEqual(names, [name for name, _ in columns])
                self.assertEqual(len(found), len(rows))
                for wanted, given in zip(rows, found):
                    for (name, type_), expected, actual in zip(columns, wanted, given):
                        self.assertTrue(same(type_, expected, actual), (name, expected, actual))

    def test_lists_of_structs_keep_their_nulls(self):
        type_ = Type("list", item=Type("struct", fields=(("x", INT64), ("y", TEXT))))
        rows = [[None], [[]], [[None]], [[{"x": 1, "y": None}, {"x": None, "y": ""}]]]
        self.assertEqual(read_parquet(parquet_bytes([("a", type_)], rows))[1], rows)

    def test_snappy_copies_may_overlap(self):
        self.assertEqual(decompress(bytes([6, 0x00, ord("a"), 0x05, 0x01])), b"aaaaaa")

    def test_csv_tells_empty_text_from_null(self):
        self.assertEqual(split_csv('a,b\n"",\n"x\n""y""",1\n'), [["a", "b"], ["", None], ['x\n"y"', "1"]])

    def test_values_that_differ_are_told_apart(self):
        self.assertFalse(same_json(INT64, 2**60, 2**60))  # A bare number of so many digits is lost in most readers.
        self.assertTrue(same_json(INT64, 2**60, str(2**60)))
        self.assertFalse(same_json(FLOAT64, 0.1, 0.2))
        self.assertTrue(same_json(FLOAT64, math.nan, "NaN"))
        self.assertFalse(same_json(FLOAT32, None, 0))
        moment = datetime.datetime(2024, 1, 2, 3, 4, 5, 600_000)
        self.assertEqual(shown_text(TIMESTAMP, moment), "2024-01-02T03:04:05.6")


if __name__ == "__main__":
    unittest.main()
