#!/usr/bin/env python3
"""toml_documents.py EDIT_TEXTS [COUNT [SEED]]: random TOML documents, some of them broken, get and lose a server.

A document is accepted if and only if Python's tomllib accepts it; and what it says before and after differs in the server alone."""

import copy
import random as random_module
import re
import sys
import tomllib

from edit_process import EditProcess, Refused, is_subsequence, mutate, without_spaces

COMMAND = "/opt/sluice"
ARGUMENTS = ["serve", "/data"]
CONTAINER = "mcp_servers"

SCALARS = ["1", "+0", "-0_1", "1_000", "0x_f", "0xDEAD_beef", "0o17", "0b1_0", "1.5", "-1e-3", "1.e3", "6.26e-34", "inf", "-nan", "true",
           "false", "True", "1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.999-07:00", "2023-02-29", "07:32:00",
           "07:32", "24:00:00", "1979-13-01", "01", "''", "\"\"", "'a#b'", "\"a\\\"b\\u00e9\"", "\"\\x\"", "\"\\U0001F600\"", "\"\\ud800\"",
           "'''\n]\n[x]\n'''", "\"\"\"a\\\n   b\"\"\"", "\"\"\"\"a\"\"\"\"\"", "''''''''", "\"\"\"x\\  \n\n  y\"\"\"", "\"\t\"", f"\"{COMMAND}\""]
NAMES = ["a", "b", "a-1", "'q k'", "\"b\\\"c\"", "\"\"", "é", "env", "command", "args", "sluice", "\"sl\\u0075ice\"", "other", CONTAINER]


def key_text(random, names):
    return random.choice([".", ".", " . "]).join(names)


def random_key(random):
    pick = random.random()
    if pick < 0.35:
        names = [CONTAINER] + random.choices(NAMES, k=random.randint(0, 2))
    elif pick < 0.5:
        names = [CONTAINER, random.choice(["sluice", "'sluice'"])] + random.choices(["command", "args", "env"], k=random.randint(0, 1))
    else:
        names = random.choices(NAMES, k=random.choice([1, 1, 1, 2, 3]))
    return key_text(random, names)


def value(random, depth=0):
    pick = random.random()
    if depth > 2 or pick < 0.6:
        return random.choice(SCALARS)
    if pick < 0.8:
        space = random.choice(["", " ", "\n", " # in\n\t"])
        items = [value(random, depth + 1) + space for _ in range(random.randint(0, 3))]
        return "[" + space + ("," + space).join(items) + ("," + space if items and random.random() < 0.3 else "") + "]"
    members = []
    for _ in range(random.randint(0, 3)):
        key = key_text(random, random.choices(NAMES, k=random.choice([1, 1, 2])))
        members.append(f"{key} = {value(random, depth + 1)}")
    return random.choice(["{", "{ "]) + ", ".join(members) + random.choice(["}", " }"])


def server_lines(random):
    """The server as somebody may have written it."""
    fields = {"command": random.choice(["'old'", f"\"{COMMAND}\"", "\"\"", "1"]), "args": random.choice(["[]", "[\"serve\", '/data']", "[1]", "''"]),
              "env": "{A = 'b'}", "startup_timeout_sec": "20"}
    chosen = [key for key in fields if random.random() < 0.6]
    random.shuffle(chosen)
    form = random.random()
    if form < 0.5:
        return [f"[{CONTAINER}.sluice]"] + [f"  {key} = {fields[key]} # of {key}" for key in chosen]
    if form < 0.75:
        return [f"[{CONTAINER}]", "sluice = {" + ", ".join(f"{key} = {fields[key]}" for key in chosen) + "}"]
    return [f"[{CONTAINER}]"] + [f"sluice.{key} = {fields[key]}" for key in chosen]


