#!/usr/bin/env python3
"""Compares the instructions that this commit needs with those of an earlier one, and fails if a case needs 2 % more.

Usage: gate.py ROOT [--base TAG] [--rounds 5]
       gate.py ROOT --programs BASE_PROGRAM PROGRAM     compares two programs that are built already

Both commits are cloned and built with the same compiler and flags. bench_in_process does each case 200 and 2,200 times
under callgrind, and the difference is what 2,000 cost. The two programs take turns, and the median of the rounds counts.
Without --base the newest tag v* is compared with; if there is none yet, there is nothing to compare, and that passes.

A commit since then that has to cost more says so in a line at the end of its message, which raises the bound once:

    Bench-Allow: rows_to_json +5% exact digits of floating point

`make bench-gate BASE=v1.2.0` is the way to call it.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

GROWTH_MAX_PERCENT = 2.0
FEW, MANY = 200, 2_200
ALLOWANCE = re.compile(r"(\S+) \+(\d+(?:\.\d+)?)% \S.*")


def fail(message):
    sys.exit(f"bench-gate: {message}")


def git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def newest_tag(root):
    return git(root, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD")


def allowances(root, base):
    """What the messages since `base` allow: percent for each case. A line that is malformed is an error."""
    allowed = {}
    lines = git(root, "log", "--format=%(trailers:key=Bench-Allow,valueonly)", f"{base}..HEAD") or ""
    for line in filter(None, lines.splitlines()):
        match = ALLOWANCE.fullmatch(line)
        if not match:
            fail(f"`Bench-Allow: {line}` is not `Bench-Allow: CASE +N% reason`")
        allowed[match[1]] = allowed.get(match[1], 0.0) + float(match[2])
    return allowed


def build(root, commit, folder):
    """The program of a commit. The folders' names are equally long, so that the paths in the programs are, too."""
    steps = [
        ["git", "clone", "--quiet", "--no-checkout", str(root), str(folder)],
        ["git", "-C", str(folder), "checkout", "--quiet", commit],
        ["ln", "-s", str(Path(root).resolve() / ".deps"), str(folder / ".deps")],
        ["cmake", "-S", str(folder), "--preset", "bench", "--log-level=WARNING"],
        ["cmake", "--build", str(folder / "build/bench"), "--target", "bench_in_process"],
    ]
    for step in steps:
        done = subprocess.run(step, cwd=folder.parent if step[0] == "git" else folder, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            print((done.stdout + done.stderr)[-3_000:], file=sys.stderr)
            fail(f"{' '.join(step)} failed for {commit}")
    return folder / "build/bench/bench/bench_in_process"


def cases_of(program):
    """None for a program that is too old to say."""
    done = subprocess.run([str(program), "list"], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def instructions(program, case, count):
    # Without address randomization and on one processor: hashes of addresses and waits for threads are part of the count.
    done = subprocess.run(["setarch", "-R", "taskset", "-c", "0", "valgrind", "--tool=callgrind",
                           "--callgrind-out-file=/dev/null", str(program), case, str(count)],
                          capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        print(done.stderr[-2_000:], file=sys.stderr)
        fail(f"{program} {case} {count} could not be counted")
    return int(collected[1])


def cost(program, case):
    return (instructions(program, case, MANY) - instructions(program, case, FEW)) / (MANY - FEW)


def compare(base, program, cases, rounds):
    """The medians of both programs for each case."""
    costs = {case: ([], []) for case in cases}
    for _ in range(rounds):
        for case in cases:
            for side, one in enumerate((base, program)):
                costs[case][side].append(cost(one, case))
    return {case: tuple(statistics.median(side) for side in sides) for case, sides in costs.items()}


def judge(costs, allowed):
    """Prints a table; whether every case is within its bound."""
    print(f"{'case':16} {'before':>12} {'now':>12} {'change':>9} {'allowed':>9}")
    good = True
    for case, (before, now) in costs.items():
        bound = GROWTH_MAX_PERCENT + allowed.get(case, 0.0)
        change = (now / before - 1) * 100
        is_worse = change > bound
        good &= not is_worse
        print(f"{case:16} {before:12,.0f} {now:12,.0f} {change:+8.2f}% {bound:+8.2f}%{'  too much' if is_worse else ''}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--base")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", nargs=2, type=Path)
    options = parser.parse_args()
    base = options.base or newest_tag(options.root)
    if base is None:
        print("bench-gate: there is no tag v* to compare with yet")
        return 0
    if git(options.root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}") is None:
        fail(f"there is no commit {base}")
    allowed = allowances(options.root, base)
    with tempfile.TemporaryDirectory(prefix="sluice_bench_gate_") as name:
        old, new = options.programs or (build(options.root, commit, Path(name) / folder)
                                        for commit, folder in ((base, "before"), ("HEAD", "after.")))
        cases, known = cases_of(new), cases_of(old)
        if not cases:
            fail(f"{new} names no cases")
        for case in sorted(set(allowed) - set(cases)):
            fail(f"`Bench-Allow: {case}` names no case; there are {', '.join(cases)}")
        shared = [case for case in cases if known is None or case in known]
        if known is None:  # From before there was a list.
            shared = [case for case in cases if case in ("read", "call")]
        for case in cases:
            if case not in shared:
                print(f"{case}: new since {base}, not compared")
        if not judge(compare(old, new, shared, options.rounds), allowed):
            print(f"bench-gate: slower than {base}. Make it as fast again, or say why it costs more:"
                  " a line `Bench-Allow: CASE +N% reason` at the end of a commit message.")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
