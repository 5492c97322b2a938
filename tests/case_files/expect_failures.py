"""Runs a runner over a file whose cases all have a wrong expectation, and checks that each fails with a unified diff.

Usage: expect_failures.py RUNNER FILE
"""

import re
import subprocess
import sys


def main():
    runner, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        names = re.findall(r"^case (.+)$", file.read(), re.MULTILINE)
    done = subprocess.run([runner, path], capture_output=True, text=True, timeout=100, check=False)
    problems = [] if done.returncode == 1 else [f"the runner ended with {done.returncode} instead of 1"]
    for name in names:
        # With what it printed between its beginning and its end.
        runs = re.findall(rf"\[ RUN      \] \S*\.{re.escape(name)}.*?\n(.*?)\[  (\w+)  \]", done.stdout, re.DOTALL)
        runs = runs or re.findall(rf"\[ RUN      \] \S*\.{re.escape(name)}.*?\n(.*?)\[ +(\w+) +\]", done.stdout, re.DOTALL)
        if not runs:
            problems.append(f"not run: {name}")
        for said, verdict in runs:
            if verdict != "FAILED":
                problems.append(f"passed: {name}")
            elif not re.search(r"^@@ -\d+,\d+ \+\d+,\d+ @@$", said, re.MULTILINE) or path not in said:
                problems.append(f"no diff, or not at its line: {name}\n{said}")
    print("\n".join(problems) or f"{len(names)} wrong expectations were found")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
