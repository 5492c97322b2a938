#!/usr/bin/env python3
"""json_documents.py EDIT_TEXTS [COUNT [SEED]]: random JSON documents, some of them broken, get and lose a server.

A document is accepted if and only if Python's parser accepts it, after a tokenizer of this file has taken comments and trailing
commas out; and what it says before and after differs in the server alone."""

import json
import random as random_module
import re
import sys

from edit_process import EditProcess, Refused, is_subsequence, mutate, without_spaces

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[^"/]|.', re.DOTALL)
COMMAND = "/opt/sluice"
ARGUMENTS = ["serve", "/data"]


class Pairs(list):
    """An object as the pairs of its text: nothing is lost of keys that are there twice."""


class NotJson(Exception):
    pass


def refuse_constant(word):
    raise NotJson(word)


def keep_number(text):
    return ("number", text)


def parse(text, lenient):
    text = text.removeprefix("\ufeff")
    if not text.strip(" \t\r\n"):
        return Pairs()  # A file that is there and empty.
    if lenient:
        kept = []
        for match in TOKEN.finditer(text):
            token = match.group()
            is_comment = token.startswith("//") or (token.startswith("/*") and token.endswith("*/"))
            # The end of a line ends the comment and is not part of it, "\r\n" included.
            kept.append("" if is_comment else token)
        text = remove_trailing_commas("".join(f"{t}" if t else " " for t in kept))
    elif re.search(r"[^\s\x20-\U0010ffff]", text):
        raise NotJson("control")
    try:
        return json.loads(text, object_pairs_hook=Pairs, parse_int=keep_number, parse_float=keep_number,
                          parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def remove_trailing_commas(text):
    tokens = [match.group() for match in re.finditer(r'"(?:[^"\\]|\\.)*"|\s+|.', text, re.DOTALL)]
    significant = [i for i, token in enumerate(tokens) if token.strip()]
    for before, comma, after in zip(significant, significant[1:], significant[2:]):
        if tokens[comma] == "," and tokens[after] in "]}" and tokens[before] not in "[{,":
            tokens[comma] = ""
    return "".join(tokens)


def value_of(pairs, key):
    found = [value for name, value in pairs if name == key]
    return found


def has_table(arguments):
    return isinstance(arguments, Pairs) or isinstance(arguments, list) and any(isinstance(item, Pairs) for item in arguments)


def expected(root, container):
    """The document with the server in it, or nothing if it has to be refused."""
    if not isinstance(root, Pairs):
        return None
    containers = value_of(root, container)
    if len(containers) > 1 or (containers and not isinstance(containers[0], Pairs)):
        return None
    server = Pairs([("command", COMMAND), ("args", list(ARGUMENTS))])
    if not containers:
        return Pairs(root + [(container, Pairs([("sluice", server)]))])
    servers = containers[0]
    found = value_of(servers, "sluice")
    if len(found) > 1:
        return None
    if not found:
        changed = Pairs(servers + [("sluice", server)])
    else:
        entry = found[0]
        if not isinstance(entry, Pairs) or len(value_of(entry, "command")) != 1 or len(value_of(entry, "args")) > 1:
            return None
        command = value_of(entry, "command")[0]
        if not isinstance(command, str) or not command:
            return None
        made = Pairs()
        for key, value in entry:
            made.append((key, COMMAND if key == "command" else list(ARGUMENTS) if key == "args" else value))
            if key == "command" and not value_of(entry, "args"):
                made.append(("args", list(ARGUMENTS)))
        if any(has_table(value) for value in value_of(entry, "args")):
            return None
        changed = Pairs((key, made if key == "sluice" else value) for key, value in servers)
    return Pairs((key, changed if key == container else value) for key, value in root)


class Writer:
    """Writes a random document: layout, comments and commas vary, and what they vary by."""

    def __init__(self, random, lenient):
        self.random = random
        self.lenient = lenient
        self.newline = random.choice(["\n", "\r\n"])
        self.spread = random.random()

    def space(self):
        random = self.random
        made = ""
        while random.random() < self.spread * 0.7:
            made += random.choice([" ", "  ", "\t", self.newline, self.newline + "    "])
            if self.lenient and random.random() < 0.15:
                made += random.choice(["// a \" } comment" + self.newline, "/* { */", "/*,\n*/", "//" + self.newline])
        return made

    def string(self):
        return json.dumps(self.random.choice(["a", "command", "args", "b\"c", "é€😀", "\\", "", "http://x/*y*/", "\t\n", "mcpServers"]),
                          ensure_ascii=self.random.random() < 0.5)

    def scalar(self):
        return self.random.choice(["1", "-0.5e+3", "true", "false", "null", "12345678901234567890", self.string()])

    def value(self, depth):
        pick = self.random.random()
        if depth > 3 or pick < 0.5:
            return self.scalar()
        if pick < 0.7:
            return self.sequence("[", [self.value(depth + 1) for _ in range(self.random.randint(0, 3))], "]")
        return self.table([(self.string(), self.value(depth + 1)) for _ in range(self.random.randint(0, 3))])

    def sequence(self, opening, items, closing):
        made = opening + self.space()
        for i, item in enumerate(items):
            made += item + self.space()
            if i + 1 < len(items) or (self.lenient and self.random.random() < 0.2):
                made += "," + self.space()
        return made + closing

    def table(self, pairs):
        return self.sequence("{", [key + self.space() + ":" + self.space() + value for key, value in pairs], "}")

    def server(self):
        random = self.random
        pairs = [("\"env\"", self.value(3))] if random.random() < 0.4 else []
        if random.random() < 0.9:
            pairs.append(("\"command\"", random.choice([self.string(), f"\"{COMMAND}\"", "1"])))
        if random.random() < 0.6:
            pairs.append(("\"args\"", random.choice(["[]", self.sequence("[", ["\"serve\"", "\"/data\""], "]"), "null", "{}", "[{}]"])))
        random.shuffle(pairs)
        return self.table(pairs)

    def document(self, container):
        random = self.random
        pairs = [(self.string().replace("mcpServers", "m"), self.value(0)) for _ in range(random.randint(0, 3))]
        if random.random() < 0.8:
            names = ["\"a\"", "\"other\"", "\"sl\\u0075ice\"" if random.random() < 0.1 else "\"sluice\""]
            servers = [(name, self.server()) for name in names if random.random() < 0.4]
            made = self.table(servers) if random.random() < 0.95 else self.value(1)
            pairs.insert(random.randint(0, len(pairs)), (json.dumps(container), made))
        return ("\ufeff" if random.random() < 0.05 else "") + self.space() + self.table(pairs) + self.space()


def check(program, text, host, container, lenient):
    """True if the document was accepted."""
    try:
        wanted = expected(parse(text, lenient), container)
    except NotJson:
        wanted = None
    try:
        after = program.ask(host, "add", text)
    except Refused as refusal:
        assert wanted is None, f"refused: {refusal}"
        assert re.match(r"line \d+, column \d+: ", str(refusal)), refusal
        return False
    assert wanted is not None, f"accepted, and became {after!r}"
    assert parse(after, lenient) == wanted, f"became {after!r}"
    assert program.ask(host, "add", after) == after, f"a second time changed {after!r}"
    before = parse(text, lenient)
    servers = value_of(before, container)
    if servers and value_of(servers[0], "sluice"):
        return True
    assert is_subsequence(without_spaces(text), without_spaces(after)), f"something is lost in {after!r}"
    if servers and servers[0]:
        assert is_subsequence(text, after), f"spaces are lost in {after!r}"
    removed = parse(program.ask(host, "remove", after), lenient)
    assert removed == (before if servers else Pairs(before + [(container, Pairs())])), f"not removed from {after!r}"
    return True


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    random = random_module.Random(seed)
    program = EditProcess(sys.argv[1])
    accepted = 0
    for i in range(count):
        lenient = random.random() < 0.7
        host = "cursor" if lenient else "claude-desktop"
        text = Writer(random, lenient).document("mcpServers")
        if random.random() < 0.3:
            text = mutate(random, text)
        try:
            accepted += check(program, text, host, "mcpServers", lenient)
        except AssertionError as error:
            sys.exit(f"document {i} of seed {seed}, for {host}:\n{text!r}\n{error}")
    assert program.close() == 0
    print(f"{count} documents, {accepted} accepted")
    if not count * 0.4 < accepted < count * 0.95:
        sys.exit("too few or too many of them: the generator does not do its work")


if __name__ == "__main__":
    main()
