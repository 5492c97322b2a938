#!/usr/bin/env python3
"""npm_packages.py DIST: makes the npm packages of the trees in DIST.

DIST/npm/sluice-mcp-sluice-V.tgz         bin/sluice.js, which starts the program of the platform's package
DIST/npm/sluice-mcp-linux-ARCH-V.tgz     the tree of each processor whose tree is there

Nothing runs at installation, nothing is downloaded, and npm installs the package of the machine alone.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from package_files import (DESCRIPTION, GLIBC_MIN, NPM_SCOPE, PROCESSORS, REGISTRY_NAME, REPOSITORY, ROOT, copy_tree, fill,
                           gzip_bytes, megabytes, tar_bytes, tree_in, trees_in, version)

NODE_MIN = 18


def common(name, description):
    return {"name": f"{NPM_SCOPE}/{name}", "version": version(), "description": description, "license": "MIT",
            "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}}


def pack(folder, manifest, file):
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    file.write_bytes(gzip_bytes(tar_bytes(folder, "package", names_folders=False)))
    print(f"{file} {megabytes(file)}")


def make_wrapper(folder, file):
    """It names the packages of all platforms, also of those that are made on another machine."""
    (folder / "bin").mkdir()
    text = (ROOT / "packaging/npm/sluice.js").read_text()
    (folder / "bin/sluice.js").write_text(fill(text, GLIBC_MAJOR=GLIBC_MIN[0], GLIBC_MINOR=GLIBC_MIN[1]))
    (folder / "bin/sluice.js").chmod(0o755)
    for name in ("LICENSE", "README.md"):
        shutil.copyfile(ROOT / name, folder / name)
    pack(folder, {
        **common("sluice", DESCRIPTION),
        "mcpName": REGISTRY_NAME,
        "keywords": ["mcp", "model-context-protocol", "sql", "parquet", "csv", "duckdb"],
        "bin": {"sluice": "bin/sluice.js"},
        "files": ["bin/sluice.js"],
        "engines": {"node": f">={NODE_MIN}"},
        "optionalDependencies": {f"{NPM_SCOPE}/linux-{name}": version() for name in PROCESSORS},
    }, file)


def make_platform(folder, tree, processor, file):
    """Without the launcher: bin/sluice.js looks itself whether the program can run."""
    copy_tree(tree / "lib", folder / "lib")
    copy_tree(tree / "share", folder / "share")
    pack(folder, {
        **common(f"linux-{processor.name}", f"Sluice for Linux on {processor.machine}; install {NPM_SCOPE}/sluice"),
        "os": ["linux"], "cpu": [processor.name], "libc": ["glibc"],
        "files": ["lib", "share"],
        "preferUnplugged": True,  # Yarn would leave the program in an archive, where it cannot be started.
    }, file)


def main(dist):
    target = dist / "npm"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    made = [("sluice", make_wrapper, ())]
    made += [(f"linux-{p.name}", make_platform, (tree_in(dist, p), p)) for p in trees_in(dist)]
    for name, make, arguments in made:
        with tempfile.TemporaryDirectory(prefix="sluice-npm-", dir=dist) as scratch:
            make(Path(scratch), *arguments, target / f"{NPM_SCOPE[1:]}-{name}-{version()}.tgz")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
