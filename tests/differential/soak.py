#!/usr/bin/env python3
"""Runs one suite after the other with random seeds until the time is over.

soak.py --sluice PROGRAM --seconds 600
"""

import argparse
import itertools
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

from suites import SUITES

RUN = Path(__file__).resolve().parent / "run.py"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    cases, failed = 0, []
    suites = [*SUITES, "records", "copies"]
    first = secrets.randbelow(len(suites))  # A short run gets to other suites each time.
    for suite in itertools.cycle(suites[first:] + suites[:first]):
        if time.monotonic() >= end:
            break
        seed = str(secrets.randbits(32))
        done = subprocess.run([sys.executable, RUN, "--sluice", options.sluice, "--suite", suite, "--seed", seed,
                               "--rounds", "1"], capture_output=True, text=True)
        summary = (done.stdout.strip().splitlines() or ["nothing was printed"])[-1]
        print(f"{suite:<10} seed {seed:<12} {summary}", flush=True)
        counted = re.match(r"(\d+) cases", summary)
        cases += int(counted.group(1)) if counted else 0
        if done.returncode != 0:
            failed.append((suite, seed))
            print(done.stdout + done.stderr, flush=True)
    print(f"{cases} cases, {len(failed)} seeds failed")
    for suite, seed in failed:
        print(f"  tests/differential/run.py --sluice {options.sluice} --suite {suite} --seed {seed} --rounds 1")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
