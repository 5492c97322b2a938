#!/usr/bin/env python3
"""bundle.py DIST: makes DIST/sluice-V-linux-ARCH.mcpb, which desktop hosts install by a double click, of each tree in DIST."""

import sys
import tempfile
from pathlib import Path

from package_files import (DESCRIPTION, GLIBC_MIN, REPOSITORY, ROOT, copy_tree, fill, megabytes, tree_in, trees_in, version,
                           write_zip)


def make(tree, processor, file):
    with tempfile.TemporaryDirectory(prefix="sluice-mcpb-", dir=file.parent) as scratch:
        folder = Path(scratch)
        copy_tree(tree, folder / "server")
        manifest = fill((ROOT / "packaging/mcpb/manifest.json").read_text(), VERSION=version(), DESCRIPTION=DESCRIPTION,
                        REPOSITORY=REPOSITORY, MACHINE=processor.machine, GLIBC_MIN=".".join(map(str, GLIBC_MIN)))
        (folder / "manifest.json").write_text(manifest)
        write_zip(folder, file)
    print(f"{file} {megabytes(file)}")


def main(dist):
    for processor in trees_in(dist):
        tree = tree_in(dist, processor)
        make(tree, processor, tree.with_name(tree.name + ".mcpb"))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
