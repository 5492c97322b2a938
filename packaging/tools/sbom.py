"""The bill of materials of a tree: a CycloneDX 1.6 document, and the copyright of everything in it."""

import datetime
import hashlib
import json
import re
import shutil
import uuid
from pathlib import Path

from package_files import REPOSITORY, ROOT, epoch, fail, run, target_processor, target_tool, version

# Compiled into the program as headers or archives, beside Boost and the compiler's library, whose packages have numbers in
# their names.
LINKED_IN = ["libcli11-dev", "libflatbuffers-dev", "libfmt-dev", "libicu-dev", "libre2-dev", "libspdlog-dev", "libsqlite3-dev",
             "libyaml-cpp-dev"]
NODE_BINDINGS = "@duckdb/node-bindings-linux-{}"


def owner_of(path):
    """The Debian package that a file is of."""
    # Debian 12 names some files below /lib and finds them below /usr/lib, or the other way round.
    text = str(path)
    for name in (text, text.removeprefix("/usr"), "/usr" + text):
        try:
            return run("dpkg-query", "--search", name).split(":")[0]
        except SystemExit:
            continue
    fail(f"no Debian package owns {path}")


def headers_linked_in():
    """The installed packages whose headers are compiled into the program, also where it is linked with shared libraries."""
    return [owner_of(Path("/usr/include/boost/version.hpp")), "libcli11-dev", "libflatbuffers-dev", "libfmt-dev", "libspdlog-dev"]


def linked_in():
    """The installed packages whose code is in the program."""
    headers = ["/usr/include/boost/version.hpp", run(target_tool("g++"), "-print-file-name=libstdc++.a").strip()]
    return [*(owner_of(Path(file).resolve()) for file in headers), *LINKED_IN]


def licence_of(package):
    text = Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
    stanza = re.search(r"^Files:\s*\*\s*$.*?^License:\s*(\S[^\n]*)$", text, re.MULTILINE | re.DOTALL)
    return stanza.group(1).strip() if stanza else f"see copyright/{package}"


def debian_component(package, files, documents):
    # Both processors' packages may be installed; one for all has no other.
    installed = run("dpkg-query", "--show",
                    "--showformat=${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n", package).splitlines()
    lines = [line for line in installed if line.endswith(f"\t{target_processor().debian}")] or installed
    fields = lines[0].split("\t")
    package_version, source, source_version, architecture = fields
    copyright_folder = documents / "copyright"
    copyright_folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(f"/usr/share/doc/{package}/copyright", copyright_folder / package)
    (copyright_folder / package).chmod(0o644)
    return {
        "type": "library",
        "bom-ref": f"debian/{package}",
        "name": package,
        "version": package_version,
        "licenses": [{"license": {"name": licence_of(package)}}],
        "purl": f"pkg:deb/debian/{package}@{package_version}?arch={architecture}".replace("+", "%2B"),
        "properties": [{"name": "debian:source", "value": f"{source} {source_version}"},
                       *({"name": "sluice:file", "value": f"lib/sluice/{name}"} for name in files)],
    }


def duckdb_component(processor, library, documents):
    package = NODE_BINDINGS.format(processor.name)
    locked = re.search(r"^" + re.escape(package) + r"\s+(\S+)\s", (ROOT / "scripts/engine.lock").read_text(), re.MULTILINE)
    if not locked:
        fail(f"scripts/engine.lock does not name {package}")
    (documents / "copyright").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / ".deps/duckdb/LICENSE", documents / "copyright/duckdb")
    return {
        "type": "library",
        "bom-ref": f"npm/{package}",
        "name": "DuckDB",
        "version": locked.group(1).split("-")[0],
        "licenses": [{"license": {"id": "MIT"}}],
        "purl": f"pkg:npm/{package.replace('@', '%40')}@{locked.group(1)}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(library.read_bytes()).hexdigest()}],
        "properties": [{"name": "sluice:file", "value": "lib/sluice/libduckdb.so"}],
    }


def product():
    return {
        "type": "application",
        "bom-ref": "sluice",
        "name": "sluice",
        "version": version(),
        "licenses": [{"license": {"id": licence_of_product()}}],
        "purl": f"pkg:generic/sluice@{version()}",
        "externalReferences": [{"type": "vcs", "url": REPOSITORY}],
        "properties": [{"name": "sluice:file", "value": name} for name in ("bin/sluice", "lib/sluice/sluice")],
    }


def licence_of_product():
    first = (ROOT / "LICENSE").read_text().strip().splitlines()[0]
    known = {"MIT License": "MIT", "Apache License": "Apache-2.0"}
    if first.strip() not in known:
        fail(f"LICENSE begins with {first!r}, which has no SPDX name here")
    return known[first.strip()]


def write(documents, libraries, processor):
    """sbom.cdx.json, and the copyright of each component beside it. `libraries` are the names and files taken along."""
    owners = {}
    for name, path in libraries.items():
        owners.setdefault(owner_of(path), []).append(name)
    for package in linked_in():
        owners.setdefault(package, [])
    tree = documents.parents[2]
    components = [debian_component(package, files, documents) for package, files in sorted(owners.items())]
    components.append(duckdb_component(processor, tree / "lib/sluice/libduckdb.so", documents))
    moment = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc)
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{REPOSITORY}/{version()}/{processor.name}/{epoch()}')}",
        "version": 1,
        "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": product()},
        "components": components,
        "dependencies": [{"ref": "sluice", "dependsOn": [component["bom-ref"] for component in components]}],
    }
    file = documents / "sbom.cdx.json"
    file.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
    file.chmod(0o644)
