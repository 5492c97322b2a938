#!/usr/bin/env python3
"""deb.py SUITE DIST: what the Debian packages hold and need, and that they can be upgraded."""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from elf import is_elf, run_paths  # noqa: E402
from package_files import ROOT, run, this_processor, version  # noqa: E402
from roots import SUITES, scratch_root  # noqa: E402

PACKED_BYTES_MAX = 22_000_000
INSTALLED_KB_MAX = 90_000
INSTALLED_WITHIN_S = 15  # On a bare system, with what it needs from the mirror.
EXPOSURE_MAX = 20  # Tenths, of what systemd-analyze says.
EXPECTED = {"usr/bin/sluice", "usr/lib/sluice/libduckdb.so", "usr/lib/systemd/system/sluice.service",
            "usr/share/doc/sluice/copyright", "usr/share/doc/sluice/changelog.gz", "usr/share/doc/sluice/README.md",
            "usr/share/doc/sluice/CONFIGURATION.md", "usr/share/doc/sluice/examples/sluice.yaml"}
GENERATED = re.compile(r"usr/share/(man/man\d/|bash-completion/|zsh/|fish/)")


def check_program_package(file, folder):
    run("dpkg-deb", "--raw-extract", file, folder)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    scripts = {name for name in files if name.startswith("DEBIAN/")} - {"DEBIAN/control", "DEBIAN/md5sums"}
    if scripts != {"DEBIAN/postinst", "DEBIAN/prerm", "DEBIAN/postrm"}:
        sys.exit(f"the package has the scripts {sorted(scripts)}")
    for name in scripts:
        commands = set(re.findall(r"\b(systemctl|deb-systemd-\w+|ldconfig|adduser|useradd|chown|rm|curl|wget)\b",
                                  (folder / name).read_text()))
        if commands - {"systemctl", "deb-systemd-invoke"}:
            sys.exit(f"{name} runs {commands}")
    surprising = {name for name in files if not name.startswith("DEBIAN/") and not GENERATED.match(name)} ^ EXPECTED
    if surprising:
        sys.exit(f"the package has, or lacks, {sorted(surprising)}")
    for path in folder.rglob("*"):
        if path.is_file() and is_elf(path) and run_paths(path):
            sys.exit(f"{path.name} has the run paths {run_paths(path)}")
    copyright_text = (folder / "usr/share/doc/sluice/copyright").read_text()
    for name in ("Sluice", "DuckDB", "Boost", "CLI11", "FlatBuffers", "fmt", "spdlog"):
        if name.lower() not in copyright_text.lower():
            sys.exit(f"the copyright does not mention {name}")
    kilobytes = int(run("dpkg-deb", "--field", file, "Installed-Size"))
    print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB of {PACKED_BYTES_MAX / 1e6:.0f}, installed {kilobytes / 1000:.0f} MB"
          f" of {INSTALLED_KB_MAX / 1000:.0f}")
    if file.stat().st_size > PACKED_BYTES_MAX or kilobytes > INSTALLED_KB_MAX:
        sys.exit("the package is larger than is meant")


def check_dependencies(file):
    """On the libraries of the suite, so that its security updates count; whether they suffice is seen when it is installed."""
    depends = run("dpkg-deb", "--field", file, "Depends")
    names = set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends))
    if not {"libc6", "libcurl4", "libssl3", "libcurl4t64", "libssl3t64"} & names or len(names) < 10 or "-dev" in depends:
        sys.exit(f"the package depends on {depends}")


