"""The section "Connect" of README.md says of every host what the program says.

connect.py ROOT SLUICE [--write]
"""

import json
import os
import pathlib
import re
import subprocess
import sys

INSTALLED = "/usr/local/bin/sluice"
SOURCE = "/path/to/data"


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=30, env={**os.environ, "HOME": "/nonexistent"})


def printed(program, host):
    ended = run(program, "setup", SOURCE, "--print", host)
    if ended.returncode != 0:
        sys.exit(f"sluice setup --print {host}: {ended.stderr}")
    return ended.stdout.replace(str(pathlib.Path(program).resolve()), INSTALLED)


def row(program, host):
    text = printed(program, host)
    name = text.split(" has its servers in")[0]
    path = re.search(r"^  Linux +(.*)$", text, re.MULTILINE)[1]
    command = re.search(r"Or let it add the server itself:\n\n  (.*)\n", text)
    return f"| {name} | `{host}` | `{path}` | {f'`{command[1]}`' if command else ''} |".replace("|  |", "| |")


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    choices = re.search(r"\{(.*?)\}", run(program, "setup", "--host", "no-such-host").stderr)[1].split(",")
    rows = [row(program, host) for host in choices]
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    if "--write" in sys.argv:
        text = re.sub(r"(?<=\|---\|---\|---\|---\|\n)(?:\| .*\n)+", lambda _: "\n".join(rows) + "\n", text, count=1)
        readme.write_text(text, encoding="utf-8")
    section = text.split("## Connect\n")[1].split("\n## ")[0]
    problems = [f"missing: {each}" for each in rows if each not in section.split("\n")]
    found = [line for line in section.split("\n") if line.startswith("|")][2:]
    problems += [f"not a host: {each}" for each in found if each not in rows]
    example = json.loads(re.search(r"```json\n(.*?)\n```", section, re.DOTALL)[1])
    wanted = json.loads(re.search(r"^\{.*^\}", printed(program, "cursor"), re.DOTALL | re.MULTILINE)[0])
    if example != wanted:
        problems.append(f"the example is {example}, and the program writes {wanted}")
    if problems:
        sys.exit("README.md, section Connect:\n" + "\n".join(problems) + "\nWrite the table with tests/docs/connect.py ROOT SLUICE --write")


main()
