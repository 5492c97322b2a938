#!/usr/bin/env python3
"""npm_packages.py DIST NODE...: what npm installs of the packages in DIST, and how the program runs from there."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

import conversation  # noqa: E402
from package_files import PROCESSORS, REGISTRY_NAME, this_processor, version  # noqa: E402

PLATFORM = f"linux-{this_processor().name}"
BYTES_MAX = 52_000_000
# What the wrapper may add to the start of the program: where Node.js can replace itself by it, and where it cannot.
WRAPPER_MS_MAX = {True: 60, False: 100}


def npm(*words, cwd):
    done = subprocess.run(["npm", *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"npm {' '.join(map(str, words))}: {done.stderr[-2000:]}")
    return done.stdout


def check_contents(file):
    """Nothing runs at installation, nothing else is asked for, and every file is one that `files` names."""
    listed = json.loads(npm("pack", "--json", "--dry-run", file, cwd=file.parent))[0]
    with tarfile.open(file) as archive:
        manifest = json.load(archive.extractfile("package/package.json"))
        owners = {(info.uid, info.gid, info.mtime) for info in archive}
        if len(owners) != 1:
            sys.exit(f"{file.name} depends on who packs it, and when: {owners}")
    problems = [f"has {key}: {manifest[key]}" for key in ("scripts", "dependencies", "peerDependencies") if manifest.get(key)]
    problems += [f"has {entry['path']}" for entry in listed["files"] if not entry["path"].startswith(
        ("package.json", "LICENSE", "README.md", *manifest["files"]))]
    if manifest["version"] != version():
        problems.append(f"is {manifest['version']}")
    if file.stat().st_size > BYTES_MAX:
        problems.append(f"has {file.stat().st_size} bytes, at most {BYTES_MAX} are meant")
    if problems:
        sys.exit("\n".join(f"{file.name} {problem}" for problem in problems))
    return manifest


def check_manifests(folder, processors):
    manifest = check_contents(folder / f"sluice-mcp-sluice-{version()}.tgz")
    expected = {f"@sluice-mcp/linux-{name}": version() for name in PROCESSORS}
    if manifest["optionalDependencies"] != expected or manifest["mcpName"] != REGISTRY_NAME:
        sys.exit(f"the wrapper's package says {manifest}")
    for name in processors:
        manifest = check_contents(folder / f"sluice-mcp-linux-{name}-{version()}.tgz")
        if (manifest["os"], manifest["cpu"], manifest["libc"]) != (["linux"], [name], ["glibc"]):
            sys.exit(f"the package for {name} says {manifest}")


def milliseconds(commands, times=30):
    """The shortest time of each, tried in turn: what else the machine does comes on top."""
    taken = [[] for _ in commands]
    for _ in range(times):
        for command, times_of in zip(commands, taken):
            begun = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times_of.append((time.perf_counter() - begun) * 1000)
    return [min(times_of) for times_of in taken]


def check_node(node, root, data):
    script = root / "node_modules/@sluice-mcp/sluice/bin/sluice.js"
    program = root / f"node_modules/@sluice-mcp/{PLATFORM}/lib/sluice/sluice"
    said = subprocess.run([node, script, "version"], capture_output=True, text=True, timeout=60)
    if (said.returncode, said.stdout, said.stderr) != (0, f"sluice {version()}\n", ""):
        sys.exit(f"{node}: {said}")
    conversation.converse([node, script, "serve", data])
    replaces = subprocess.run([node, "-p", "!!process.execve"], check=True, capture_output=True, text=True).stdout == "true\n"
    wrapped, direct, bare = milliseconds([[node, script, "version"], [program, "version"], [node, "-e", ""]])
    name = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    print(f"Node.js {name}: sluice version {wrapped:.0f} ms, {wrapped - direct:.0f} ms more than without the wrapper"
          f" ({WRAPPER_MS_MAX[replaces]} ms are meant; Node.js alone takes {bare:.0f} ms)")
    # Node.js itself is most of it, and the more so on a busy machine: what is ours is held to the bound.
    if wrapped - direct - bare > WRAPPER_MS_MAX[replaces]:
        sys.exit(f"the wrapper adds {wrapped - direct - bare:.0f} ms to Node.js")


def check_omitted(folder, root):
    """Without optional packages there is the wrapper alone, and its message decides."""
    root.mkdir()
    (root / "package.json").write_text("{}")
    npm("install", "--offline", "--omit=optional", folder / f"sluice-mcp-sluice-{version()}.tgz", cwd=root)
    done = subprocess.run([root / "node_modules/.bin/sluice"], capture_output=True, text=True, timeout=60)
    expected = (f"sluice: @sluice-mcp/{PLATFORM} is not installed; npm left optional packages out"
                " (--omit=optional, or a lock file of another platform)\n")
    if (done.returncode, done.stdout, done.stderr) != (1, "", expected):
        sys.exit(f"without the platform's package: {done}")


def main(dist, nodes):
    folder = dist / "npm"
    check_manifests(folder, [name for name in PROCESSORS
                             if name == this_processor().name or (folder / f"sluice-mcp-linux-{name}-{version()}.tgz").exists()])
    with tempfile.TemporaryDirectory(prefix="sluice-npm-") as scratch:
        root = Path(scratch).resolve() / "an application"
        data = root / "some data"
        data.mkdir(parents=True)
        (data / "numbers.csv").write_text(conversation.CSV)
        (root / "package.json").write_text("{}")
        npm("install", "--offline", *(folder / f"sluice-mcp-{name}-{version()}.tgz" for name in ("sluice", PLATFORM)), cwd=root)
        for node in nodes:
            check_node(node, root, data)
        said = npm("exec", "--offline", "--", "sluice", "version", cwd=root)
        if said != f"sluice {version()}\n":
            sys.exit(f"npx says {said!r}")
        check_omitted(folder, Path(scratch).resolve() / "without")


if __name__ == "__main__":
    os.environ["npm_config_update_notifier"] = "false"
    main(Path(sys.argv[1]).resolve(), sys.argv[2:] or sys.exit(__doc__))