def document(random):
    lines = []
    if random.random() < 0.15:
        parts = [f"{random.choice(['a', 'sluice', 'b', 'sluice.x'])} = {value(random, 1)}" for _ in range(random.randint(0, 3))]
        lines.append(f"{CONTAINER} = {{{', '.join(parts)}}}")
    for _ in range(random.randint(0, 6)):
        pick = random.random()
        if pick < 0.55:
            lines.append(f"{random_key(random)} = {value(random)}")
        elif pick < 0.75:
            lines.append(f"[{random_key(random)}]")
        elif pick < 0.85:
            lines.append(f"[[{random_key(random)}]]")
        else:
            lines.append(random.choice(["", "# a comment = [", "  ", "\t# é"]))
        if random.random() < 0.2:
            lines[-1] += random.choice([" # behind", "\t", "  #"])
    if random.random() < 0.4:
        at = random.choice([0, len(lines)])
        lines[at:at] = server_lines(random)
    newline = random.choice(["\n", "\n", "\r\n"])
    text = "\n".join(lines) + ("\n" if random.random() < 0.8 else "")
    return ("\ufeff" if random.random() < 0.05 else "") + text.replace("\n", newline)


def parse(text):
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None


def has_table(arguments):
    return isinstance(arguments, dict) or isinstance(arguments, list) and any(isinstance(item, dict) for item in arguments)


def expected(before):
    """The document with the server in it, or nothing if it has to be refused."""
    if before is None or not isinstance(before.get(CONTAINER, {}), dict):
        return None
    made = copy.deepcopy(before)
    server = made.setdefault(CONTAINER, {}).setdefault("sluice", {"command": COMMAND})
    if not isinstance(server, dict) or not isinstance(server.get("command"), str) or not server["command"]:
        return None
    if has_table(server.get("args")):
        return None
    server["command"] = COMMAND
    server["args"] = list(ARGUMENTS)
    return made


def equal(a, b):
    return repr(a) == repr(b) or repr(sort(a)) == repr(sort(b))  # As text, since nan is not equal to itself.


def sort(item):
    if isinstance(item, dict):
        return sorted((key, sort(member)) for key, member in item.items())
    return [sort(member) for member in item] if isinstance(item, list) else repr(item)


def check(program, text):
    before = parse(text)
    wanted = expected(before)
    try:
        after = program.ask("codex", "add", text)
    except Refused as refusal:
        assert wanted is None, f"refused: {refusal}"
        assert re.match(r"line \d+, column \d+: ", str(refusal)), refusal
        return False
    assert wanted is not None, f"accepted, and became {after!r}"
    assert equal(parse(after), wanted), f"became {after!r}"
    assert program.ask("codex", "add", after) == after, f"a second time changed {after!r}"
    removed = program.ask("codex", "remove", after)
    without = copy.deepcopy(before)
    without.get(CONTAINER, {}).pop("sluice", None)
    found = parse(removed)
    assert found is not None, f"removing from {after!r} left {removed!r}"
    if not without.get(CONTAINER):  # A table that only this server needed may go with it.
        without.pop(CONTAINER, None)
        if not found.get(CONTAINER):
            found.pop(CONTAINER, None)
    assert equal(found, without), f"removing from {after!r} left {removed!r}"
    if "sluice" not in before.get(CONTAINER, {}):
        if after.startswith(text):
            assert removed.startswith(text.rstrip(" \t\r\n")), f"removing from {after!r} left {removed!r}"
        else:
            assert is_subsequence(without_spaces(text), without_spaces(after)), f"something is lost in {after!r}"
    return True


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    random = random_module.Random(seed)
    program = EditProcess(sys.argv[1])
    accepted = 0
    for i in range(count):
        text = document(random)
        if random.random() < 0.2:
            text = mutate(random, text)
        try:
            accepted += check(program, text)
        except AssertionError as error:
            sys.exit(f"document {i} of seed {seed}:\n{text!r}\n{error}")
    assert program.close() == 0
    print(f"{count} documents, {accepted} accepted")
    if not count * 0.1 < accepted < count * 0.9:
        sys.exit("too few or too many of them: the generator does not do its work")


if __name__ == "__main__":
    main()
