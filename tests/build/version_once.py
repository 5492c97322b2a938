#!/usr/bin/env python3
"""version_once.py ROOT SLUICE: the version stands in project(VERSION) alone, and the program says that one."""

import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from release_checks import problem_of_version  # noqa: E402


def main(root, sluice):
    project = re.search(r"project\(sluice VERSION (\S+)", (root / "CMakeLists.txt").read_text())
    version = project.group(1)
    problem = problem_of_version(version, root)
    if problem:
        sys.exit(problem)
    said = subprocess.run([sluice, "version"], check=True, capture_output=True, text=True).stdout
    if said != f"sluice {version}\n":
        sys.exit(f"sluice version says {said!r} instead of {version}")
    build = json.loads(subprocess.run([sluice, "version", "--json"], check=True, capture_output=True, text=True).stdout)
    expected = {"name", "version", "commit", "engine", "compiler", "glibc_min", "portable", "protocol_revisions"}
    if set(build) != expected or build["version"] != version or not build["engine"].get("version", "").startswith("1.5."):
        sys.exit(f"sluice version --json says {build}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
