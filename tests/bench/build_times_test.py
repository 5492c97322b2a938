#!/usr/bin/env python3
"""Tests the verdicts of build_times.py without building anything."""

import unittest

import build_times
from build_times import Cost


class Verdicts(unittest.TestCase):
    def test_a_part_that_grew_by_more_than_a_tenth_is_missed(self):
        rows, grown, _ = build_times.table(2.0, {"program": Cost(300, 222)}, {"program": 100})
        self.assertEqual(grown, ["program"])
        self.assertIn("missed", rows[0])

    def test_a_part_within_a_tenth_is_met(self):
        rows, grown, _ = build_times.table(2.0, {"program": Cost(300, 219)}, {"program": 100})
        self.assertEqual(grown, [])
        self.assertIn("| met |", rows[0])

    def test_a_slower_machine_changes_no_verdict(self):
        _, grown, figures = build_times.table(6.0, {"program": Cost(900, 600)}, {"program": 100})
        self.assertEqual(grown, [])
        self.assertEqual(figures, {"program": 100})

    def test_a_part_without_a_figure_is_recorded_and_not_judged(self):
        rows, grown, figures = build_times.table(2.0, {"edit": Cost(20, 30)}, {"program": 100})
        self.assertEqual(grown, [])
        self.assertIn("no figure recorded", rows[0])
        self.assertEqual(figures, {"program": 100, "edit": 15})


if __name__ == "__main__":
    unittest.main()
