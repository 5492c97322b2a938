#!/usr/bin/env python3
"""Checks what the compiler cannot see: who includes what, file lengths, forgotten sources, leftovers.

Usage: tidy.py [ROOT]. Prints "file:line: what is wrong; how to fix it" and exits with 1 if there is any finding.
"""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import class_size
import counted
import cpp_text
import dependencies
import language
import modules
import threads
import unnamed_namespaces

SOURCE_LINES_MAX = 400
TEST_LINES_MAX = 600
DOCUMENT_COLUMNS_MAX = 120

CPP = {".cc", ".h"}
TEXT = CPP | {".py", ".sh", ".cmake", ".txt", ".md", ".json", ".yaml", ".yml", ".js", ".mjs", ".ts", ".in"}
TEXT_NAMES = {"Makefile", ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore", ".npmrc", "LICENSE"}
TEXT_FOLDERS = {"scripts", ".ci", ".githooks"}  # Their programs have no extension.
DATA_FOLDERS = {"corpus", "data", "fixtures", "golden"}  # Bytes that tests need as they are.
SKIPPED_FOLDERS = {".git", ".deps", "build", "node_modules", "__pycache__"}

VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}

# Code that belongs to certain folders: what it is, the pattern, the folders that may, what others do instead.
RESERVED = [
    ("watching files", r"\binotify_\w+|\bsys/inotify\.h\b", ["src/fs"], "use the watcher of src/fs"),
    ("opening files", r"(?<![\w>])::(?:open|creat)\s*\(|\bopenat2?\s*\(", ["src/fs"], "open it through src/fs"),
    ("reading the environment", r"\b(?:secure_)?getenv\s*\(", ["src/config", "src/cli", "src/host"],
     "take the value as a parameter"),
    ("reading a clock", r"\b\w+_clock::now\b|\bclock_gettime\s*\(|\bgettimeofday\s*\(|\bstd::time\s*\(",
     ["src/base", "src/transport"], "take a Clock (sluice/base/clock.h)"),
    ("locking and waiting", r"\bstd::(?:(?:recursive_|shared_|timed_)*mutex|condition_variable(?:_any)?|"
     r"lock_guard|unique_lock|scoped_lock|shared_lock)\b", ["src/base"],
     "use sluice/base/mutex.h, which clang's thread-safety analysis understands"),
    ("std::jthread", r"\bstd::jthread\b", ["src/base"], "use BackgroundThread (sluice/base/background_thread.h)"),
]

# What a test must not do, and what it does instead.
FORBIDDEN_IN_TESTS = [
    (r"\bGTEST_SKIP\b|\bDISABLED_|@unittest\.skip|\bskipTest\b", "skips a test", "make it run, or remove it"),
    (r"\bsleep_(?:for|until)\b|\b(?:usleep|nanosleep)\s*\(|(?<![\w.])sleep\s*\(|\btime\.sleep\b", "sleeps",
     "wait for the event itself, with a bound"),
]

# A letter and a number that stand for an attack, a decision or a finding: nobody can look them up.
PRIVATE_CODES = r"\bV\d{1,2}_[A-Z]|\(V\d{1,2}\)|\bV\d{1,2}(?:, V\d{1,2})+\b|^// V\d{1,2}\b|'V\d{1,2}: "

LEFTOVERS = r"\b(?:TODO|FIXME|XXX|HACK)\b"
OUTSIDE = r"\.\./shared\b"
ITSELF = ["tests/tidy"]  # It has to name what it looks for.


