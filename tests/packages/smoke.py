#!/usr/bin/env python3
"""smoke.py FORM SUITE DIST: one package on a bare Debian system without a compiler and without a network.

FORM is tarball, deb, npm, mcpb or image; SUITE is bookworm or trixie. An image brings its own system: instead of a suite there
is its processor, amd64 or arm64, which is emulated where the machine has another.
The program says its version, checks a table, and talks to a host over stdio in both eras of the protocol; as root, and as
another user on a file system that nobody may write to. Then it is removed, and nothing may be left of it.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

import conversation  # noqa: E402
from package_files import PROCESSORS, ROOT, run, this_processor, version  # noqa: E402
from roots import ENVIRONMENT, FOLDER, SUITES, Root, require_root, scratch_root  # noqa: E402

NODE = ROOT / f".deps/release/node_modules/node18-linux-{this_processor().name}/bin/node"


def expect(done, expected, what):
    if done.returncode != 0 or expected not in done.stdout:
        sys.exit(f"{what}: status {done.returncode}, expected {expected!r}: {done.stdout[-1500:]!r} {done.stderr[-1500:]!r}")


def install_tarball(root, dist):
    with tarfile.open(dist / f"sluice-{version()}-linux-{this_processor().name}.tar.gz") as archive:
        archive.extractall(root.place("/opt/unpacked"))
    return [f"/opt/unpacked/sluice-{version()}-linux-{this_processor().name}/bin/sluice"], "rm -r /opt/unpacked"


def install_deb(root, dist, suite):
    """First what it depends on, from the mirror; then the package itself, of which nothing may be left in the end."""
    name = f"sluice_{version()}-1~{SUITES[suite]}_{this_processor().debian}.deb"
    depends = run("dpkg-deb", "--field", dist / name, "Depends").strip()
    expect(root.run("apt-get", "--quiet", "update", network=True), "", "apt-get update")
    expect(root.run("apt-get", "--quiet", "--yes", "--no-install-recommends", "satisfy", depends, network=True), "", "apt-get satisfy")
    before = snapshot(root)
    root.place(f"/opt/{name}").write_bytes((dist / name).read_bytes())
    expect(root.run("dpkg", "--install", f"/opt/{name}"), "Setting up sluice", "dpkg --install")
    return ["/usr/bin/sluice"], f"dpkg --purge sluice; rm /opt/{name}", before


def install_npm(root, dist):
    """npm itself runs here; the system gets what it made, and Node.js."""
    packages = [dist / f"npm/sluice-mcp-{name}-{version()}.tgz" for name in ("sluice", f"linux-{this_processor().name}")]
    place = root.place("/opt/application/package.json").parent
    (place / "package.json").write_text("{}")
    run("npm", "install", "--offline", "--no-audit", "--no-fund", *packages, cwd=place)
    root.place("/usr/local/bin/node").write_bytes(NODE.read_bytes())
    root.place("/usr/local/bin/node").chmod(0o755)
    return ["/opt/application/node_modules/.bin/sluice"], "rm -r /opt/application /usr/local/bin/node"


def install_mcpb(root, dist):
    with zipfile.ZipFile(dist / f"sluice-{version()}-linux-{this_processor().name}.mcpb") as archive:
        for info in archive.infolist():
            path = root.place(f"/opt/a bundle/{info.filename}")
            path.write_bytes(archive.read(info))
            path.chmod(info.external_attr >> 16 & 0o777)
        manifest = json.loads(archive.read("manifest.json"))
    command = manifest["server"]["mcp_config"]["command"].replace("${__dirname}", "/opt/a bundle")
    return [command], "rm -r '/opt/a bundle'"


def image_root(scratch, dist, architecture):
    """The image's files, as a container has them, and what it starts."""
    archive = dist / f"sluice-{version()}-oci.tar"
    run("skopeo", "--override-arch", architecture, "copy", "--quiet", f"oci-archive:{archive}:{version()}",
        f"dir:{scratch}/copied")
    manifest = json.loads((scratch / "copied/manifest.json").read_text())
    config = json.loads((scratch / "copied" / manifest["config"]["digest"].split(":")[1]).read_text())
    if config["architecture"] != architecture:
        sys.exit(f"there is no image for {architecture}, but one for {config['architecture']}")
    base = scratch / "base"
    base.mkdir()
    for layer in manifest["layers"]:
        run("tar", "--extract", "--gzip", "--same-permissions", "--file", scratch / "copied" / layer["digest"].split(":")[1],
            "--directory", base)
    (base / "proc").mkdir(exist_ok=True)
    (scratch / "changes").mkdir()
    return Root(base, scratch / "changes"), config["config"]


def emulator(root, architecture):
    """The words before every command: none on a machine of that architecture."""
    if architecture == this_processor().debian:
        return []
    machine = next(processor.machine for processor in PROCESSORS.values() if processor.debian == architecture)
    root.place("/emulator").write_bytes(Path(f"/usr/bin/qemu-{machine}-static").read_bytes())
    root.place("/emulator").chmod(0o755)
    return ["/emulator"]


def snapshot(root):
    """What was written, except by package managers: their lists, caches and logs stay by design."""
    upper = root.scratch / "upper"
    kept = ("var/lib/apt", "var/cache", "var/log", "var/lib/dpkg", "etc/ld.so.cache", "tmp", "data")
    return {path.relative_to(upper).as_posix() for path in upper.rglob("*")
            if not path.is_dir() and not path.relative_to(upper).as_posix().startswith(kept)}


def talk(root, command, **options):
    expect(root.run(*command, "version", **options), f"sluice {version()}\n", "version")
    expect(root.run(*command, "check", "/data", **options), "1 of them readable, 2 rows", "check")
    conversation.converse(root.command(*command, "serve", "/data", **options), env=ENVIRONMENT)


def try_out(root, command):
    talk(root, command)
    talk(root, command, user="65532:65532", writable=False)


def smoke_image(dist, architecture):
    with tempfile.TemporaryDirectory(prefix="image-", dir=FOLDER) as scratch:
        root, config = image_root(Path(scratch), dist, architecture)
        if (root.base / "bin/sh").exists() or (root.base / "usr/bin/sh").exists():
            sys.exit("the image has a shell")
        root.place("/data/numbers.csv").write_text(conversation.CSV)
        command = [*emulator(root, architecture), *config["Entrypoint"]]
        talk(root, command, user=config["User"], writable=False)
        conversation.converse(root.command(*command, *config["Cmd"], user=config["User"], writable=False), env=ENVIRONMENT)


def smoke_package(form, suite, dist):
    install = {"tarball": install_tarball, "npm": install_npm, "mcpb": install_mcpb}
    with scratch_root(suite, this_processor().debian) as root:
        root.place("/data/numbers.csv").write_text(conversation.CSV)
        before = snapshot(root)
        if form == "deb":
            command, removal, before = install_deb(root, dist, suite)
        else:
            command, removal = install[form](root, dist)
        try_out(root, command)
        expect(root.run("sh", "-ec", removal), "", "removal")
        left = [name for name in sorted(snapshot(root) - before) if not is_whiteout(root, name)]
        if left:
            sys.exit(f"{form} leaves {left[:10]}")


def is_whiteout(root, name):
    """What an overlay notes about a file of the base that was removed."""
    return (root.scratch / "upper" / name).is_char_device()


def main(form, suite, dist):
    require_root("smoke.py")
    FOLDER.mkdir(parents=True, exist_ok=True)
    if form == "image":
        smoke_image(dist, suite)
    else:
        smoke_package(form, suite, dist)
    print(f"{form} works on {suite}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve())
