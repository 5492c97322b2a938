#!/usr/bin/env python3
"""signature.py ROOT: `scripts/release sign` signs the checksums, and what was signed cannot be changed."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, **options)


def main(root):
    with tempfile.TemporaryDirectory(prefix="sluice-sign-") as scratch:
        folder = Path(scratch).resolve()
        tree, key, public = folder / "tree", folder / "secret.key", folder / "public.key"
        for name in ("scripts/release", "CMakeLists.txt", "packaging/tools/package_files.py", "packaging/tools/release_checks.py"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tree / name)
        (tree / "dist").mkdir()
        (tree / "dist/file").write_text("content")
        sums = tree / "dist/SHA256SUMS"
        sums.write_text(f"{hashlib.sha256(b'content').hexdigest()}  file\n")
        made = run("minisign", "-G", "-W", "-p", public, "-s", key)
        if made.returncode != 0:
            sys.exit(f"minisign makes no key: {made}")
        done = run(tree / "scripts/release", "sign", key)
        verify = ["minisign", "-V", "-p", public, "-m", sums]
        if done.returncode != 0 or run(*verify).returncode != 0:
            sys.exit(f"the signature is not valid: {done}")
        sums.write_text(sums.read_text().replace("file", "other"))
        if run(*verify).returncode == 0:
            sys.exit("the signature is valid for other checksums")
    print("signed and verified")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
