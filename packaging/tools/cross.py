#!/usr/bin/env python3
"""cross.py DIST: makes DIST/sluice-V-linux-arm64 and its archive on a machine with x86_64.

A compiler for arm64 and the libraries of arm64 are in a bare Debian of their own, and scripts/portable runs in it on a copy
of this tree. Compilations are cached in build/cross-arm64.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deb_in_root import copy_sources, head_commit
from package_files import PROCESSORS, ROOT, epoch, fail, this_processor
from roots import ENVIRONMENT, FOLDER, Root, base_root

SUITE = "bookworm"
TARGET = PROCESSORS["arm64"]
TOOLS = ["g++-aarch64-linux-gnu", "binutils", "cmake", "ninja-build", "ccache", "pkg-config", "python3", "dpkg-dev"]
LIBRARIES = ["libboost1.81-dev", "libfmt-dev", "libspdlog-dev", "libssl-dev", "libyaml-cpp-dev", "libcli11-dev", "libre2-dev",
             "libicu-dev", "libflatbuffers-dev", "libsqlite3-dev", "libpq-dev", "libgit2-dev", "libcurl4-openssl-dev",
             "libzip-dev", "libexpat1-dev", "liblz4-dev", "zlib1g-dev", "libzstd-dev"]
PORTABLE = """
cd /build
scripts/portable /tmp/given/out
"""


def cross_root():
    return base_root(SUITE, f"{this_processor().debian},{TARGET.debian}",
                     [*TOOLS, *(f"{name}:{TARGET.debian}" for name in LIBRARIES)])


def main(dist):
    if this_processor().name == TARGET.name:
        fail("this machine is one of arm64: `make portable` makes its folder")
    shared = ROOT / f"build/cross-{TARGET.name}"
    shutil.rmtree(shared / "out", ignore_errors=True)
    (shared / "out").mkdir(parents=True)
    base = cross_root()
    with tempfile.TemporaryDirectory(prefix="root-", dir=FOLDER) as scratch:
        root = Root(base, scratch)
        copy_sources(root)
        shutil.copytree(ROOT / f".deps/duckdb-{TARGET.name}", root.place("/build/.deps/duckdb"))
        environment = {**ENVIRONMENT, "SOURCE_DATE_EPOCH": str(epoch()), "SLUICE_COMMIT": head_commit(), "HOME": "/root",
                       "SLUICE_PROCESSOR": TARGET.name, "CCACHE_DIR": "/tmp/given/ccache",
                       "PKG_CONFIG_LIBDIR": f"/usr/lib/{TARGET.triplet}/pkgconfig:/usr/share/pkgconfig",
                       "JOBS": os.environ.get("JOBS", str(os.cpu_count()))}
        words = root.command("bash", "-euo", "pipefail", "-c", PORTABLE, given=shared)
        if subprocess.run(words, env=environment, check=False).returncode != 0:
            fail(f"the folder for {TARGET.name} was not made")
    for path in sorted((shared / "out").iterdir()):
        target = dist / path.name
        if target.is_dir():
            shutil.rmtree(target)
        shutil.move(path, target)
        print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
