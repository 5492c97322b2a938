#!/usr/bin/env python3
"""unity_left_out.py ROOT: at most ten sources are compiled on their own, and each CMakeLists.txt says why."""

import re
import sys
from pathlib import Path

LEFT_OUT_MAX = 10


def left_out(path):
    """The sources that a CMakeLists.txt excludes, and the lines that do so without a comment above."""
    lines = path.read_text().splitlines()
    sources, unexplained = [], []
    for number, line in enumerate(lines):
        if "SKIP_UNITY_BUILD_INCLUSION" not in line:
            continue
        sources += re.findall(r"[\w/]+\.cc", line)
        if number == 0 or not lines[number - 1].lstrip().startswith("#"):
            unexplained.append(f"{path}:{number + 1}")
    return sources, unexplained


def main(root):
    sources, unexplained = [], []
    for path in sorted([*(root / "src").rglob("CMakeLists.txt"), *(root / "cmake").glob("*.cmake"), root / "CMakeLists.txt"]):
        found, silent = left_out(path)
        sources += found
        unexplained += silent
    if unexplained:
        sys.exit(f"say in a comment above why a source is compiled on its own: {', '.join(unexplained)}")
    if len(sources) > LEFT_OUT_MAX:
        sys.exit(f"{len(sources)} sources are compiled on their own, at most {LEFT_OUT_MAX} may be: {', '.join(sources)}")
    print(f"{len(sources)} sources are compiled on their own")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
