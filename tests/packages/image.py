#!/usr/bin/env python3
"""image.py DIST: the image archive is one that registries take, and what it says of itself."""

import hashlib
import json
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from package_files import PROCESSORS, REGISTRY_NAME, run, trees_in, version  # noqa: E402

PACKED_BYTES_MAX = 58_000_000
PROGRAM = "/opt/sluice/lib/sluice/sluice"


def check_blobs(folder):
    """Every blob has the digest that is its name, and is referred to."""
    for path in (folder / "blobs/sha256").iterdir():
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.name:
            sys.exit(f"{path.name} has another digest")


def blob(folder, descriptor):
    path = folder / "blobs/sha256" / descriptor["digest"].removeprefix("sha256:")
    if path.stat().st_size != descriptor["size"]:
        sys.exit(f"{path.name} has {path.stat().st_size} bytes instead of {descriptor['size']}")
    return path


def check_image(folder, descriptor):
    manifest = json.loads(blob(folder, descriptor).read_text())
    config = json.loads(blob(folder, manifest["config"]).read_text())
    if config["architecture"] != descriptor["platform"]["architecture"] or config["os"] != "linux":
        sys.exit(f"{descriptor['platform']} leads to an image for {config['architecture']}")
    runs = config["config"]
    if (runs["Entrypoint"], runs["Cmd"], runs["User"]) != ([PROGRAM], ["serve", "/data"], "65532:65532"):
        sys.exit(f"the image starts {runs}")
    labels = runs["Labels"]
    if labels["io.modelcontextprotocol.server.name"] != REGISTRY_NAME or labels["org.opencontainers.image.version"] != version():
        sys.exit(f"the image has the labels {labels}")
    missing = {"revision", "source", "licenses"} - {name.rsplit(".", 1)[1] for name in labels}
    if missing:
        sys.exit(f"the image lacks the labels {missing}")
    names, packed = set(), 0
    for layer in manifest["layers"]:
        packed += layer["size"]
        with tarfile.open(blob(folder, layer)) as archive:
            names |= {member.name for member in archive}
            special = [m.name for m in archive if m.mode & 0o6000 or not (m.isreg() or m.isdir() or m.issym())]
            if special:
                sys.exit(f"a layer has {special[:5]}, which are set-user-ID or special files")
    for needed in (PROGRAM[1:], "etc/ssl/certs/ca-certificates.crt", "etc/passwd", "tmp", "data", "etc/services",
                   "usr/share/zoneinfo/Europe/Rome"):
        if needed not in names:
            sys.exit(f"the image has no {needed}")
    shells = [name for name in names if name.rsplit("/", 1)[-1] in ("sh", "bash", "dash", "apt-get", "perl", "busybox")
              and "/doc/" not in name and not name.startswith("var/")]
    if shells:
        sys.exit(f"the image has {shells}")
    print(f"{config['architecture']}: {packed / 1e6:.1f} MB packed, {PACKED_BYTES_MAX / 1e6:.0f} are meant")
    if packed > PACKED_BYTES_MAX:
        sys.exit("the image is larger than is meant")


def main(dist):
    archive = dist / f"sluice-{version()}-oci.tar"
    with tempfile.TemporaryDirectory(prefix="sluice-image-") as scratch:
        folder = Path(scratch)
        with tarfile.open(archive) as packed:
            packed.extractall(folder)
        check_blobs(folder)
        index = json.loads((folder / "index.json").read_text())["manifests"]
        images = json.loads(blob(folder, index[0]).read_text())["manifests"]
        expected = [processor.debian for processor in trees_in(dist)]
        if [image["platform"]["architecture"] for image in images] != expected:
            sys.exit(f"the index has images for {images}, expected {expected}")
        for image in images:
            check_image(folder, image)
        # Registries and daemons read it with the library that skopeo uses; all images are copied.
        run("skopeo", "copy", "--quiet", "--all", f"oci-archive:{archive}:{version()}", f"dir:{folder}/copied")
    print(f"the image is for {', '.join(expected)} of {', '.join(p.debian for p in PROCESSORS.values())}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
