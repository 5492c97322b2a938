#!/usr/bin/env python3
"""Reports which share of each module's lines the tests run, and fails if a module is below its floor.

Usage: coverage.py ROOT BUILD [--record] [--modules base,json]

BUILD is a folder of the preset `coverage` in which the tests have run. floors.json has the floor of each module that has
been measured, in percent of lines: what was measured, less one point, and never below 80. A module that is not in it has
to reach 80. --record writes the floors of this run; a module that has become worse than 80 keeps failing. --modules
restricts the report to some modules, for those that run their tests alone. `make coverage` is the way to call it.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FLOOR_MIN = 80.0
SLACK = 1.0


class Lines(NamedTuple):
    covered: int
    total: int

    def percent(self):
        return 100.0 * self.covered / self.total


def module_folders(root):
    """The folders of modules, deepest first: src/providers/git is not a part of another one."""
    found = {}
    for path in root.glob("src/**/CMakeLists.txt"):
        named = re.search(r"\bsluice_module\(\s*NAME\s+(\w+)", path.read_text(encoding="utf-8"))
        if named:
            found[path.parent.relative_to(root).as_posix()] = named[1]
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


def by_module(files, folders):
    """Adds up the lines of (path, covered, total) for each module. Files of no module count for nobody."""
    sums = {}
    for path, covered, total in files:
        module = next((name for folder, name in folders.items() if path.startswith(folder + "/")), None)
        if module and total:
            before = sums.get(module, Lines(0, 0))
            sums[module] = Lines(before.covered + covered, before.total + total)
    return sums


def measured(root, build):
    """(path, covered lines, lines) of each source, as gcovr adds them up over all programs."""
    command = ["gcovr", "--root", str(root), "--filter", "src/", "--object-directory", str(build), "--json-summary",
               "--exclude-unreachable-branches", "--exclude-throw-branches", str(build)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"coverage: gcovr failed: {done.stderr[-2_000:]}")
    return [(one["filename"], one["line_covered"], one["line_total"]) for one in json.loads(done.stdout)["files"]]


def floor_of(lines):
    return max(FLOOR_MIN, math.floor((lines.percent() - SLACK) * 10) / 10)


def judge(sums, floors):
    """A table, and the modules that are below their floors."""
    rows, below = [], []
    for module, lines in sorted(sums.items(), key=lambda one: one[1].percent()):
        floor = floors.get(module, FLOOR_MIN)
        is_below = lines.percent() < floor
        below += [module] if is_below else []
        rows.append(f"{module:16} {lines.covered:7} of {lines.total:7} {lines.percent():6.1f} %  floor {floor:5.1f} %"
                    + ("  below" if is_below else ""))
    return rows, below


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--modules")
    options = parser.parse_args()
    root = options.root.resolve()
    path = root / "tests/coverage/floors.json"
    floors = json.loads(path.read_text(encoding="utf-8"))
    folders = module_folders(root)
    for module in sorted(set(floors) - set(folders.values())):
        sys.exit(f"coverage: {path.relative_to(root)} has a floor for {module}, which is no module")
    sums = by_module(measured(root, options.build.resolve()), folders)
    if options.modules:
        sums = {module: sums[module] for module in options.modules.split(",") if module in sums}
    if not sums:
        sys.exit("coverage: nothing was measured; run the tests of the preset coverage first")
    if options.record:
        floors.update({module: floor_of(lines) for module, lines in sums.items()})
        path.write_text(json.dumps(dict(sorted(floors.items())), indent=2) + "\n", encoding="utf-8")
    rows, below = judge(sums, floors)
    print("\n".join(rows))
    if below:
        print(f"coverage: below the floor: {', '.join(below)}. Add tests for what is new.")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
