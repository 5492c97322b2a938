#!/usr/bin/env python3
"""mcpb.py DIST: the bundle is valid, and what a desktop host makes of it serves the folders that its user chose."""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

import conversation  # noqa: E402
from package_files import PROCESSORS, ROOT, this_processor, version  # noqa: E402

TOOL = ROOT / ".deps/release/node_modules/@anthropic-ai/mcpb"
NODE = ROOT / ".deps/node/bin/node"
BYTES_MAX = 52_000_000


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stdout} {done.stderr}")
    return done.stdout


def check_archive(file):
    """What the format's own tool thinks of it, its size, and that the same folder would give the same bytes."""
    run(NODE, TOOL / "dist/cli/cli.js", "info", file)
    if file.stat().st_size > BYTES_MAX:
        sys.exit(f"{file.name} has {file.stat().st_size} bytes, at most {BYTES_MAX} are meant")
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        if names != sorted(names) or len({info.date_time for info in archive.infolist()}) != 1:
            sys.exit(f"{file.name} depends on when and where it was made")
        return json.loads(archive.read("manifest.json"))


def unpack(file, folder):
    """As hosts do it: with the files' modes."""
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            path = Path(archive.extract(info, folder))
            path.chmod(info.external_attr >> 16 & 0o777)


def expand(folder, **settings):
    return json.loads(run(NODE, Path(__file__).with_name("mcpb_command.mjs"), TOOL / "dist/node.js", folder,
                          json.dumps(settings)))


def check_command(folder, data):
    """Two folders, one with a space in its name; and a configuration beside them."""
    one, other = data / "one", data / "the other"
    one.mkdir(parents=True)
    other.mkdir()
    (one / "numbers.csv").write_text(conversation.CSV)
    (other / "words.csv").write_text("word\nyes\n")
    (data / "sluice.yaml").write_text("collections: [ { name: named, path: one } ]\n")
    if expand(folder) is not None or expand(folder, folders=[]) is not None:
        sys.exit("a host may start the bundle before its user has chosen a folder")
    config = expand(folder, folders=[str(one), str(other)])
    if config["args"] != ["serve", str(one), str(other)]:
        sys.exit(f"without a configuration a host runs {config['args']}")
    talk(config, "SELECT sum(n) + count(word) - 2 AS total FROM one.numbers, the_other.words")
    config = expand(folder, folders=[str(other)], configuration=[str(data / "sluice.yaml")])
    talk(config, "SELECT sum(n) AS total FROM named.numbers")


def talk(config, sql):
    host = conversation.Host([config["command"], *config["args"]], env={**os.environ, **config.get("env", {})}, cwd="/")
    host.initialize()
    host.ask(sql)
    host.end()


def main(dist):
    files = {name: dist / f"sluice-{version()}-linux-{name}.mcpb" for name in PROCESSORS}
    for name, file in files.items():
        if not file.exists() and name != this_processor().name:
            continue
        manifest = check_archive(file)
        if manifest["version"] != version():
            sys.exit(f"{file.name} says that it is {manifest['version']}")
    with tempfile.TemporaryDirectory(prefix="sluice-mcpb-") as scratch:
        folder = Path(scratch).resolve() / "an extension"
        unpack(files[this_processor().name], folder)
        run(NODE, TOOL / "dist/cli/cli.js", "validate", folder / "manifest.json")
        check_command(folder, Path(scratch).resolve() / "data")
    print("the bundle is valid and works")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
