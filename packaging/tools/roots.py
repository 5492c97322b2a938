"""Bare Debian systems in folders: packages are built in them, and tried out in them."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from package_files import ROOT, fail, run

SUITES = {"bullseye": "deb11", "bookworm": "deb12", "trixie": "deb13"}  # With what versions of packages for them end in.
FOLDER = Path(os.environ.get("SLUICE_ROOTS", ROOT / "build/roots"))

# In a mount namespace of its own: the lower root with what was written so far over it, then /proc, a /tmp of its own, and the
# command. Every step replaces the shell's process, so that a signal reaches the command itself.
ENTER = """
set -e
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount -t proc proc "$2/root/proc"
[ "$3" = writable ] || mount -o remount,ro "$2/root"
mount -t tmpfs -o mode=1777 tmpfs "$2/root/tmp"
[ -z "$5" ] || { mkdir -p "$2/root/tmp/given" && mount --bind "$5" "$2/root/tmp/given"; }
root=$2/root user=$4
shift 5
exec chroot ${user:+--userspec=$user --groups=} "$root" "$@"
"""


def require_root(what):
    if os.geteuid() != 0:
        fail(f"{what} needs root, to mount the file systems of a bare Debian system")


def base_root(suite, architecture="amd64", include=()):
    """The folder of a bare system, which is made once; nothing may write to it."""
    require_root(f"a root of {suite}")
    name = "-".join([suite, architecture.replace(",", "+"), *([f"{hash_of(include)}"] if include else [])])
    folder = FOLDER / name
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            print(f"== mmdebstrap {suite} {architecture} {' '.join(include)}", flush=True)
            unfinished = FOLDER / f"{name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            run("mmdebstrap", "--quiet", "--variant=minbase", f"--architectures={architecture}",
                *([f"--include={','.join(include)}"] if include else []), suite, unfinished)
            unfinished.rename(folder)
    return folder


def hash_of(words):
    import hashlib
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]


class Root:
    """A bare system that can be written to; the base stays as it is."""

    def __init__(self, base, scratch):
        self.base, self.scratch = Path(base), Path(scratch)
        for name in ("upper", "work", "root"):
            (self.scratch / name).mkdir(parents=True)

    def place(self, path):
        """Where to put a file, before a command runs, that the system shall have at `path`."""
        target = self.scratch / "upper" / path.lstrip("/")
        folder = self.scratch / "upper"
        for part in Path(path.lstrip("/")).parent.parts:  # Links such as /lib would be covered by folders.
            if (self.base / folder.relative_to(self.scratch / "upper") / part).is_symlink():
                fail(f"{path} leads over a link of {self.base}")
            folder /= part
            folder.mkdir(exist_ok=True)
        return target

    def command(self, *words, user="", writable=True, network=False, given=""):
        """The words that run a command in it, without a network unless said otherwise; `given` is mounted at /tmp/given."""
        options = ["--mount"] if network else ["--mount", "--net"]
        return ["unshare", *options, "sh", "-c", ENTER, "sh", str(self.base), str(self.scratch),
                "writable" if writable else "read-only", user, str(given), *map(str, words)]

    def run(self, *words, **options):
        return subprocess.run(self.command(*words, **options), capture_output=True, text=True, timeout=900, env=ENVIRONMENT)


ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
               **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}}


@contextmanager
def scratch_root(suite, architecture="amd64", include=()):
    base = base_root(suite, architecture, include)
    with tempfile.TemporaryDirectory(prefix="root-", dir=FOLDER) as scratch:
        yield Root(base, scratch)
