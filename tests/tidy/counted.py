"""Rules that old code still breaks in counted places: the counts may fall, and never rise.

The file beside this one that each rule names has a line "COUNT PATH" for every source that breaks the rule. A source
with more places is reported at the first of them, and so is one with fewer, so that the list is kept short.
"""

import re
from pathlib import PurePosixPath

FOLDER = PurePosixPath("tests/tidy")

# The list of exceptions, what is counted, the folders to which the rule does not apply, what to do instead.
RULES = [
    ("system_clock_uses", r"\bsystem_clock\(\)", {"base", "config", "wiring", "commands", "cli", "host"},
     "use of the machine's clock", "take a Clock, which the wiring passes on"),
    ("code_comparisons", r"(?:\berror\(\)|\b(?:error|cause|failure))\.code\s*[!=]=", set(),
     "comparison with the code of an error", "branch on its ErrorKind"),
]


def read_list(tree, path):
    """The counts by source, and the line of each."""
    found = {}
    if path in tree.files:
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if line and not line.startswith("#"):
                count, source = line.split(maxsplit=1)
                found[PurePosixPath(source)] = (int(count), number)
    return found


def check(tree):
    for name, pattern, exempt, what, fix in RULES:
        listed = read_list(tree, FOLDER / name)
        for path in tree.files:
            if path.suffix not in {".cc", ".h"} or path.parts[0] != "src" or path.parts[1] in exempt:
                continue
            code = tree.code(path)
            places = [code.count("\n", 0, match.start()) + 1 for match in re.finditer(pattern, code)]
            allowed, _ = listed.pop(path, (0, 0))
            if len(places) > allowed:
                tree.report(path, places[-1], f"{what} ({len(places)}, and {allowed} are listed)", fix)
            elif len(places) < allowed:
                tree.report(path, places[0] if places else 1, f"{len(places)} of: {what}, and {allowed} are listed",
                            f"lower the count in {FOLDER / name}")
        for path, (_, number) in listed.items():
            tree.report(FOLDER / name, number, f"{path} is not there", "remove the line")
