#!/usr/bin/env python3
"""coverage.py: lines are added up for each module, and a module below its floor is found."""

import tempfile
import unittest
from pathlib import Path

import coverage
from coverage import Lines

FOLDERS = {"src/providers/git": "git", "src/base": "base"}


class Coverage(unittest.TestCase):
    def test_lines_are_added_up_for_each_module(self):
        files = [("src/base/a.cc", 8, 10), ("src/base/include/sluice/base/b.h", 1, 10), ("src/providers/git/c.cc", 5, 5),
                 ("src/elsewhere/d.cc", 1, 100), ("src/base/empty.h", 0, 0), ("src/baseball/e.cc", 1, 1)]
        self.assertEqual(coverage.by_module(files, FOLDERS), {"base": Lines(9, 20), "git": Lines(5, 5)})

    def test_a_module_below_its_floor_is_found(self):
        rows, below = coverage.judge({"base": Lines(899, 1_000), "git": Lines(901, 1_000)}, {"base": 90.0, "git": 90.0})
        self.assertEqual(below, ["base"])
        self.assertTrue(rows[0].startswith("base") and rows[0].endswith("below"), rows)

    def test_a_module_without_a_floor_has_to_reach_eighty(self):
        self.assertEqual(coverage.judge({"new": Lines(79, 100)}, {})[1], ["new"])
        self.assertEqual(coverage.judge({"new": Lines(80, 100)}, {})[1], [])

    def test_the_floor_is_a_point_below_and_never_below_eighty(self):
        self.assertEqual(coverage.floor_of(Lines(9_567, 10_000)), 94.6)
        self.assertEqual(coverage.floor_of(Lines(70, 100)), 80.0)

    def test_modules_are_found_by_their_declarations(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"src/base": "sluice_module(NAME base LAYER 0)", "src": "add_subdirectory(base)",
                               "src/providers/git": "sluice_module(\n  NAME git LAYER 6)"}.items():
                path = Path(folder, name, "CMakeLists.txt")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            self.assertEqual(coverage.module_folders(Path(folder)), FOLDERS)


if __name__ == "__main__":
    unittest.main()
