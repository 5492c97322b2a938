#!/usr/bin/env python3
"""deb_in_root.py SUITE ARCH DIST: runs scripts/deb on a copy of this tree in a bare root of the suite.

Compilations are cached in build/deb-SUITE, so that a second run takes as long as installing the compiler.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from package_files import ROOT, epoch, fail
from roots import ENVIRONMENT, scratch_root

SCRIPT = """
cd /build
apt-get --quiet --quiet update
scripts/deb "$1" "$2" /tmp/given/out
"""


def copy_sources(root):
    """Every file that git tracks, as it is now."""
    target = root.place("/build/.")
    target.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
    with subprocess.Popen(["tar", "-C", ROOT, "--null", "--files-from=-", "-cf", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as packing:
        with subprocess.Popen(["tar", "-C", target, "-xf", "-"], stdin=packing.stdout) as unpacking:
            packing.stdin.write(listed)
            packing.stdin.close()
    if packing.returncode != 0 or unpacking.returncode != 0:
        fail("the sources cannot be copied")


def copy_engine(root):
    """DuckDB, if it was downloaded already for this machine, which is one of the same processor."""
    if (ROOT / ".deps/duckdb/stamp").is_file():
        shutil.copytree(ROOT / ".deps/duckdb", root.place("/build/.deps/duckdb"))


def head_commit():
    """Empty if the tree has changes."""
    is_clean = subprocess.run(["git", "-C", ROOT, "diff", "--quiet", "HEAD"], check=False).returncode == 0
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, capture_output=True,
                          text=True).stdout.strip() if is_clean else ""


def main(suite, architecture, dist):
    shared = ROOT / f"build/deb-{suite}"
    (shared / "out").mkdir(parents=True, exist_ok=True)
    for old in (shared / "out").iterdir():
        old.unlink()
    with scratch_root(suite, architecture) as root:
        copy_sources(root)
        copy_engine(root)
        environment = {**ENVIRONMENT, "SOURCE_DATE_EPOCH": str(epoch()), "SLUICE_COMMIT": head_commit(), "HOME": "/root",
                       "CCACHE_DIR": "/tmp/given/ccache", "JOBS": os.environ.get("JOBS", str(os.cpu_count()))}
        if "NPM_CONFIG_REGISTRY" in os.environ:
            environment["NPM_CONFIG_REGISTRY"] = os.environ["NPM_CONFIG_REGISTRY"]
        words = root.command("bash", "-euo", "pipefail", "-c", SCRIPT, "deb", suite, architecture, network=True, given=shared)
        if subprocess.run(words, env=environment, check=False).returncode != 0:
            fail(f"the packages for {suite} were not made")
    for file in sorted((shared / "out").glob("*.deb")):
        file.rename(dist / file.name)
        print(dist / file.name)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve())
