"""Refuses the words of refused_words.txt in comments, documents, names and texts."""

import re
from pathlib import Path
from typing import NamedTuple

import cpp_text

WORDS = Path(__file__).with_name("refused_words.txt")
CPP = {".cc", ".h"}
HASH_COMMENTS = {".py", ".sh", ".cmake", ".yaml", ".yml"}
SLASH_COMMENTS = {".mjs", ".js", ".ts"}
DATA_FOLDERS = {"corpus", "data", "fixtures", "golden"}
ITSELF = ("tests", "tidy")  # It has to name what it looks for.
CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class Refused(NamedTuple):
    pattern: re.Pattern
    instead: str


def read_words(text):
    """The refused words of each section: {"prose": […], "names": […]}. A malformed line is an error."""
    words = {}
    section = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = words.setdefault(line.strip("[]"), [])
            continue
        pattern, arrow, instead = line.partition(" => ")
        if section is None or not arrow or not instead:
            raise ValueError(f"refused_words.txt:{number}: not `PATTERN => what to write instead` below a [section]")
        section.append(Refused(re.compile(pattern, re.MULTILINE), instead))
    return words


def blanked(text, pattern):
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def prose_of(path, text):
    """What people read in a file, on the lines where it stands; None for a file without."""
    if path.suffix in CPP or path.suffix in SLASH_COMMENTS:
        kept, end = [], 0
        for match in cpp_text.TOKEN.finditer(text):
            kept += [re.sub(r"[^\n]+", " ", text[end:match.start()]), match.group()]
            end = match.end()
        return "".join(kept)
    if path.suffix in HASH_COMMENTS or path.name == "CMakeLists.txt":
        return re.sub(r"^[^#\n]*", lambda match: " " * len(match.group()), text, flags=re.MULTILINE)
    if path.suffix == ".md":
        return blanked(text, CODE_BLOCK)
    if path.suffix == ".txt" and path.parts[0] == "tests":  # Cases.
        return "\n".join(line if line.startswith(("#", "case ")) else "" for line in text.split("\n"))
    return None


def is_ours(path):
    if path.parts[:2] == ITSELF or DATA_FOLDERS.intersection(path.parts[:-1]):
        return False
    return path.parts[0] in {"src", "tests", "examples", "docs", "scripts", "cmake"} or len(path.parts) == 1


def any_of(refused):
    """One pattern for all, which most files do not match."""
    return re.compile("|".join(f"(?:{one.pattern.pattern})" for one in refused) or r"(?!)", re.MULTILINE)


def report(tree, path, text, refused, what):
    for one in refused:
        tree.report_matches(path, text, one.pattern.pattern, f"{what} ({one.pattern.pattern})", f"instead: {one.instead}")


def check(tree, words=None):
    words = words or read_words(WORDS.read_text(encoding="utf-8"))
    prose, names = words.get("prose", []), words.get("names", [])
    any_prose, any_name = any_of(prose), any_of(names)
    for path in filter(is_ours, tree.files):
        spaced = re.sub(r"[/.]", " ", path.as_posix())
        if any_name.search(spaced):
            report(tree, path, spaced, names, "a refused name of a file")
        if path.suffix in CPP and any_name.search(tree.text(path)):
            report(tree, path, tree.code(path), names, "a refused name")
        if path.suffix in CPP | HASH_COMMENTS | SLASH_COMMENTS | {".md", ".txt"} and any_prose.search(tree.text(path)):
            report(tree, path, prose_of(path, tree.text(path)) or "", prose, "refused words")
