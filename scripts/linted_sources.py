#!/usr/bin/env python3
"""Of the file names on standard input, prints those that build/tidy compiles, in the same order and each once."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    commands = json.loads((ROOT / "build/tidy/compile_commands.json").read_text())
    known = {entry["file"] for entry in commands}
    for name in dict.fromkeys(line.strip() for line in sys.stdin):
        if name and str(ROOT / name) in known:
            print(name)


if __name__ == "__main__":
    main()
