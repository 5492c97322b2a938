#!/usr/bin/env python3
"""Checks the code of docs/guides: each ```cpp block stands, line by line, in the file that the line above it
names.

Usage: guides.py ROOT. The files are examples, which the tests compile and run.
"""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^(?P<above>[^\n]*)\n\n```cpp\n(?P<code>.*?)\n```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^From `(?P<path>examples/[\w/.]+)`:$")


def findings(root):
    found = []
    for guide in sorted((root / "docs/guides").glob("*.md")):
        text = guide.read_text(encoding="utf-8")
        blocks = list(BLOCK.finditer(text))
        if len(blocks) != len(re.findall(r"^```cpp$", text, re.MULTILINE)):
            found.append(f"{guide.name}: a block of C++ without a line above it that says where it is from")
        for block in blocks:
            line = text.count("\n", 0, block.start("code"))
            named = NAMED.match(block["above"])
            path = root / named["path"] if named else None
            if path is None or not path.is_file():
                found.append(f"{guide.name}:{line}: the line above does not say \"From `examples/…`:\" of a file")
            elif f"\n{block['code']}\n" not in "\n" + path.read_text(encoding="utf-8"):
                found.append(f"{guide.name}:{line}: this is not in {named['path']}; copy what is there now")
    return found


def main():
    found = findings(Path(sys.argv[1]))
    print("\n".join(found) or "guides: all code is in the examples")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
