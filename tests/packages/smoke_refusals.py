#!/usr/bin/env python3
"""smoke_refusals.py DIST: what the program says on systems that it cannot run on, or where something is missing."""

import re
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from package_files import PROCESSORS, this_processor, version  # noqa: E402
from roots import require_root, scratch_root  # noqa: E402
from smoke import install_npm  # noqa: E402

CONTAINER = "use the container image"
AGAIN = "install the program again, with its libraries"


def install(root, dist):
    """The folder of the program in the root."""
    tree = f"sluice-{version()}-linux-{this_processor().name}"
    with tarfile.open(dist / f"{tree}.tar.gz") as archive:
        archive.extractall(root.place("/opt/unpacked"))
    root.place("/data/numbers.csv").write_text("n\n1\n")
    return f"/opt/unpacked/{tree}"


def shell(root, script):
    """Runs it in the system, to break it."""
    done = root.run("sh", "-ec", script)
    if done.returncode != 0:
        sys.exit(f"{script}: {done.stderr}")


def expect_line(root, line, *command):
    """One line on stderr, nothing else, and the status 1."""
    done = root.run(*command)
    if (done.returncode, done.stdout, done.stderr) != (1, "", f"sluice: {line}\n"):
        sys.exit(f"{command}: expected {line!r}, found {done.returncode} {done.stdout!r} {done.stderr!r}")


def expect_failed(root, pattern, *command):
    """`check` ends with 1, and its one line about the engine is this; sources that need an engine fail, too."""
    done = root.run(*command)
    failed = [line for line in done.stdout.splitlines() if re.match(r"\w+ +engine: ", line)]
    if done.returncode != 1 or len(failed) != 1 or not re.fullmatch(pattern, failed[0]) or done.stderr:
        sys.exit(f"{command}: expected {pattern!r}, found {done.returncode} {failed} {done.stderr!r}")


def check_old_system(dist):
    needs = "this build needs glibc 2.34 or newer, and this system has 2.31"
    with scratch_root("bullseye", this_processor().debian) as root:
        program = f"{install(root, dist)}/bin/sluice"
        expect_line(root, f"{needs}; {CONTAINER}", program, "version")
        expect_line(root, f"{needs}; {CONTAINER}", program, "serve", "/data")
        wrapper, _ = install_npm(root, dist)
        expect_line(root, f"{needs}; {CONTAINER}", *wrapper, "version")


def check_other_machine(dist):
    ours = this_processor()
    other = next(processor.machine for processor in PROCESSORS.values() if processor != ours)
    with scratch_root("bookworm", ours.debian) as root:
        program = f"{install(root, dist)}/bin/sluice"
        shell(root, f"printf '#!/bin/sh\\necho {other}\\n' >/usr/local/bin/uname; chmod +x /usr/local/bin/uname")
        expect_line(root, f"this build is for {ours.machine}, and this machine is {other}", program, "version")
        shell(root, f"rm /usr/local/bin/uname /usr/bin/getconf; touch /lib/ld-musl-{ours.machine}.so.1")
        expect_line(root, f"this build needs glibc 2.34 or newer, and this system has another C library; {CONTAINER}",
                    program, "version")


def check_engine(dist):
    with scratch_root("bookworm", this_processor().debian) as root:
        tree = install(root, dist)
        program, library = f"{tree}/bin/sluice", f"{tree}/lib/sluice/libduckdb.so"
        place = re.escape(f"FAILED engine: libduckdb.so cannot be loaded from {library}: ")
        shell(root, "mv /usr/lib/*/libstdc++.so.6 /usr/lib/kept")
        expect_failed(root, rf"{place}libstdc\+\+\.so\.6: [^;]+; {AGAIN}", program, "check", "/data")
        shell(root, f"mv /usr/lib/kept /usr/lib/{this_processor().triplet}/libstdc++.so.6; rm {library}")
        expect_failed(root, f"{place}there is no such file; {AGAIN}", program, "check", "/data")
        shell(root, f"touch {library}")
        expect_failed(root, rf"{place}it is not a file with anything in it; {AGAIN}", program, "check", "/data")


def check_certificates(dist):
    with scratch_root("bookworm", this_processor().debian) as root:
        program = f"{install(root, dist)}/bin/sluice"
        root.place("/data/sluice.yaml").write_text(
            'apis: [ { name: v1, base: "https://api.example.org", endpoints: [ { name: status, path: /status } ] } ]\n')
        done = root.run(program, "check", "/data/sluice.yaml")
        if done.returncode != 1 or "no certificates to check servers with; set SSL_CERT_FILE or ca_file" not in done.stdout:
            sys.exit(f"without certificates `check` says {done.stdout!r} {done.stderr!r} and ends with {done.returncode}")


def main(dist):
    require_root("smoke_refusals.py")
    check_old_system(dist)
    check_other_machine(dist)
    check_engine(dist)
    check_certificates(dist)
    print("every refusal is one line")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
