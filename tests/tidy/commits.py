#!/usr/bin/env python3
"""Checks the messages of all commits after the one that tests/tidy/commits_from names.

Usage: commits.py [ROOT]. Prints each breach and exits with 1 if there is any. In a tree without git, such as an
unpacked source archive, there are no messages to check.
"""

import re
import subprocess
import sys
from pathlib import Path

SUBJECT_MAX = 72
# Verbs in other forms than the imperative, as far as an ending tells.
NOT_IMPERATIVE = re.compile(r"^(?:\w+(?:ed|ing)|\w+[^s]s)$")
IMPERATIVE_ALL_THE_SAME = {"Embed", "Exceed", "Feed", "Need", "Proceed", "Seed", "Speed", "Shed", "Bring", "Ping", "Ring",
                           "String", "Swing", "Focus", "Canvas", "Bias"}


def breaches(message):
    """What is wrong with one message, as a list of sentences."""
    lines = message.rstrip("\n").split("\n")
    subject, out = lines[0], []
    first = subject.split(" ")[0]
    if len(subject) > SUBJECT_MAX:
        out.append(f"the subject has {len(subject)} characters, and {SUBJECT_MAX} are the limit")
    if not subject[:1].isupper() or subject.endswith("."):
        out.append("the subject is a sentence that begins with a capital letter and has no full stop")
    if re.match(r"^(?:fixup|squash|amend)!|^\w+(?:\([^)]*\))?: ", subject):
        out.append("the subject has a prefix; write a sentence in the imperative")
    elif NOT_IMPERATIVE.match(first) and first not in IMPERATIVE_ALL_THE_SAME:
        out.append(f"'{first}' is no imperative")
    if len(lines) > 1 and lines[1] != "":
        out.append("the second line is not empty")
    if not any(line.strip() for line in lines[2:]):
        out.append("the body is missing; say why")
    return out


def git(root, *arguments):
    return subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True).stdout


def commits_after(root, start):
    if git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        return ["HEAD"]  # The others are not here, and a shallow clone is nothing wrong.
    return git(root, "rev-list", "--no-merges", f"{start}..HEAD").split()


def findings(root, start):
    out = []
    for commit in commits_after(root, start):
        message = git(root, "show", "--no-patch", "--format=%B", commit)
        out += [f"{commit[:12]} {message.split(chr(10))[0]!r}: {breach}" for breach in breaches(message)]
    return out


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    if not (root / ".git").exists():
        print("commits: no git repository")
        return 0
    start = (root / "tests/tidy/commits_from").read_text().split()[0]
    found = findings(root, start)
    print("\n".join(found + [f"commits: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
