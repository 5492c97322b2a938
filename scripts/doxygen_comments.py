#!/usr/bin/env python3
"""Turns the comments of a header into those that Doxygen reads, as an INPUT_FILTER: prints the file that is named.

A block of `//` lines ahead of a declaration becomes `///`, and one behind a declaration, with the lines under it that
continue it, becomes `///<`. What Doxygen would take for its own commands or for HTML is escaped. Guides pass as they
are, but for links to files outside of their folder.
"""

import re
import sys

CONTINUED = re.compile(r"^\s*//")
BEHIND = re.compile(r"^(?P<code>.*\S)\s+// (?P<text>.*)$")


def escaped(text):
    text = re.sub(r"([\\@<>])", r"\\\1", text)
    # In code between backticks, escapes stand for themselves.
    return re.sub(r"`[^`]*`", lambda code: re.sub(r"\\([\\@<>])", r"\1", code.group()), text)


def filtered(lines):
    is_behind_at = None  # The column of a comment behind code that the lines under it may continue.
    for line in lines:
        if CONTINUED.match(line):
            column = line.index("//")
            text = escaped(line[column + 2:])
            if is_behind_at is not None and column == is_behind_at:
                yield line[:column] + "///<" + text
            else:
                is_behind_at = None
                yield line[:column] + "///" + text
            continue
        is_behind_at = None
        match = BEHIND.match(line)
        # "//" within a string, as of a URL, begins no comment.
        if match and match["code"].count('"') % 2 == 0 and not match["text"].startswith("NOLINT"):
            is_behind_at = line.index("// " + match["text"])
            yield match["code"] + " ///< " + escaped(match["text"])
        else:
            yield line


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if path.endswith(".h"):
        print("\n".join(filtered(lines)))
        return
    # Links of a guide to files that are no part of the reference become plain text.
    print(re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", "\n".join(lines)))


if __name__ == "__main__":
    main()