class Tree:
    """The files of a repository, and the findings about them."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.findings = []
        self.files = sorted(self._list())
        self._texts = {}

    def _list(self):
        if (self.root / ".git").exists():
            command = ["git", "-C", str(self.root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
            names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
        else:
            names = [path.relative_to(self.root).as_posix() for path in self.root.rglob("*")]
        for name in filter(None, names):
            path = PurePosixPath(name)
            if not SKIPPED_FOLDERS.intersection(path.parts) and (self.root / path).is_file():
                yield path

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_bytes().decode("utf-8", "replace")
        return self._texts[path]

    def code(self, path):
        """The text of a C++ file with its comments and literals blanked, line by line."""
        return cpp_text.blank(self.text(path))

    def report(self, path, line, what, fix):
        self.findings.append(f"{path}:{line}: {what}; {fix}")

    def report_matches(self, path, text, pattern, what, fix):
        for match in re.finditer(pattern, text, re.MULTILINE):
            self.report(path, text.count("\n", 0, match.start()) + 1, what, fix)


def is_text(path):
    if DATA_FOLDERS.intersection(path.parts[:-1]):
        return False
    return path.suffix in TEXT or path.name in TEXT_NAMES or (path.parts[0] in TEXT_FOLDERS and not path.suffix)


def is_in(path, folders):
    return any(path.as_posix().startswith(folder + "/") for folder in folders)


def is_public_header(path):
    return path.parts[0] == "src" and "include" in path.parts and path.suffix == ".h"


def mirrored(path):
    """The folder in src/ whose rules a unit test follows: tests/unit/json/x_test.cc lives by those of src/json."""
    if path.parts[:2] == ("tests", "unit"):
        return PurePosixPath("src", *path.parts[2:])
    return path


def check_layout(tree):
    for path in filter(is_text, tree.files):
        lines = tree.text(path).split("\n")
        for number, line in enumerate(lines, 1):
            if line.endswith("\r"):
                tree.report(path, number, "the line ends with CR LF", "convert the file to LF")
            elif line != line.rstrip(" \t"):
                tree.report(path, number, "spaces at the end of the line", "remove them")
            if "\t" in line and path.name != "Makefile":
                tree.report(path, number, "a tab", "indent with spaces")
        if lines[-1] != "":
            tree.report(path, len(lines), "the last line has no end", "add a newline")


def check_document_lines(tree):
    """Lines of documents are wrapped. Tables and code blocks cannot be, and the target of a link does not count."""
    for path in tree.files:
        if path.suffix != ".md" or DATA_FOLDERS.intersection(path.parts[:-1]):
            continue
        in_code = False
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            if line.lstrip().startswith("```"):
                in_code = not in_code
            elif not in_code and not line.lstrip().startswith("|"):
                columns = len(re.sub(r"\]\([^)\s]*\)", "]", line))
                if columns > DOCUMENT_COLUMNS_MAX:
                    tree.report(path, number, f"{columns} columns, and {DOCUMENT_COLUMNS_MAX} are the limit", "wrap the line")


def check_words(tree):
    for path in tree.files:
        if is_in(path, ITSELF):
            continue
        text = tree.text(path)
        tree.report_matches(path, text, OUTSIDE, "a path out of the repository", "copy into it what is needed")
        tree.report_matches(path, text, PRIVATE_CODES, "a private code", "write the word that docs/SECURITY.md defines")
        if is_text(path):
            tree.report_matches(path, text, LEFTOVERS, "a note of unfinished work", "finish it, or open an issue")


def check_names(tree):
    for path in tree.files:
        for part in path.parts:
            if VAGUE_NAMES.intersection(re.split(r"[_.-]", part.lower())):
                tree.report(path, 1, f"'{part}' says nothing", "name it after the one concept it holds")


def check_lengths(tree):
    for path in tree.files:
        limit = TEST_LINES_MAX if path.parts[0] == "tests" else SOURCE_LINES_MAX
        if path.suffix in CPP | {".py"} and path.parts[0] in {"src", "examples", "tests"}:
            lines = tree.text(path).count("\n")
            if lines > limit:
                tree.report(path, limit + 1, f"{lines} lines, and {limit} are the limit", "split it by concept")


def check_headers(tree):
    for path in tree.files:
        if path.suffix == ".h":
            if not re.search(r"^#pragma once$", tree.text(path), re.MULTILINE):
                tree.report(path, 1, "no '#pragma once'", "make it the first line")
            tree.report_matches(path, tree.code(path), r"\busing\s+namespace\b", "'using namespace' in a header",
                                "write the names in full")


def check_includes(tree):
    for path in tree.files:
        if path.suffix not in CPP or path.parts[0] not in {"src", "examples", "tests"}:
            continue
        owned = path.parts[0] != "tests" or path.parts[1] == "unit"  # Other tests may look behind the modules.
        for number, header, angled in cpp_text.includes(tree.text(path)):
            library = dependencies.library_of(header, angled)
            if library is None:
                continue
            if library is dependencies.UNKNOWN:
                tree.report(path, number, f"<{header}> is of no library that the project knows",
                            "give it an owner in tests/tidy/dependencies.py and a row in docs/DEPENDENCIES.md")
            elif is_public_header(path):
                tree.report(path, number, f"<{header}> ({library.name}) in a public header",
                            "forward-declare, or hide it in a .cc file")
            elif owned and library.owners and not any(is_in(p, library.owners) for p in (path, mirrored(path))):
                tree.report(path, number, f"<{header}> belongs to {' and '.join(library.owners)}",
                            "use what that module offers")


def check_reserved(tree):
    for path in tree.files:
        if path.suffix not in CPP or path.parts[0] != "src":
            continue
        code = tree.code(path)
        for what, pattern, owners, fix in RESERVED:
            if not is_in(path, owners):
                tree.report_matches(path, code, pattern, f"{what} belongs to {' and '.join(owners)}", fix)


def check_tests(tree):
    for path in tree.files:
        if path.parts[0] == "tests" and path.suffix in CPP | {".py"} and not is_in(path, ITSELF):
            text = tree.code(path) if path.suffix in CPP else tree.text(path)
            for pattern, what, fix in FORBIDDEN_IN_TESTS:
                tree.report_matches(path, text, pattern, what, fix)


def check_sources_are_built(tree):
    """A source is named, with its extension, by the CMakeLists.txt of a folder above it."""
    named = {}
    for path in tree.files:
        if path.name == "CMakeLists.txt":
            text = re.sub(r"#.*", "", tree.text(path)).replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            named[path.parent] = set(re.split(r'[\s()";]+', text))
    for path in tree.files:
        if path.suffix == ".cc" and path.parts[0] in {"src", "examples", "tests"}:
            folders = [folder for folder in path.parents if folder in named]
            if not any(path.relative_to(folder).as_posix() in named[folder] for folder in folders):
                where = (folders[0] if folders else path.parent) / "CMakeLists.txt"
                tree.report(path, 1, "no CMakeLists.txt names it", f"add it to {where}, or remove it")


def check_documents(tree):
    """What a document names in backticks and looks like a path of ours is there."""
    places = {path.parts[0] for path in tree.files if len(path.parts) > 1}
    existing = {path.as_posix() for path in tree.files} | {
        parent.as_posix() for path in tree.files for parent in path.parents}
    for document in (PurePosixPath("docs/ARCHITECTURE.md"), PurePosixPath("CONTRIBUTING.md")):
        if document not in tree.files:
            continue
        for number, line in enumerate(tree.text(document).split("\n"), 1):
            for name in re.findall(r"`([\w./-]+)`", line):
                ours = name.split("/")[0] in places and "/" in name or re.search(r"\.(cc|h|cmake|py|md)$", name)
                candidates = [name.rstrip("/"), f"src/{name}", f"docs/{name}"]
                public = any(path.endswith("/include/sluice/" + name.removeprefix("sluice/")) for path in existing)
                if ours and not public and not existing.intersection(candidates):
                    tree.report(document, number, f"`{name}` does not exist", "name what is there now")


def check_owners(tree):
    """Every path of CODEOWNERS is there: one that is gone leaves its successor without an owner."""
    owners = PurePosixPath(".github/CODEOWNERS")
    existing = {path.as_posix() for path in tree.files} | {
        parent.as_posix() for path in tree.files for parent in path.parents}
    for number, line in enumerate(tree.text(owners).split("\n") if owners in tree.files else [], 1):
        path = line.split(" ")[0].strip("/")
        if path and not line.startswith(("#", "*")) and path not in existing:
            tree.report(owners, number, f"{path} does not exist", "name what is there now")


def check_dependencies(tree):
    table = PurePosixPath("docs/DEPENDENCIES.md")
    rows = dependencies.rows(tree.text(table)) if table in tree.files else []
    for path in tree.files:
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            found = dependencies.in_cmake(tree.text(path))
        elif path.as_posix() in ("scripts/npm/package.json", "scripts/npm/bench/package.json"):
            found = dependencies.in_package_json(tree.text(path))
        elif path.as_posix() == "scripts/engine.lock":
            found = dependencies.in_engine_lock(tree.text(path))
        else:
            continue
        for number, name in found:
            if name.lower() not in rows:
                tree.report(path, number, f"the dependency {name} has no row in {table}",
                            f"add one whose first cell has `{name}`: version, owner, licence, reason")


CHECKS = [check_layout, check_document_lines, check_words, check_names, check_lengths, check_headers, check_includes, check_reserved,
          check_tests, check_sources_are_built, check_documents, check_owners, check_dependencies, modules.check,
          counted.check, threads.check, unnamed_namespaces.check, language.check, class_size.check]


def findings(root):
    tree = Tree(root)
    for check in CHECKS:
        check(tree)
    return tree.findings


def main():
    found = findings(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    print("\n".join(found + [f"tidy: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
