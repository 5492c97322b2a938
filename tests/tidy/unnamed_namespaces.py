"""Names in unnamed namespaces: what a C++ source declares there, and that no other source of its module does so, too."""

import re
from typing import NamedTuple

import cpp_text

TOKEN = re.compile(r"[A-Za-z_]\w*|::|\d[\w.']*|[^\s\w]")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
BRACKETS = {"(": ")", "[": "]", "{": "}"}
UNNAMED = ""
NOT_A_NAME = {"alignas", "decltype", "noexcept", "explicit", "__attribute__"}  # They take parentheses.
DECLARES_NOTHING = {"static_assert", "namespace", "friend", "typedef", "extern"}


# Modules whose sources are not compiled together yet.
NOT_YET = []


class Declared(NamedTuple):
    name: str
    line: int
    namespace: str  # The one around the unnamed namespace, as "sluice::fs".


class Token(NamedTuple):
    text: str
    position: int
    inside: list = None  # Of a bracket: the tokens up to its partner.


def check(tree):
    """The sources of a module are compiled together, and then all unnamed namespaces of one namespace are the same one."""
    modules = {path.parent for path in tree.files if path.name == "CMakeLists.txt" and path.parts[0] == "src"}
    first = {}
    for path in tree.files:
        if path.suffix != ".cc" or path.parts[0] != "src" or any(path.is_relative_to(module) for module in NOT_YET):
            continue
        module = next((folder for folder in path.parents if folder in modules), None)
        for name, line, namespace in declared(tree.text(path)):
            place, earlier_line = first.setdefault((module, namespace, name), (path, line))
            if place != path:
                tree.report(path, line, f"'{name}' is in the unnamed namespace of {place}:{earlier_line}, too",
                            "call each by what it is, or share one in a private header")


def declared(text):
    """The types, functions, constants and enumerators of the unnamed namespaces of a source, in order."""
    code = DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), cpp_text.blank(text))
    tokens = [Token(match.group(), match.start()) for match in TOKEN.finditer(code)]
    for name, position, namespaces in _in_namespaces(tokens, []):
        around = "::".join(filter(None, namespaces))
        yield Declared(name, code.count("\n", 0, position) + 1, around)


def _in_namespaces(tokens, namespaces):
    statement = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.text == ";":
            yield from _names(statement, namespaces)
            statement = []
            continue
        if token.text not in BRACKETS:
            statement.append(token)
            continue
        end = _partner(tokens, at - 1)
        inside = tokens[at:end]
        at = end + 1
        opened = _opened_namespace(statement) if token.text == "{" else None
        if opened is not None:
            yield from _in_namespaces(inside, namespaces + [opened])
            statement = []
            continue
        statement.append(Token(token.text, token.position, inside))
        following = tokens[at].text if at < len(tokens) else ""
        if token.text == "{" and _is_function(statement) and following not in {",", "{", ";"}:
            yield from _names(statement, namespaces)
            statement = []


def _partner(tokens, at):
    opening, closing, depth = tokens[at].text, BRACKETS[tokens[at].text], 0
    for i in range(at, len(tokens)):
        depth += {opening: 1, closing: -1}.get(tokens[i].text, 0)
        if depth == 0:
            return i
    return len(tokens)


def _opened_namespace(statement):
    """The name of the namespace whose brace comes next, None if it is no namespace's."""
    words = [token.text for token in statement if token.text != "inline"]
    if words == ["extern"]:  # "C", whose text is blank.
        return "extern"
    return "".join(words[1:]) if words[:1] == ["namespace"] else None


def _is_function(statement):
    words = [token.text for token in _without_prefix(statement)]
    is_variable = "=" in words and "operator" not in words
    return "(" in words and not is_variable and words[0] not in {"struct", "class", "union", "enum"}


def _without_prefix(statement):
    """The statement behind template parameters, attributes and specifiers."""
    at = 0
    while at < len(statement):
        text = statement[at].text
        if text == "template":
            depth = 0
            for i in range(at + 1, len(statement)):
                depth += {"<": 1, ">": -1}.get(statement[i].text, 0)
                if depth == 0:
                    break
            at = i + 1
        elif text in {"inline", "static", "[", ","}:
            at += 1
        else:
            break
    return statement[at:]


def _names(statement, namespaces):
    if UNNAMED not in namespaces:
        return
    tokens = _without_prefix(statement)
    words = [token.text for token in tokens]
    if not words or words[0] in DECLARES_NOTHING:
        return
    if words[0] == "using":
        if words[2:3] == ["="]:
            yield words[1], tokens[1].position, namespaces
    elif words[0] in {"struct", "class", "union", "enum"}:
        yield from _names_of_type(tokens, namespaces)
    else:
        token = _declarator(tokens)
        if token is not None:
            yield token.text, token.position, namespaces


def _names_of_type(tokens, namespaces):
    is_scoped = tokens[0].text != "enum" or tokens[1].text in {"class", "struct"}
    rest = [token for token in tokens[1:] if token.text not in {"class", "struct", "["}]
    if rest and IDENTIFIER.fullmatch(rest[0].text):
        yield rest[0].text, rest[0].position, namespaces
    if is_scoped:
        return
    for body in (token.inside for token in rest if token.text == "{"):
        for before, token in zip([Token(",", 0)] + body, body):
            if before.text == ",":
                yield token.text, token.position, namespaces


def _declarator(tokens):
    """The name before the parameters or the initial value; None for operators and members of a class."""
    depth = 0
    for at, token in enumerate(tokens):
        if token.text == "operator":
            return None
        depth += {"<": 1, ">": -1}.get(token.text, 0)
        is_end = token.text in {"(", "=", "{", "["}
        if depth or at == 0 or not (is_end or at == len(tokens) - 1):
            continue
        name = tokens[at - 1] if is_end else token
        if name.text in NOT_A_NAME or not IDENTIFIER.fullmatch(name.text):
            continue
        before = tokens[tokens.index(name) - 1].text
        return None if before == "::" else name
    return None
