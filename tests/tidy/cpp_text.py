"""Just enough of the C++ lexer: what is code, and what is included."""

import re

TOKEN = re.compile(
    r"""
      (?P<raw>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')
    | (?P<line>//(?:\\\n|[^\n])*)
    | (?P<block>/\*.*?\*/)
    """,
    re.VERBOSE | re.DOTALL,
)

COMMENTS = {"line", "block"}
INCLUDE = re.compile(r"""^\s*#\s*include\s*(?:<(?P<angled>[^>\n]+)>|"(?P<quoted>[^"\n]+)")""", re.MULTILINE)


def blank(text):
    """The text with comments, strings and characters replaced by spaces; every line keeps its number."""
    return TOKEN.sub(lambda match: _spaces(match.group()), text)


def includes(text):
    """(line, header, whether it is in angle brackets) of each include that is not in a comment."""
    code = TOKEN.sub(lambda match: _spaces(match.group()) if match.lastgroup in COMMENTS else match.group(), text)
    for match in INCLUDE.finditer(code):
        header = match.group("angled") or match.group("quoted")
        yield code.count("\n", 0, match.start(match.lastgroup)) + 1, header, match.lastgroup == "angled"


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)
