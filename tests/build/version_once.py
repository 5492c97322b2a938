#!/usr/bin/env python3
"""version_once.py ROOT SLUICE: the version stands in project(VERSION) alone, and the program says that one."""

import json
import re
import subprocess
import sys
from pathlib import Path

# A lock names versions of other things, some of which are equal; the change log names every version there was.
EXEMPT = re.compile(r"CHANGELOG\.md|.*\.lock|(?:.*/)?package(?:-lock)?\.json|tests/data/.*|docs/(?:DEPENDENCIES|ROADMAP)\.md")


def main(root, sluice):
    project = re.search(r"project\(sluice VERSION (\S+)", (root / "CMakeLists.txt").read_text())
    version = project.group(1)
    found = []
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    # Of the product: a test may have a server of its own, whose version is no concern of ours.
    for name in filter(None, listed.split("\0")):
        if EXEMPT.fullmatch(name) or name.startswith("tests/") or not (root / name).is_file():
            continue
        text = (root / name).read_bytes().decode(errors="replace")
        for match in re.finditer(r"(?<![\d.])" + re.escape(version) + r"(?![\d]|\.\d)", text):
            found.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}")
    problems = [place for place in found if not place.startswith("CMakeLists.txt:")]
    if len(found) != 1 or problems:
        sys.exit(f"the version {version} must stand in project(VERSION) of CMakeLists.txt alone; it is at {', '.join(found)}")
    said = subprocess.run([sluice, "version"], check=True, capture_output=True, text=True).stdout
    if said != f"sluice {version}\n":
        sys.exit(f"sluice version says {said!r} instead of {version}")
    build = json.loads(subprocess.run([sluice, "version", "--json"], check=True, capture_output=True, text=True).stdout)
    expected = {"name", "version", "commit", "engine", "compiler", "glibc_min", "portable", "protocol_revisions"}
    if set(build) != expected or build["version"] != version or not build["engine"].get("version", "").startswith("1.5."):
        sys.exit(f"sluice version --json says {build}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
