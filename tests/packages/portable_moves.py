#!/usr/bin/env python3
"""portable_moves.py ARCHIVE: the tree works wherever it is unpacked, and its launcher refuses what it cannot run on."""

import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from package_files import PROCESSORS, this_processor, version  # noqa: E402

LAUNCH_MS_MAX = 5  # What the launcher may add; twice that here, because other tests run at the same time.


def succeed(expected, *command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, **options)
    if done.returncode != 0 or expected not in done.stdout:
        sys.exit(f"{command}: status {done.returncode}, expected {expected!r}: {done.stdout!r} {done.stderr!r}")


def check_program(program, data):
    succeed(f"sluice {version()}\n", program, "version")
    succeed("engine: DuckDB", program, "check", data)
    succeed("42", program, "query", data, "SELECT sum(n) AS total FROM numbers", "--csv")


def check_places(archive, root):
    data = root / "data"
    data.mkdir()
    (data / "numbers.csv").write_text("n\n40\n2\n")
    for place in (root / "one", root / "a folder"):
        with tarfile.open(archive) as packed:
            packed.extractall(place)
        tree = next(place.iterdir())
        check_program(tree / "bin/sluice", data)
        # In the folder itself, by a relative name; and by a link to it that lies elsewhere.
        succeed(version(), "./sluice", "version", cwd=tree / "bin")
        succeed(version(), "sh", "sluice", "version", cwd=tree / "bin")
        link = root / f"link to {place.name}"
        link.symlink_to(os.path.relpath(tree / "bin/sluice", root))
        check_program(link, data)
        succeed(version(), link.name, "version", env={"PATH": f"{root}:{os.environ['PATH']}"})
        # Libraries of a host application must not take the place of ours.
        (place / "planted").mkdir()
        (place / "planted/libcurl.so.4").write_text("garbage")
        succeed(version(), tree / "bin/sluice", "version", env={**os.environ, "LD_LIBRARY_PATH": str(place / "planted")})
    return tree


def check_refusal(tree, root, name, tools, expected):
    """With these programs first on the PATH, the launcher says one line and ends with 1."""
    folder = root / name
    folder.mkdir()
    for tool, script in tools.items():
        (folder / tool).write_text(f"#!/bin/sh\n{script}\n")
        (folder / tool).chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run([tree / "bin/sluice", "version"], capture_output=True, text=True, timeout=60, env=environment)
    if (done.returncode, done.stdout, done.stderr) != (1, "", f"sluice: {expected}\n"):
        sys.exit(f"{name}: expected {expected!r}, found {done}")


def check_refusals(tree, root):
    ours = this_processor()
    other = next(processor.machine for processor in PROCESSORS.values() if processor != ours)
    check_refusal(tree, root, "processor", {"uname": f"echo {other}"},
                  f"this build is for {ours.machine}, and this machine is {other}")
    for old in ("2.31", "2.33", "1.99"):
        check_refusal(tree, root, f"glibc-{old}", {"getconf": f"echo glibc {old}"},
                      f"this build needs glibc 2.34 or newer, and this system has {old}; use the container image")
    newer = root / "newer"
    newer.mkdir()
    for text in ("glibc 2.34", "glibc 2.42", "glibc 3.0", "glibc 2.39.9000"):
        (newer / "getconf").write_text(f"#!/bin/sh\necho {text}\n")
        (newer / "getconf").chmod(0o755)
        succeed(version(), tree / "bin/sluice", "version", env={"PATH": f"{newer}:{os.environ['PATH']}"})


def milliseconds(program, times=40):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run([program, "version"], check=True, capture_output=True)
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def main(archive):
    with tempfile.TemporaryDirectory(prefix="sluice-portable-") as scratch:
        root = Path(scratch).resolve()
        tree = check_places(archive, root)
        check_refusals(tree, root)
        launched, direct = milliseconds(tree / "bin/sluice"), milliseconds(tree / "lib/sluice/sluice")
        print(f"sluice version: {direct:.1f} ms, by the launcher {launched:.1f} ms")
        if launched - direct > 2 * LAUNCH_MS_MAX:
            sys.exit(f"the launcher takes {launched - direct:.1f} ms, at most {LAUNCH_MS_MAX} are meant")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
