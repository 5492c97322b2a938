"""What a public header declares, as text that does not depend on layout, comments and the names of parameters' bodies."""

import re

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[{};]|#(?:[^\n\\]|\\\n|\\.)*|\s+|[^\s{};"\'/#]+|.', re.DOTALL)
SCOPE = re.compile(r"^(?:(?:inline )?namespace|class|struct|union|enum(?: class| struct)?)\b")
ACCESS = re.compile(r"^(public|protected|private)\s*:\s*")


def normalized(text):
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r" ?([(),<>&*=:\[\]]) ?", r"\1", text)


def without_template(head):
    """A declaration without the parameters of its template in front."""
    if not head.startswith("template"):
        return head
    depth = 0
    for at, character in enumerate(head):
        depth += (character == "<") - (character == ">")
        if character == ">" and depth == 0:
            return without_template(head[at + 1:].strip())
    return head


def scope_name(head):
    head = re.sub(r"\[\[.*?\]\]", " ", without_template(head))
    named = re.match(r"(?:inline )?(?:namespace|class|struct|union|enum(?: class| struct)?) ?((?:\w|::)*(?:<.*>)?)", head)
    return named[1] if named else ""


def signature(head):
    """A declaration without what a change may not break: the values of variables and the initializers of constructors."""
    depth = 0
    for at, character in enumerate(head):
        depth += (character in "(") - (character in ")")
        rest = head[at:]
        if depth == 0 and character == ":" and head[at - 1] == ")" and not rest.startswith("::"):
            return head[:at]
        if depth == 0 and character == "=" and "operator" not in head and not head.startswith("using ") \
                and not re.match(r"=\s*(?:default|delete|0)\b", rest):
            return head[:at]
    return head


class Scope:
    def __init__(self, kind, name, is_public=True):
        self.kind, self.name, self.is_public = kind, name, is_public


def declarations(text):
    """The declarations that users of a header can rely on, each with the scopes around it."""
    found = []
    scopes = [Scope("namespace", "")]
    pending = ""
    body = 0  # Levels of a function body or an initializer.

    def record(what):
        what = signature(normalized(what))
        if what and scopes[-1].is_public and all(scope.is_public for scope in scopes):
            prefix = "::".join(scope.name for scope in scopes if scope.name)
            found.append(f"{prefix} {what}".strip())

    for match in TOKEN.finditer(text):
        token = match.group()
        if token.startswith(("//", "/*")):
            pending += " "
            continue
        if token.startswith("#"):
            if re.match(r"#\s*define\s", token):
                found.append(normalized(token.split("(")[0]))
            continue
        if body:
            body += (token == "{") - (token == "}")
            if body == 0 and pending == ";":
                pending = ""
            continue
        if token in "{};" and pending.count("(") > pending.count(")"):
            pending += token  # A default argument.
            continue
        if token == "{":
            head = normalized(pending)
            while ACCESS.match(head):
                scopes[-1].is_public = ACCESS.match(head)[1] != "private"
                head = ACCESS.sub("", head)
            plain = without_template(head)
            if SCOPE.match(plain) and "(" not in plain:
                is_namespace = "namespace" in plain.split()[:2]
                if not is_namespace:
                    record(head)
                is_class = plain.startswith("class")
                scope = Scope("enum" if plain.startswith("enum") else "class", scope_name(head), not is_class)
                if is_namespace:
                    scope = Scope("namespace", scope_name(head), scope_name(head) not in ("namespace", "internal", "detail"))
                scopes.append(scope)
            else:
                record(head)
                body = 1
            pending = ""
        elif token == "}":
            if scopes[-1].kind == "enum":
                for value in normalized(pending).split(","):
                    record(value)
            if len(scopes) > 1:
                scopes.pop()
            pending = ""
        elif token == ";":
            head = pending.strip()
            while ACCESS.match(normalized(head)):
                access = ACCESS.match(normalized(head))[1]
                scopes[-1].is_public = access != "private"
                head = head.split(":", 1)[1].strip()
            if not normalized(head).startswith(("friend ", "static_assert", "using namespace")):
                record(head)
            pending = ""
        else:
            pending += token
            head = normalized(pending)
            if ACCESS.fullmatch(head):
                scopes[-1].is_public = head != "private:"
                pending = ""
    return sorted(set(found))
