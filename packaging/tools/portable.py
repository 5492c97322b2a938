#!/usr/bin/env python3
"""portable.py BUILD DIST: makes DIST/sluice-V-linux-ARCH, the tree that every package but .deb wraps, and its archive.

bin/sluice             a launcher, which says in one line why the program cannot run here
lib/sluice/            the program, libduckdb.so, and every C library that is not glibc's
share/doc/sluice/      README, licences, and sbom.cdx.json, which says what came from where

Beside it DIST/sluice-V-linux-ARCH.debug gets the symbols that were stripped from the program.
"""

import shutil
import sys
from pathlib import Path

import sbom
from package_files import GLIBC_MIN, ROOT, fail, fill, gzip_bytes, megabytes, run, tar_bytes, target_processor, target_tool, tree_in
from elf import needed

# From the machine itself: what belongs to its C library, and the compiler's libraries, which newer ones replace.
HOST_LIBRARIES = frozenset(
    "libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2 libutil.so.1 libanl.so.1 libmvec.so.1"
    " ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 libgcc_s.so.1 libstdc++.so.6".split())


def library_file(name, processor):
    for folder in (f"/usr/lib/{processor.triplet}", f"/lib/{processor.triplet}", "/usr/lib", "/lib"):
        path = Path(folder) / name
        if path.exists():
            return path.resolve()
    fail(f"{name} is not in /usr/lib/{processor.triplet}; is its package installed?")


def libraries_of(program, processor):
    """Name to file of every library to take along."""
    found, waiting = {}, needed(program)
    while waiting:
        name = waiting.pop()
        if name in HOST_LIBRARIES or name in found:
            continue
        found[name] = library_file(name, processor)
        waiting += needed(found[name])
    return dict(sorted(found.items()))


def install(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def strip_program(program, debug):
    run(target_tool("objcopy"), "--only-keep-debug", program, debug)
    debug.chmod(0o644)
    run(target_tool("strip"), "--strip-all", program)
    run(target_tool("objcopy"), f"--add-gnu-debuglink={debug}", program)


def main(build, dist):
    processor = target_processor()
    folder = tree_in(dist, processor)
    shutil.rmtree(folder, ignore_errors=True)
    library_folder = folder / "lib" / "sluice"
    program = library_folder / "sluice"
    install(build / "sluice", program, 0o755)
    strip_program(program, folder.with_name(folder.name + ".debug"))
    libraries = libraries_of(program, processor)
    for name, source in libraries.items():
        install(source, library_folder / name)
    duckdb = (build / "libduckdb.so").resolve()
    install(duckdb, library_folder / "libduckdb.so")
    run(target_tool("strip"), "--strip-all", library_folder / "libduckdb.so")
    launcher = fill((ROOT / "packaging/portable/sluice.sh").read_text(), MACHINE=processor.machine, LOADER=processor.loader,
                    GLIBC_MIN=".".join(map(str, GLIBC_MIN)), GLIBC_MAJOR=GLIBC_MIN[0], GLIBC_MINOR=GLIBC_MIN[1])
    (folder / "bin").mkdir()
    (folder / "bin/sluice").write_text(launcher)
    (folder / "bin/sluice").chmod(0o755)
    documents = folder / "share/doc/sluice"
    for name in ("LICENSE", "README.md", "CHANGELOG.md"):
        install(ROOT / name, documents / name)
    sbom.write(documents, libraries, processor)
    archive = dist / f"{folder.name}.tar.gz"
    archive.write_bytes(gzip_bytes(tar_bytes(folder, folder.name)))
    print(f"{archive} {megabytes(archive)}, {len(libraries)} libraries")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
