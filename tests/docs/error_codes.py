"""Every code that the sources give to an error is listed in docs/ERRORS.md, and nothing else is.

error_codes.py ROOT
"""

import pathlib
import re
import sys

CODES = re.compile(r'with_code\(\s*"([a-z_]+)"\)|ErrorKind::k\w+,\s*"([a-z_]+)"')
NAMED = re.compile(r"with_code\(\s*(?:\w+::)*(k\w+)\)")
CONSTANTS = re.compile(r'string_view (k\w+) = "([a-z_]+)"')
KINDS = re.compile(r'return "([a-z_]+)";')


def main():
    root = pathlib.Path(sys.argv[1])
    used = set(KINDS.findall((root / "src/base/error.cc").read_text(encoding="utf-8")))
    named = set()
    constants = {}
    for path in [*(root / "src").rglob("*.cc"), *(root / "src").rglob("*.h")]:
        text = path.read_text(encoding="utf-8")
        used.update(match[1] or match[2] for match in CODES.finditer(text))
        named.update(NAMED.findall(text))
        constants.update(CONSTANTS.findall(text))
    used.update(constants[name] for name in named)
    listed = set(re.findall(r"^\| `([a-z_]+)` \|", (root / "docs/ERRORS.md").read_text(encoding="utf-8"), re.MULTILINE))
    problems = [f"not in docs/ERRORS.md: {code}" for code in sorted(used - listed)]
    problems += [f"in docs/ERRORS.md, and nowhere in src: {code}" for code in sorted(listed - used)]
    if problems:
        sys.exit("\n".join(problems))


main()
