#!/usr/bin/env python3
"""portable_floor.py TREE: every file of the tree runs with glibc 2.34, and finds its libraries in the tree or in glibc."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from package_files import GLIBC_MIN  # noqa: E402
from elf import is_elf, needed, run_paths, symbol_versions  # noqa: E402

# Repeated here on purpose: what a machine with glibc and a C++ program on it is sure to have.
OF_THE_MACHINE = {
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1", "libanl.so.1",
    "libmvec.so.1", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
DUCKDB_GLIBCXX_MAX = (3, 4, 22)


def problems_of(path, folder):
    glibc = max(symbol_versions(path, "GLIBC"), default=(0,))
    if glibc > GLIBC_MIN:
        yield f"needs GLIBC_{'.'.join(map(str, glibc))}"
    glibcxx = max(symbol_versions(path, "GLIBCXX"), default=None)
    if glibcxx and path.name != "libduckdb.so":
        yield f"needs GLIBCXX_{'.'.join(map(str, glibcxx))}, which only libduckdb.so may"
    if glibcxx and glibcxx > DUCKDB_GLIBCXX_MAX:
        yield f"needs GLIBCXX_{'.'.join(map(str, glibcxx))}"
    for name in needed(path):
        if name == "libstdc++.so.6" and path.name != "libduckdb.so":
            yield "needs libstdc++.so.6, which only libduckdb.so may"
        if name not in OF_THE_MACHINE and not (folder / name).is_file():
            yield f"needs {name}, which is neither in the tree nor of glibc"
    expected = ["$ORIGIN"] if path.name == "sluice" else []
    if run_paths(path) != expected:
        yield f"has the run paths {run_paths(path)} instead of {expected}"


def main(tree):
    files = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]
    if len(files) < 10 or not (tree / "lib/sluice/libduckdb.so") in files:
        sys.exit(f"only {len(files)} ELF files are below {tree}")
    problems = [f"{path.relative_to(tree)} {problem}" for path in files for problem in problems_of(path, tree / "lib/sluice")]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(files)} files need at most glibc {'.'.join(map(str, GLIBC_MIN))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
