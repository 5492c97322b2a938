"""How many data members and functions a class may have.

A class that needs more does more than one thing. Those that are larger, for a reason, are listed in class_size_exceptions.
"""

import re
from pathlib import PurePosixPath
from typing import NamedTuple

import cpp_text
from unnamed_namespaces import DIRECTIVE, IDENTIFIER, TOKEN, Token, _partner

MEMBERS_MAX = 12
FUNCTIONS_MAX = 25
OPENING = {"(", "[", "{"}
# What sluice/base/mutex.h adds to declarations: nothing that could be taken for a function.
ANNOTATION = re.compile(r"\bSLUICE_(?:(?:PT_)?GUARDED_BY|REQUIRES\w*|EXCLUDES|ACQUIRE\w*|RELEASE\w*|TRY_ACQUIRE|RETURN_CAPABILITY|"
                        r"CAPABILITY|SCOPED_CAPABILITY|NO_THREAD_SAFETY_ANALYSIS)\b(?:\([^()]*\))?")
EXCEPTIONS = PurePosixPath("tests/tidy/class_size_exceptions")
NOT_COUNTED = {"using", "friend", "static_assert", "typedef", "enum"}


class Size(NamedTuple):
    name: str  # With the classes around it: "UpdateTap::Sink".
    line: int
    members: int
    functions: int


def sizes(text):
    """Every class of a source, and every struct that has functions."""
    code = cpp_text.blank(text)
    for removed in (DIRECTIVE, ANNOTATION):
        code = removed.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), code)
    tokens = [Token(match.group(), match.start()) for match in TOKEN.finditer(code)]
    for name, position, members, functions, is_value in _in_scope(_grouped(tokens), ""):
        if not is_value:
            yield Size(name, code.count("\n", 0, position) + 1, members, functions)


def _grouped(tokens):
    """The tokens with the contents of each bracket inside its opening one."""
    out, at = [], 0
    while at < len(tokens):
        token = tokens[at]
        if token.text in OPENING:
            end = _partner(tokens, at)
            out.append(Token(token.text, token.position, _grouped(tokens[at + 1:end])))
            at = end + 1
        else:
            out.append(token)
            at += 1
    return out


def _statements(tokens):
    """The declarations of a scope: up to a semicolon, or to the body of a function, a namespace or a type."""
    statement = []
    for at, token in enumerate(tokens):
        if token.text == ";":
            if statement:
                yield statement
            statement = []
            continue
        if token.text == ":" and [word.text for word in statement] in (["public"], ["protected"], ["private"]):
            statement = []
            continue
        statement.append(token)
        if token.text != "{":
            continue
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if following not in {";", ",", "{", "="} and not (_type_keyword(statement) and IDENTIFIER.fullmatch(following)):
            yield statement
            statement = []
    if statement:
        yield statement


def _plain(statement):
    """The statement without template parameters and arguments."""
    out, depth = [], 0
    for at, token in enumerate(statement):
        opens = token.text == "<" and at > 0 and (IDENTIFIER.fullmatch(statement[at - 1].text) or depth)
        if opens and statement[at - 1].text != "operator":
            depth += 1
        elif token.text == ">" and depth:
            depth -= 1
        elif not depth:
            out.append(token)
    return out


def _type_keyword(statement):
    words = [token.text for token in _plain(statement) if token.text not in {"template", "[", "alignas"}]
    return words[0] if words and words[0] in {"class", "struct", "union"} else None


def _in_scope(tokens, around):
    for statement in _statements(tokens):
        body = next((token for token in statement if token.text == "{"), None)
        words = [token.text for token in statement]
        if words[0] in {"namespace", "extern"} or words[:2] == ["inline", "namespace"]:
            if body is not None:
                yield from _in_scope(body.inside, around)
        elif _type_keyword(statement) and body is not None and "(" not in _before_body(statement):
            yield from _of_type(statement, body, around)


def _before_body(statement):
    words = [token.text for token in _plain(statement)]
    return words[:words.index("{")] if "{" in words else words


def _of_type(statement, body, around):
    plain = _plain(statement)
    names = []
    for token in plain[1:]:
        if token.text in {":", "{"}:
            break
        if IDENTIFIER.fullmatch(token.text) and token.text not in {"final", "template", "alignas"}:
            names.append(token.text)
    keyword = _type_keyword(statement)
    if names[:1] == [keyword]:  # Behind `template <...>`.
        names = names[1:]
    name = around + ("::".join(names) if names else "unnamed")
    members = functions = 0
    for one in _statements(body.inside):
        inner = next((token for token in one if token.text == "{"), None)
        if _type_keyword(one) and inner is not None and "(" not in _before_body(one):
            yield from _of_type(one, inner, name + "::")
            continue
        kind = _kind(one)
        members += kind == "member"
        functions += kind == "function"
    is_value = keyword != "class" and functions == 0
    yield name, statement[0].position, members, functions, is_value


def _kind(statement):
    plain = [token.text for token in _plain(statement)]
    while plain[:1] == ["["]:  # Attributes.
        plain = plain[1:]
    if not plain or plain[0] in NOT_COUNTED or plain[:2] == ["template", "friend"] or plain[0] in {"class", "struct"}:
        return "other"
    if plain[-1] in {"delete", "default"}:
        return "other"  # A promise about copies and destruction.
    head = plain
    for stop in ("=", "{"):
        if stop in head and "operator" not in head:
            head = head[:head.index(stop)]
    if "(" in head:
        return "function"
    if "static" in plain or "constexpr" in plain:
        return "other"  # A constant.
    return "member"


def check(tree):
    exceptions = read_exceptions(tree.text(EXCEPTIONS)) if EXCEPTIONS in tree.files else {}
    used = set()
    for path in tree.files:
        if path.suffix not in {".cc", ".h"} or path.parts[0] not in {"src", "examples"}:
            continue
        for size in sizes(tree.text(path)):
            if size.members <= MEMBERS_MAX and size.functions <= FUNCTIONS_MAX:
                continue
            key = (path.as_posix(), size.name)
            used.add(key)
            members, functions = exceptions.get(key, (0, 0))
            if size.members > max(members, MEMBERS_MAX) or size.functions > max(functions, FUNCTIONS_MAX):
                tree.report(path, size.line, f"{size.name} has {size.members} members and {size.functions} functions, and "
                            f"{max(members, MEMBERS_MAX)} and {max(functions, FUNCTIONS_MAX)} are the limits",
                            "split it by concept")
    for path, name in sorted(set(exceptions) - used):
        tree.report(EXCEPTIONS, 1, f"{name} in {path} is within the limits, or gone", "remove the line")


def read_exceptions(text):
    """Lines "path class members functions: reason"."""
    out = {}
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            place, reason = line.split(": ", 1)
            path, name, members, functions = place.split()
            if not reason.strip():
                raise ValueError(f"{name} has no reason")
            out[path, name] = (int(members), int(functions))
    return out
