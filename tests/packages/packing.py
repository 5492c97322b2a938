#!/usr/bin/env python3
"""packing.py DIST: the packages depend on the files of the tree alone, not on where, when and by whom they are packed."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from package_files import ROOT, this_processor, tree_in, version  # noqa: E402

TOOLS = ROOT / "packaging/tools"
ARCHIVE = "import sys; from pathlib import Path; from package_files import *; folder = Path(sys.argv[1]);" \
          " folder.with_name(folder.name + '.tar.gz').write_bytes(gzip_bytes(tar_bytes(folder, folder.name)))"


def copy_differently(tree, target):
    """The same files, written in another order, at another time and with another mask."""
    previous = os.umask(0o027)
    try:
        for path in sorted(tree.rglob("*"), reverse=True):
            if path.is_file():
                copied = target / path.relative_to(tree)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copied)
                copied.chmod(0o750 if os.access(path, os.X_OK) else 0o640)
                os.utime(copied, (1_000_000_000, 1_000_000_000))
    finally:
        os.umask(previous)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(dist):
    tree = tree_in(dist, this_processor())
    names = [f"{tree.name}.tar.gz", f"{tree.name}.mcpb", f"npm/sluice-mcp-linux-{this_processor().name}-{version()}.tgz",
             f"npm/sluice-mcp-sluice-{version()}.tgz"]
    with tarfile.open(dist / names[0]) as archive:
        moment = archive.next().mtime
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment), "TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "1",
                   "PYTHONPATH": str(TOOLS)}
    with tempfile.TemporaryDirectory(prefix="sluice-packing-") as scratch:
        again = Path(scratch) / "another place"
        copy_differently(tree, tree_in(again, this_processor()))
        for command in (["-c", ARCHIVE, tree_in(again, this_processor())], [TOOLS / "npm_packages.py", again],
                        [TOOLS / "bundle.py", again]):
            subprocess.run([sys.executable, *command], check=True, env=environment, stdout=subprocess.DEVNULL)
        different = [name for name in names if digest(dist / name) != digest(again / name)]
    if different:
        sys.exit(f"packed again, {', '.join(different)} {'is' if len(different) == 1 else 'are'} different")
    print(f"{len(names)} packages are the same, packed again")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
