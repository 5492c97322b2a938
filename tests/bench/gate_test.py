#!/usr/bin/env python3
"""gate.py catches 3 % more work and passes the same program, over a repository made for it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        for name, settings in (("before", ["-DWORK=1000"]), ("slower", ["-DWORK=1030"]), ("little", ["-DWORK=1015"]),
                               ("one_case", ["-DONE_CASE"])):
            subprocess.run(["c++", "-O1", *settings, str(HERE / "gate_sample.cc"), "-o", str(cls.root / name)], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.repository = Path(tempfile.mkdtemp(dir=self.root))
        self.git("init", "--quiet")
        self.commit("Begin")

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.repository), "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                       check=True, capture_output=True)

    def commit(self, message):
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def gate(self, *arguments):
        done = subprocess.run([sys.executable, str(HERE / "gate.py"), str(self.repository), *arguments],
                              capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, done.stdout + done.stderr

    def compare(self, program, base="before"):
        return self.gate("--rounds", "1", "--programs", str(self.root / base), str(self.root / program))

    def test_three_percent_more_work_fails(self):
        self.git("tag", "v1.0.0")
        status, said = self.compare("slower")
        self.assertEqual(status, 1, said)
        self.assertRegex(said, r"loop .*\+[23]\.\d+%.*too much")
        self.assertNotRegex(said, r"other .*too much")

    def test_the_same_program_passes_every_time(self):
        self.git("tag", "v1.0.0")
        for _ in range(10):
            status, said = self.compare("one_case", base="one_case")
            self.assertEqual(status, 0, said)

    def test_less_than_two_percent_passes(self):
        self.git("tag", "v1.0.0")
        self.assertEqual(self.compare("little")[0], 0)

    def test_a_line_in_a_message_raises_the_bound_of_its_case(self):
        self.git("tag", "v1.0.0")
        self.commit("Do more\n\nIt is worth it.\n\nBench-Allow: loop +2% more digits")
        self.assertEqual(self.compare("slower")[0], 0)
        self.git("tag", "v1.1.0")  # Once: the next version begins anew.
        self.assertEqual(self.compare("slower")[0], 1)

    def test_an_allowance_for_another_case_does_not_help(self):
        self.git("tag", "v1.0.0")
        self.commit("Do more\n\nWhy.\n\nBench-Allow: other +5% more digits")
        self.assertEqual(self.compare("slower")[0], 1)

    def test_a_malformed_or_unknown_allowance_fails(self):
        self.git("tag", "v1.0.0")
        self.commit("Do more\n\nWhy.\n\nBench-Allow: loop 2% more digits")
        self.assertIn("is not `Bench-Allow: CASE +N% reason`", self.compare("before")[1])
        self.git("tag", "v1.1.0")
        self.commit("Do more\n\nWhy.\n\nBench-Allow: lop +2% more digits")
        self.assertIn("names no case", self.compare("before")[1])

    def test_without_a_tag_it_says_so_and_passes(self):
        status, said = self.gate()
        self.assertEqual((status, said), (0, "bench-gate: there is no tag v* to compare with yet\n"))

    def test_a_base_that_does_not_exist_fails(self):
        status, said = self.gate("--base", "v9.9.9")
        self.assertEqual(status, 1)
        self.assertIn("there is no commit v9.9.9", said)


if __name__ == "__main__":
    unittest.main()
