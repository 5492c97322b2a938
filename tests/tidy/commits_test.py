#!/usr/bin/env python3
"""Tests of commits.py: which messages it refuses, and which commits of a repository it looks at."""

import subprocess
import tempfile
import unittest

import commits

BODY = "\n\nThe reason."


class CommitsTest(unittest.TestCase):
    def expect(self, message, *parts):
        found = commits.breaches(message)
        self.assertEqual(len(found), len(parts), found)
        for part, one in zip(parts, found):
            self.assertIn(part, one)

    def test_accepts_a_sentence_in_the_imperative_with_a_reason(self):
        for subject in ("Refuse a frame that is larger than the limit", "Process lists first", "Feed rows to the writer"):
            self.expect(subject + BODY)

    def test_refuses_what_is_no_such_sentence(self):
        self.expect("R" + "x" * 72 + BODY, "73 characters")
        self.expect("refuse a frame" + BODY, "capital letter")
        self.expect("Refuse a frame." + BODY, "full stop")
        self.expect("Refused a frame" + BODY, "no imperative")
        self.expect("Refusing a frame" + BODY, "no imperative")
        self.expect("Refuses a frame" + BODY, "no imperative")
        self.expect("Docs: describe frames" + BODY, "prefix")
        self.expect("fixup! Refuse a frame" + BODY, "capital letter", "prefix")

    def test_refuses_a_message_without_a_reason(self):
        self.expect("Refuse a frame", "body is missing")
        self.expect("Refuse a frame\n\n \n", "body is missing")
        self.expect("Refuse a frame\nThe reason.", "second line", "body is missing")

    def test_looks_at_the_commits_behind_the_recorded_one_only(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*arguments):
                return subprocess.run(
                    ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
                    check=True, capture_output=True, text=True).stdout.strip()

            git("init", "--quiet")
            git("commit", "--quiet", "--allow-empty", "--message", "older: anything")
            start = git("rev-parse", "HEAD")
            git("commit", "--quiet", "--allow-empty", "--message", "Refuse a frame" + BODY)
            self.assertEqual(commits.findings(folder, start), [])
            git("commit", "--quiet", "--allow-empty", "--message", "newer: anything")
            self.assertEqual(len(commits.findings(folder, start)), 3)

    def test_looks_at_the_newest_commit_of_a_shallow_clone(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, shallow = f"{folder}/whole", f"{folder}/shallow"
            subprocess.run(["git", "init", "--quiet", whole], check=True)
            for message in ("older: anything", "newer: anything"):
                subprocess.run(["git", "-C", whole, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit",
                                "--quiet", "--allow-empty", "--message", message], check=True)
            subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{whole}", shallow], check=True)
            self.assertEqual(len(commits.findings(shallow, "0" * 40)), 3)


if __name__ == "__main__":
    unittest.main()