def check_unit(folder):
    unit = folder / "usr/lib/systemd/system/sluice.service"
    run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", unit)
    installed = folder.with_name("sluice.service")  # Where the program is before it is installed.
    installed.write_text(unit.read_text().replace("/usr/bin/sluice", f"{folder}/usr/bin/sluice"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", installed], capture_output=True, text=True)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "sluice" in line]
    if said:
        sys.exit("\n".join(said))


def older(file, folder, target):
    """The same package, as an earlier version of it."""
    control = folder / "DEBIAN/control"
    text = control.read_text()
    control.write_text(text.replace(f"Version: {version()}-", "Version: 0.0.1-"))
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", folder, target)
    control.write_text(text)


def expect(done, what):
    if done.returncode != 0:
        sys.exit(f"{what}: {done.stdout[-1500:]} {done.stderr[-1500:]}")
    return done.stdout


def check_upgrade(suite, file, earlier):
    """On a bare system: every library is there, an upgrade replaces the files, and systemd's scripts do without systemd."""
    with scratch_root(suite, this_processor().debian) as root:
        for package in (file, earlier):
            root.place(f"/opt/{package.name}").write_bytes(package.read_bytes())
        expect(root.run("apt-get", "--quiet", "update", network=True), "apt-get update")
        install = ["apt-get", "--quiet", "--yes", "--no-install-recommends", "install"]
        begun = time.monotonic()
        expect(root.run(*install, f"/opt/{earlier.name}", network=True), "install the earlier version")
        # Printed and no more: the speed of the mirror is its own.
        print(f"apt-get install ./sluice.deb: {time.monotonic() - begun:.1f} s, {INSTALLED_WITHIN_S} s are meant")
        expect(root.run(*install, f"/opt/{file.name}", network=True), "upgrade")
        installed = expect(root.run("dpkg-query", "--show", "--showformat=${Version} ${db:Status-Status}", "sluice"), "query")
        if installed != f"{version()}-1~{SUITES[suite]} installed":
            sys.exit(f"after the upgrade there is {installed}")
        missing = expect(root.run("sh", "-c", "ldd /usr/bin/sluice /usr/lib/sluice/libduckdb.so | grep 'not found' || true"), "ldd")
        if missing:
            sys.exit(f"libraries are missing: {missing}")
        said = expect(root.run("/usr/bin/sluice", "version"), "version")
        if said != f"sluice {version()}\n":
            sys.exit(f"the installed program says {said!r}")
        expect(root.run("dpkg", "--verify", "sluice"), "dpkg --verify")


def check_sdk(file, scratch):
    """Headers, archives and a CMake package by which the examples' project is configured."""
    prefix = scratch / "sdk"
    run("dpkg-deb", "--extract", file, prefix)
    run("cmake", "-S", ROOT / "tests/install/consumer", "-B", scratch / "consumer", "-G", "Ninja", f"-DEXAMPLES={ROOT}/examples",
        f"-DCMAKE_PREFIX_PATH={prefix}/usr")
    cache = (scratch / "consumer/CMakeCache.txt").read_text()
    if f"sluice_DIR:PATH={prefix}/usr/lib/{this_processor().triplet}/cmake/sluice" not in cache:
        sys.exit("CMake finds another SDK than that of the package")
    commands = run("ninja", "-C", scratch / "consumer", "-t", "commands")
    archives = set(re.findall(rf"{re.escape(str(prefix))}\S+\.a", commands))
    if len(archives) < 5 or not all(Path(archive).is_file() for archive in archives):
        sys.exit(f"the SDK links {sorted(archives)}")
    for folder in set(re.findall(rf"{re.escape(str(prefix))}\S*/include\b", commands)) or {"nothing"}:
        if not (Path(folder) / "sluice/server").is_dir():
            sys.exit(f"the SDK includes from {folder}")


def main(suite, dist):
    ending = f"{version()}-1~{SUITES[suite]}_{this_processor().debian}.deb"
    file = dist / f"sluice_{ending}"
    with tempfile.TemporaryDirectory(prefix="sluice-deb-") as scratch:
        folder = Path(scratch) / "unpacked"
        check_program_package(file, folder)
        check_dependencies(file)
        check_unit(folder)
        check_sdk(dist / f"libsluice-dev_{ending}", Path(scratch))
        earlier = Path(scratch) / "earlier.deb"
        older(file, folder, earlier)
        check_upgrade(suite, file, earlier)
    print(f"the packages for {suite} are right")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve())
