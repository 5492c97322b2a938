"""What all packages are made with: the version, the processors, and archives that are the same each time."""

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = "Serves tables, files, databases and APIs to AI agents over the Model Context Protocol"
REGISTRY_NAME = "io.github.sluice-mcp/sluice"  # In the MCP registry, the npm package and the image's label.
REPOSITORY = "https://github.com/sluice-mcp/sluice"
NPM_SCOPE = "@sluice-mcp"
GLIBC_MIN = (2, 34)


class Processor(NamedTuple):
    name: str     # As npm and our archives call it.
    machine: str  # As uname calls it.
    debian: str   # As Debian and container images call it.
    triplet: str
    loader: str


PROCESSORS = {
    "x64": Processor("x64", "x86_64", "amd64", "x86_64-linux-gnu", "/lib64/ld-linux-x86-64.so.2"),
    "arm64": Processor("arm64", "aarch64", "arm64", "aarch64-linux-gnu", "/lib/ld-linux-aarch64.so.1"),
}


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).stem}: {message}")


def run(*command, **options):
    """The standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command[:3]))} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def version():
    return re.search(r"project\(sluice VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def this_processor():
    machine = os.uname().machine
    for processor in PROCESSORS.values():
        if processor.machine == machine:
            return processor
    fail(f"there are no packages for {machine}, only for x86_64 and aarch64")


def target_processor():
    """The processor that is built for: SLUICE_PROCESSOR, else the one of this machine."""
    name = os.environ.get("SLUICE_PROCESSOR")
    if not name:
        return this_processor()
    return PROCESSORS[name] if name in PROCESSORS else fail(f"there are no packages for {name}, only for x64 and arm64")


def target_tool(name):
    """A program of the compiler's, for the processor that is built for."""
    processor = target_processor()
    return name if processor == this_processor() else f"{processor.triplet}-{name}"


def tree_in(dist, processor):
    return dist / f"sluice-{version()}-linux-{processor.name}"


def trees_in(dist):
    """The processors whose tree was made."""
    found = [processor for processor in PROCESSORS.values() if tree_in(dist, processor).is_dir()]
    if not found:
        fail(f"there is no tree of sluice {version()} in {dist}; run `make portable` first")
    return found


def copy_tree(source, target):
    shutil.copytree(source, target, symlinks=True, copy_function=shutil.copy)


def epoch():
    """The time of every file in every package: of the commit that is packaged."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def files_below(folder):
    """Every file, link and folder below it, in one order on every machine."""
    return sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix())


def mode_of(info):
    """Depends neither on the umask nor on who packs; a folder for everybody, such as /tmp, stays one."""
    if info.issym() or (info.isdir() and info.mode & 0o1000):
        return 0o1777 if info.isdir() else 0o777
    return 0o755 if info.isdir() or info.mode & 0o100 else 0o644


def tar_bytes(folder, prefix, names_folders=True):
    """The folder as a tar archive under `prefix`: sorted, owned by root, with one time. npm expects files alone."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in [folder, *files_below(folder)]:
            name = "/".join(filter(None, [prefix, "" if path == folder else path.relative_to(folder).as_posix()]))
            if not name or (path.is_dir() and not names_folders):
                continue
            info = archive.gettarinfo(path, name)
            info.mtime, info.pax_headers = epoch(), {}
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mode = mode_of(info)
            if info.isreg():
                info.type, info.linkname = tarfile.REGTYPE, ""  # Never a hard link.
                info.size = path.stat().st_size
                with path.open("rb") as content:
                    archive.addfile(info, content)
            else:
                archive.addfile(info)
    return buffer.getvalue()


def gzip_bytes(data):
    return gzip.compress(data, compresslevel=9, mtime=0)


def write_zip(folder, file):
    """The folder as a zip archive: sorted, with one time, and with the files' modes."""
    import time
    moment = time.gmtime(max(epoch(), 315532800))[:6]  # The format begins in 1980.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files_below(folder):
            if not path.is_file():
                continue
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), moment)
            info.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            archive.writestr(info, path.read_bytes(), compresslevel=9)


def fill(text, **values):
    """Replaces @NAME@; every name must be given, and every given one must occur."""
    for name, value in values.items():
        if f"@{name}@" not in text:
            fail(f"a template does not mention @{name}@")
        text = text.replace(f"@{name}@", str(value))
    left = re.search(r"@[A-Z_]+@", text)
    if left:
        fail(f"a template mentions {left.group(0)}, which nobody gives")
    return text


def megabytes(path):
    return f"{path.stat().st_size / 1e6:.1f} MB"
