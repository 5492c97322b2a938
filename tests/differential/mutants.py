#!/usr/bin/env python3
"""Proves that the differential test can fail: each patch in mutants/ breaks the program, and must be found.

mutants.py --check         whether every patch applies to the sources
mutants.py [NAME...]       applies each to a copy of the tree, builds the program, runs the suite that the patch names
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TREE = ROOT / "build/mutants/tree"
PROGRAM = TREE / "build/release/sluice"
ORIGINAL = PROGRAM.with_name("sluice-original")  # Without a mutation; it finds its libraries beside itself.
MUTANTS_MIN = 25
KNOWN_MAX = 20  # Cases that fail without a mutation.
COPIED = ["src", "cmake", "scripts", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "examples", "docs"]


def patches(names):
    found = sorted((HERE / "mutants").glob("*.patch"))
    unknown = set(names) - {path.stem for path in found}
    if unknown:
        sys.exit(f"unknown mutants: {', '.join(sorted(unknown))}")
    return [path for path in found if not names or path.stem in names]


def suite_of(patch):
    return re.search(r"^Suite: (\w+)$", patch.read_text(), re.MULTILINE).group(1)


def apply(folder, patch, *options):
    # The copy lies within a repository, in which git would look for the paths.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    return subprocess.run(["git", "apply", *options, str(patch)], cwd=folder, env=environment, capture_output=True,
                          text=True)


def check():
    all_patches = patches([])
    wrong = 0
    for patch in all_patches:
        done = apply(ROOT, patch, "--check")
        if done.returncode != 0:
            wrong += 1
            print(f"{patch.name} does not apply: {done.stderr.strip()}")
    if len(all_patches) < MUTANTS_MIN:
        wrong += 1
        print(f"{len(all_patches)} mutants; at least {MUTANTS_MIN} are needed")
    print(f"{len(all_patches)} mutants, {wrong} wrong")
    return 1 if wrong else 0


def copy_tree():
    """A copy of the sources that keeps its build between runs: files that are the same keep their time."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        source, target = ROOT / name, TREE / name
        if source.is_dir():
            mirror(source, target)
        elif source.exists() and (not target.exists() or target.read_bytes() != source.read_bytes()):
            shutil.copy2(source, target)
    link = TREE / ".deps"
    if not link.is_symlink():
        link.symlink_to((ROOT / ".deps").resolve())


def mirror(source, target):
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in [one for one in target.rglob("*") if one.is_file() and one.relative_to(target) not in wanted]:
        path.unlink()
    for name in wanted:
        to = target / name
        if not to.exists() or to.read_bytes() != (source / name).read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, to)
            shutil.copymode(source / name, to)


def build():
    if not (TREE / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING"], cwd=TREE, check=True)
    done = subprocess.run(["ninja", "-C", "build/release", "sluice"], cwd=TREE, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-3000:]


def run(program, *options):
    """The name of the first case that fails; None if all pass."""
    done = subprocess.run([sys.executable, str(HERE / "run.py"), "--sluice", str(program), "--brief", "--first",
                           *options], capture_output=True, text=True)
    failed = re.search(r"^failed: (\S+): ", done.stdout, re.MULTILINE)
    if failed:
        return failed.group(1)
    if "Traceback" in done.stderr:
        raise RuntimeError(f"run.py failed:\n{done.stderr}")
    return None


def find_difference(suite, seed):
    """A case that fails again and again with the mutated program and passes with the original one, or None."""
    known = []
    while len(known) < KNOWN_MAX:
        failed = run(PROGRAM, "--suite", suite, "--seed", seed, "--known", *known)
        if failed is None:
            return None
        if run(PROGRAM, "--replay", failed) and not run(ORIGINAL, "--replay", failed):
            return failed
        print(f"note: {failed} does not tell the mutant from the original")
        known.append(failed)
    return None


def hunt(names, seed):
    """Prints a table of the mutants and what found them. Returns 1 if one was not found."""
    copy_tree()
    wrong = build()
    if wrong:
        sys.exit(f"the program does not build:\n{wrong}")
    shutil.copy2(PROGRAM, ORIGINAL)
    wanted = patches(names)
    missed = []
    print(f"{'mutant':<28}{'suite':<10}{'seconds':>8}  found by", flush=True)
    for patch in wanted:
        begin = time.monotonic()
        suite = suite_of(patch)
        applied = apply(TREE, patch)
        wrong = applied.stderr or build()
        found = None
        try:
            found = None if wrong else find_difference(suite, seed)
        except RuntimeError as error:
            wrong = str(error)
        apply(TREE, patch, "--reverse")
        if found is None:
            missed.append(patch.stem)
        verdict = f"unusable: {wrong}" if wrong else found or "MISSED"
        print(f"{patch.stem:<28}{suite:<10}{time.monotonic() - begin:>8.0f}  {verdict}", flush=True)
    not_found = f"; not found: {', '.join(missed)}" if missed else ""
    print(f"{len(wanted)} mutants, {len(wanted) - len(missed)} found{not_found}")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seed", default="1")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    return check() if options.check else hunt(options.names, options.seed)


if __name__ == "__main__":
    sys.exit(main())
