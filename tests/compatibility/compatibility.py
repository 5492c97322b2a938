#!/usr/bin/env python3
"""Compares the tools, the configuration and the SDK with those of the last release.

compatibility.py ROOT SLUICE [--record]     --record writes the baseline of a new release

What is gone or has changed must be named in CHANGELOG.md, in the section [Unreleased] under the heading "### Breaking":
in backticks `tool`, `tool.argument`, `key` or `sluice/module/header.h`. Additions need nothing.
"""

import json
import pathlib
import re
import sys

from surface import additions, breaks, surface

BASELINE = pathlib.Path("tests/compatibility/data/baseline.json")


def declared(changelog):
    """The names in backticks under the heading for breaking changes of the section that is not released."""
    section = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    heading = section and re.search(r"^### Breaking\n(.*?)(?=^### |\Z)", section[1], re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([^`]+)`", heading[1])) if heading else set()


def undeclared(found, names):
    return [(subject, what) for subject, what in found if subject not in names]


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    now = surface(root, program)
    path = root / BASELINE
    if "--record" in sys.argv:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    found = breaks(before, now)
    missing = undeclared(found, declared((root / "CHANGELOG.md").read_text(encoding="utf-8")))
    print(f"{len(found)} breaking changes since the baseline, {additions(before, now)} other changes")
    if missing:
        lines = [f"  {subject}: {what}" for subject, what in missing]
        sys.exit("\n".join(["These break what others have built, and CHANGELOG.md does not say so under ### Breaking:", *lines,
                            "Keep what was there, or declare it (docs/COMPATIBILITY.md). As long as nothing has been released,",
                            "tests/compatibility/compatibility.py ROOT SLUICE --record makes today's state the baseline."]))


if __name__ == "__main__":
    main()
