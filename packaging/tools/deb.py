#!/usr/bin/env python3
"""deb.py BUILD SUITE DIST: makes sluice and libsluice-dev for Debian of what BUILD holds, on a machine of that suite.

DIST/sluice_V-1~debN_ARCH.deb           the program, libduckdb.so, the unit, and what `cmake --install` makes of man pages
                                        and shell completions
DIST/libsluice-dev_V-1~debN_ARCH.deb    headers, archives and the CMake package
"""

import gzip
import hashlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import sbom
from elf import is_elf
from package_files import DESCRIPTION, REPOSITORY, ROOT, epoch, fail, files_below, megabytes, run, this_processor, version
from roots import SUITES

MAINTAINER = "The Sluice authors <sluice@users.noreply.github.com>"
# What is installed below share and belongs to the program, if the build makes it.
SHARED = ["man", "bash-completion", "zsh", "fish"]
LONG_DESCRIPTION = """ Sluice is a server of the Model Context Protocol. It makes tables of files in
 Parquet, CSV and JSON, of SQLite and PostgreSQL databases and of HTTP APIs, and
 answers SQL over all of them with results of bounded size."""


def debian_version(suite):
    return f"{version()}-1~{SUITES[suite]}"


def move(source, target):
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)


def copy(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def split(installed, program, sdk, triplet):
    """Sorts what was installed below /usr into the two packages."""
    move(installed / "bin", program / "usr/bin")
    move(installed / "lib/sluice", program / "usr/lib/sluice")
    for name in SHARED:
        move(installed / "share" / name, program / "usr/share" / name)
    move(installed / "include", sdk / "usr/include")
    move(installed / "lib" / triplet, sdk / "usr/lib" / triplet)
    shutil.rmtree(installed / "share/doc")
    left = [path for path in files_below(installed) if not path.is_dir()]
    if left:
        fail(f"no package takes {', '.join(str(path.relative_to(installed)) for path in left[:5])}")


def strip(package):
    for path in files_below(package):
        if path.is_file() and not path.is_symlink() and is_elf(path):
            run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", path)
    # Files of one build have one time in their archives, too.
    for path in package.rglob("*.a"):
        run("strip", "--strip-debug", "--enable-deterministic-archives", path)


def compress_manual(package):
    for path in [*package.glob("usr/share/man/**/*.[1-9]")]:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), compresslevel=9, mtime=0))
        path.unlink()


def write_copyright(documents, libraries):
    """The licence of the program, and of everything whose code is in it: linked in, or taken along."""
    parts = [f"Sluice {version()}, {REPOSITORY}\n\n{(ROOT / 'LICENSE').read_text().strip()}\n"]
    taken = [("DuckDB, whose library is /usr/lib/sluice/libduckdb.so", ROOT / ".deps/duckdb/LICENSE")] if libraries else []
    taken += [(f"{name}, parts of which are linked in", Path(f"/usr/share/doc/{name}/copyright"))
              for name in sbom.headers_linked_in()]
    for name, file in taken:
        parts.append(f"{name}:\n\n{file.read_text(errors='replace').strip()}\n")
    (documents / "copyright").write_text(f"\n{'-' * 78}\n\n".join(parts))


def write_documents(package, name, programs):
    documents = package / "usr/share/doc" / name
    documents.mkdir(parents=True, exist_ok=True)
    write_copyright(documents, programs)
    (documents / "changelog.gz").write_bytes(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), compresslevel=9, mtime=0))
    if programs:
        copy(ROOT / "README.md", documents / "README.md")
        copy(ROOT / "docs/CONFIGURATION.md", documents / "CONFIGURATION.md")
        copy(ROOT / "packaging/debian/sluice.yaml", documents / "examples/sluice.yaml")


def shared_library_dependencies(package, folder):
    """What of the suite the program and the engine need, with the versions that they need."""
    (folder / "debian").mkdir(exist_ok=True)
    (folder / "debian/control").write_text("Source: sluice\n\nPackage: sluice\nArchitecture: any\n")
    said = run("dpkg-shlibdeps", "-O", package / "usr/bin/sluice", "-e", package / "usr/lib/sluice/libduckdb.so",
               f"-l{package / 'usr/lib/sluice'}", cwd=folder)
    return re.search(r"^shlibs:Depends=(.*)$", said, re.MULTILINE).group(1)


def sdk_dependencies():
    """The development packages that sluiceConfig.cmake looks for, by the names that they have in this suite."""
    headers = ["boost/version.hpp", "openssl/ssl.h", "fmt/format.h", "spdlog/spdlog.h", "re2/re2.h", "unicode/uchar.h",
               "curl/curl.h"]
    folders = [Path("/usr/include"), Path("/usr/include") / this_processor().triplet]
    files = [next((folder / header for folder in folders if (folder / header).exists()), None) for header in headers]
    if None in files:
        fail(f"{headers[files.index(None)]} is not installed")
    return ", ".join(sorted({sbom.owner_of(file.resolve()) for file in files}))


def control(name, suite, installed_kb, **fields):
    lines = {"Package": name, "Source": "sluice", "Version": debian_version(suite), "Architecture": this_processor().debian,
             "Maintainer": MAINTAINER, "Installed-Size": installed_kb, **fields, "Priority": "optional",
             "Homepage": REPOSITORY}
    return "".join(f"{field}: {value}\n" for field, value in lines.items() if value) + \
        f"Description: {DESCRIPTION if name == 'sluice' else DESCRIPTION + ' (C++ library)'}\n{LONG_DESCRIPTION}\n"


def pack(package, name, suite, dist, **fields):
    files = [path for path in files_below(package) if path.is_file() and "DEBIAN" not in path.parts]
    kilobytes = sum(-(-path.stat().st_size // 1024) for path in files)
    meta = package / "DEBIAN"
    meta.mkdir(exist_ok=True)
    (meta / "control").write_text(control(name, suite, kilobytes, **fields))
    (meta / "md5sums").write_text("".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(package)}\n"
                                          for path in files))
    for path in [package, *files_below(package)]:
        if not path.is_symlink():
            executable = path.is_dir() or os.access(path, os.X_OK) and path.suffix != ".so"
            path.chmod(0o755 if executable else 0o644)
            os.utime(path, (epoch(), epoch()))
    file = dist / f"{name}_{debian_version(suite)}_{this_processor().debian}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=2", "--build", package, file,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    print(f"{file} {megabytes(file)}, {kilobytes / 1000:.0f} MB installed")


def main(build, suite, dist):
    with tempfile.TemporaryDirectory(prefix="sluice-deb-", dir=dist) as scratch:
        folder = Path(scratch)
        program, sdk = folder / "sluice", folder / "libsluice-dev"
        run("cmake", "--install", build, "--prefix", folder / "usr")
        split(folder / "usr", program, sdk, this_processor().triplet)
        for package in (program, sdk):
            strip(package)
        compress_manual(program)
        write_documents(program, "sluice", True)
        write_documents(sdk, "libsluice-dev", False)
        copy(ROOT / "packaging/sluice.service", program / "usr/lib/systemd/system/sluice.service")
        for name in ("postinst", "prerm", "postrm"):
            copy(ROOT / "packaging/debian" / name, program / "DEBIAN" / name, 0o755)
        pack(program, "sluice", suite, dist, Section="database", Depends=shared_library_dependencies(program, folder))
        pack(sdk, "libsluice-dev", suite, dist, Section="libdevel", Depends=sdk_dependencies())


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve())
