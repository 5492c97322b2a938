"""The list of threads in docs/ARCHITECTURE.md has every background thread of the program by its name, and no other."""

import re
from pathlib import PurePosixPath

DOCUMENT = PurePosixPath("docs/ARCHITECTURE.md")
STARTED = re.compile(r'(?:\bBackgroundThread(?: \w+)?|\w*thread_)\(\s*"([^"]*)"')
ROW = re.compile(r"^\| `([\w-]+)` \| `src/", re.MULTILINE)


def check(tree):
    if DOCUMENT not in tree.files:
        return
    text = tree.text(DOCUMENT)
    listed = {match.group(1): text.count("\n", 0, match.start()) + 1 for match in ROW.finditer(text)}
    started = set()
    for path in tree.files:
        if path.parts[0] == "src" and path.suffix in {".cc", ".h"}:
            source = tree.text(path)
            for match in STARTED.finditer(source):
                started.add(match.group(1))
                if match.group(1) not in listed:
                    tree.report(path, source.count("\n", 0, match.start()) + 1,
                                f"{DOCUMENT} does not list the thread {match.group(1)}",
                                "add a row with its owner and what it does")
    for name in sorted(listed.keys() - started):
        tree.report(DOCUMENT, listed[name], f"nothing starts the thread {name}", "remove the row")
