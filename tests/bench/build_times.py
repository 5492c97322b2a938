#!/usr/bin/env python3
"""Measures how long this commit takes to build: in a clean clone, without a compiler cache.

Usage: build_times.py ROOT [--parts program,tests,edit] [--record]

  program  `make build` from nothing: what `make demo` waits for
  tests    `make build-tests` on top of that
  edit     one source changed: its test program built and run

Prints a table with the elapsed time, the processor time, and the processor time in units of one compilation of
build_calibration.cc, taken five times in the same run. The last column is what is compared with build_times.json, because
it depends on neither the load nor the speed of the machine. More than 10 % above the recorded figure fails.
--record writes the figures of this run. `make bench-build` is the way to call it.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
PARTS = ["program", "tests", "edit"]
EDITED = "src/query/estimate.cc"
EDITED_TEST = "query_test"
ELAPSED_MAX_S = {"program": 285, "tests": 900, "edit": 30}  # On two idle cores.
GROWTH_MAX = 1.10


class Cost(NamedTuple):
    elapsed_s: float
    processor_s: float


def run(command, folder, log):
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        log.flush()
        print(Path(log.name).read_text(encoding="utf-8", errors="replace")[-3000:], file=sys.stderr)
        sys.exit(f"build_times: {' '.join(command)} failed with status {done.returncode}")
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(time.monotonic() - started, processor)


def calibrate(folder, log):
    command = ["c++", "-std=c++20", "-O2", "-c", str(HERE / "build_calibration.cc"), "-o", str(folder / "calibration.o")]
    run(command, folder, log)  # The first one also reads the headers from the disk.
    return statistics.median(run(command, folder, log).processor_s for _ in range(5))


def build_program(clone, log):
    return run(["make", "build"], clone, log)


def build_tests(clone, log):
    return run(["make", "build-tests"], clone, log)


def edit(clone, log):
    source = clone / EDITED
    source.write_text(source.read_text(encoding="utf-8") + "\n// Changed.\n", encoding="utf-8")
    return run(["sh", "-c", f"cmake --build --preset test --target {EDITED_TEST} && "
                            f"build/release/tests/{EDITED_TEST} --gtest_filter='*Estimation*'"], clone, log)


def measure(root, parts, folder):
    clone = folder / "sluice"
    with open(folder / "log", "w", encoding="utf-8") as log:
        run(["git", "clone", "--quiet", "--no-hardlinks", str(root), str(clone)], folder, log)
        (clone / ".deps").symlink_to(root / ".deps")  # Downloads are the network's time, not the compiler's.
        unit = calibrate(folder, log)
        steps = {"program": build_program, "tests": build_tests, "edit": edit}
        costs = {}
        for name in PARTS:
            if name in parts or (name == "tests" and "edit" in parts):
                costs[name] = steps[name](clone, log)
                print(f"build_times: {name} took {costs[name].elapsed_s:.0f} s", file=sys.stderr)
    return unit, costs


def table(unit, costs, recorded):
    """The rows of the table, the names of the parts that have grown, and the figures to record."""
    rows, grown, figures = [], [], dict(recorded)
    for name, cost in costs.items():
        units = cost.processor_s / unit
        before = recorded.get(name)
        has_grown = before is not None and units > before * GROWTH_MAX
        verdict = "no figure recorded" if before is None else "missed" if has_grown else "met"
        rows.append(f"| {name} | {cost.elapsed_s:.0f} | {ELAPSED_MAX_S[name]} | {cost.processor_s:.0f} | {units:.0f} | "
                    f"{'' if before is None else before} | {verdict} |")
        grown += [name] if has_grown else []
        figures[name] = round(units)
    return rows, grown, figures


def main():
    arguments = argparse.ArgumentParser(description="Measures how long this commit takes to build.")
    arguments.add_argument("root", type=Path)
    arguments.add_argument("--parts", default=",".join(PARTS), help="which of " + ", ".join(PARTS))
    arguments.add_argument("--record", action="store_true", help="write the figures that later runs are compared with")
    options = arguments.parse_args()
    parts = options.parts.split(",")
    for name in parts:
        if name not in PARTS:
            sys.exit(f"build_times: there is no part '{name}'; the parts are {', '.join(PARTS)}")

    recorded_path = HERE / "build_times.json"
    recorded = json.loads(recorded_path.read_text(encoding="utf-8")) if recorded_path.exists() else {}
    with tempfile.TemporaryDirectory(prefix="sluice-build-") as folder:
        unit, costs = measure(options.root.resolve(), parts, Path(folder))

    print(f"One unit: {unit:.2f} s of processor time. Load of the machine: {os.getloadavg()[0]:.1f}. Cores: {os.cpu_count()}.")
    print("| Part | elapsed, s | aim, two idle cores, s | processor, s | units | recorded | verdict |")
    print("| --- | --: | --: | --: | --: | --: | --- |")
    rows, grown, figures = table(unit, costs, recorded)
    print("\n".join(rows))
    if options.record:
        recorded_path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    elif grown:
        sys.exit(f"build_times: more than 10 % above the recorded figure: {', '.join(grown)}")


if __name__ == "__main__":
    main()
