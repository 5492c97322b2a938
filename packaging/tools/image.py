#!/usr/bin/env python3
"""image.py DIST: makes DIST/sluice-V-oci.tar, a container image of the trees in DIST, without a daemon.

An archive in the layout of the OCI with an index of one image for each processor. Each image has two layers: a C library,
the compiler's libraries, time zones and certificates of Debian, without a shell; and the tree.
"""

import hashlib
import io
import json
import shutil
import sys
import tarfile
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from package_files import (DESCRIPTION, REGISTRY_NAME, REPOSITORY, ROOT, copy_tree, epoch, fail, gzip_bytes, megabytes, run,
                           tar_bytes, tree_in, trees_in, version)
from roots import scratch_root

SUITE = "bookworm"
PACKAGES = ["base-files", "ca-certificates", "libc6", "libgcc-s1", "libstdc++6", "netbase", "tzdata"]
PROGRAM = "/opt/sluice/lib/sluice/sluice"
USER = 65532
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def download(architecture, folder):
    """The newest packages of the suite, with its security updates."""
    with scratch_root(SUITE) as root:
        names = " ".join(f"{name}:{architecture}" if name not in ("ca-certificates", "netbase", "tzdata") else name
                         for name in PACKAGES)
        done = root.run("sh", "-ec", f"dpkg --add-architecture {architecture}; apt-get --quiet update; cd /tmp/given;"
                        f" apt-get --quiet download {names}", network=True, given=folder)
        if done.returncode != 0:
            fail(f"the packages of the image cannot be downloaded: {done.stderr.strip()[-1000:]}")
    files = sorted(folder.glob("*.deb"))
    if len(files) != len(PACKAGES):
        fail(f"instead of {PACKAGES} apt-get downloaded {[file.name for file in files]}")
    return files


def make_base(files, folder):
    """The files of the packages, unpacked; none of their scripts is run."""
    for file in files:
        run("dpkg-deb", "--extract", file, folder)
        status = folder / "var/lib/dpkg/status.d" / file.name.split("_")[0]  # Where scanners look for what is installed.
        status.parent.mkdir(parents=True, exist_ok=True)
        status.write_text(run("dpkg-deb", "--field", file))
    certificates = sorted((folder / "usr/share/ca-certificates").rglob("*.crt"))
    bundle = folder / "etc/ssl/certs/ca-certificates.crt"
    bundle.parent.mkdir(parents=True, exist_ok=True)
    bundle.write_text("".join(file.read_text() for file in certificates))
    for path in ("usr/share/ca-certificates", "usr/share/man", "usr/share/lintian", "usr/share/locale", "usr/share/gdb",
                 "usr/share/i18n", "usr/sbin", "usr/bin", "bin", "sbin", "etc/update-motd.d"):
        shutil.rmtree(folder / path, ignore_errors=True)
    for path in (folder / "usr/share/doc").rglob("*"):
        if path.is_file() and not path.is_symlink() and path.name != "copyright":
            path.unlink()
    (folder / "etc/passwd").write_text(f"root:x:0:0:root:/:/nonexistent\nsluice:x:{USER}:{USER}:sluice:/:/nonexistent\n")
    (folder / "etc/group").write_text(f"root:x:0:\nsluice:x:{USER}:\n")
    (folder / "data").mkdir()
    (folder / "tmp").mkdir(exist_ok=True)


def make_tree_layer(tree, folder):
    copy_tree(tree, folder / "opt/sluice")
    (folder / "usr/bin").mkdir(parents=True)
    (folder / "usr/bin/sluice").symlink_to(PROGRAM)


class Archive:
    """An image layout in a tar archive: files named after what is in them."""

    def __init__(self):
        self.files = {"oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode()}

    def add(self, media_type, data, **more):
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data), **more}

    def add_json(self, media_type, value, **more):
        return self.add(media_type, json.dumps(value, sort_keys=True).encode(), **more)

    def write(self, file):
        with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name, data in sorted(self.files.items()):
                info = tarfile.TarInfo(name)
                info.size, info.mtime, info.mode = len(data), epoch(), 0o644
                archive.addfile(info, io.BytesIO(data))


def labels():
    return {"io.modelcontextprotocol.server.name": REGISTRY_NAME,
            "org.opencontainers.image.version": version(),
            "org.opencontainers.image.revision": run("git", "-C", ROOT, "rev-parse", "HEAD").strip(),
            "org.opencontainers.image.source": REPOSITORY,
            "org.opencontainers.image.title": "sluice",
            "org.opencontainers.image.description": DESCRIPTION,
            "org.opencontainers.image.licenses": "MIT"}


def add_image(archive, processor, layers):
    """`layers` are folders."""
    created = datetime.fromtimestamp(epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    tars = [layer_tar(folder) for folder in layers]
    config = {
        "created": created, "architecture": processor.debian, "os": "linux",
        "config": {"User": f"{USER}:{USER}", "Env": ["PATH=/usr/bin"], "Entrypoint": [PROGRAM], "Cmd": ["serve", "/data"],
                   "WorkingDir": "/data", "Labels": labels()},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(tar).hexdigest()}" for tar in tars]},
        "history": [{"created": created, "created_by": text} for text in (f"Debian {SUITE}", f"sluice {version()}")],
    }
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": archive.add_json(CONFIG, config),
                "layers": [archive.add(LAYER, gzip_bytes(tar)) for tar in tars], "annotations": labels()}
    return archive.add_json(MANIFEST, manifest, platform={"architecture": processor.debian, "os": "linux"})


def layer_tar(folder):
    (folder / "tmp").is_dir() and (folder / "tmp").chmod(0o1777)
    return tar_bytes(folder, "")


def main(dist):
    archive, manifests = Archive(), []
    for processor in trees_in(dist):
        with tempfile.TemporaryDirectory(prefix="sluice-image-", dir=dist) as scratch:
            folders = [Path(scratch) / name for name in ("packages", "base", "tree")]
            for folder in folders:
                folder.mkdir()
            make_base(download(processor.debian, folders[0]), folders[1])
            make_tree_layer(tree_in(dist, processor), folders[2])
            manifests.append(add_image(archive, processor, folders[1:]))
    index = archive.add_json(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": labels()},
                             annotations={"org.opencontainers.image.ref.name": version()})
    archive.files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [index]}).encode()
    file = dist / f"sluice-{version()}-oci.tar"
    archive.write(file)
    print(f"{file} {megabytes(file)} of {', '.join(manifest['platform']['architecture'] for manifest in manifests)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
