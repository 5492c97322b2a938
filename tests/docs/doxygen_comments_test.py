#!/usr/bin/env python3
"""scripts/doxygen_comments.py: which comments become documentation, and what stays as it is."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import doxygen_comments  # pylint: disable=wrong-import-position


def filtered(text):
    return "\n".join(doxygen_comments.filtered(text.split("\n")))


class Comments(unittest.TestCase):
    def test_ahead_of_a_declaration(self):
        self.assertEqual(filtered("// What it does.\nvoid f();"), "/// What it does.\nvoid f();")

    def test_behind_a_member_with_the_line_that_continues_it(self):
        self.assertEqual(filtered("  int a = 0;  // One\n              // two.\n  int b;"),
                         "  int a = 0; ///< One\n              ///< two.\n  int b;")

    def test_in_a_string_nothing_begins(self):
        self.assertEqual(filtered('f("http: // x");'), 'f("http: // x");')

    def test_commands_and_html_are_escaped_but_not_in_code(self):
        self.assertEqual(filtered("// A <b> @x \\n, `<c>`"), "/// A \\<b\\> \\@x \\\\n, `<c>`")

    def test_notes_to_the_linter_stay(self):
        self.assertEqual(filtered("  Value(int v);  // NOLINT: x"), "  Value(int v);  // NOLINT: x")


if __name__ == "__main__":
    unittest.main()
