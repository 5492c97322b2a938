#!/usr/bin/env python3
"""registry.py DIST: server.json is what the MCP registry accepts, and says the same as the packages that it names."""

import hashlib
import json
import re
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from package_files import run, this_processor, version  # noqa: E402

# What schema 2025-12-11 of the registry demands of the fields that are used here.
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
SHA256 = re.compile(r"[a-f0-9]{64}")
REQUIRED = {"": {"name", "description", "version"}, "packages": {"registryType", "identifier", "transport"},
            "repository": {"url", "source"}}
KNOWN = {"": {"$schema", "name", "title", "description", "version", "repository", "websiteUrl", "packages"},
         "packages": {"registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "transport",
                      "packageArguments", "runtimeArguments"},
         "repository": {"url", "source"},
         "positional": {"type", "value", "valueHint", "description", "format", "isRequired", "isRepeated"},
         "named": {"type", "name", "value", "description", "format", "isRequired", "variables"}}


def problems_of_fields(kind, value):
    missing, unknown = REQUIRED.get(kind, set()) - set(value), set(value) - KNOWN[kind]
    if missing or unknown:
        yield f"{kind or 'the document'} lacks {sorted(missing)} and has {sorted(unknown)}"


def problems_of_arguments(package):
    for argument in [*package.get("packageArguments", []), *package.get("runtimeArguments", [])]:
        if argument.get("type") not in ("positional", "named"):
            yield f"an argument is of the type {argument.get('type')}"
            continue
        yield from problems_of_fields(argument["type"], argument)
        if argument["type"] == "positional" and not ({"value", "valueHint"} & set(argument)):
            yield f"{argument} has neither a value nor a hint"
        if argument["type"] == "named" and "name" not in argument:
            yield f"{argument} has no name"
        names = set(re.findall(r"{(\w+)}", argument.get("value", "")))
        if names != set(argument.get("variables", {})):
            yield f"{argument} uses the variables {names}"
    if package.get("runtimeArguments") and not package.get("runtimeHint"):
        yield "arguments of a runtime need its name"


def problems_of(server):
    yield from problems_of_fields("", server)
    yield from problems_of_fields("repository", server["repository"])
    if server["$schema"] != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json":
        yield f"the schema is {server['$schema']}"
    if not NAME.fullmatch(server["name"]):
        yield f"the name is {server['name']}"
    for key in ("description", "title"):
        if not 1 <= len(server[key]) <= 100:
            yield f"{key} has {len(server[key])} characters, and 100 are the limit"
    for package in server["packages"]:
        yield from problems_of_fields("packages", package)
        yield from problems_of_arguments(package)
        if package["transport"] != {"type": "stdio"}:
            yield f"{package['identifier']} is reached by {package['transport']}"
        if package["registryType"] == "mcpb" and not SHA256.fullmatch(package.get("fileSha256", "")):
            yield f"{package['identifier']} has no hash"


def problems_of_agreement(server, dist):
    packages = {}
    for package in server["packages"]:
        packages.setdefault(package["registryType"], []).append(package)
    if set(packages) != {"npm", "oci", "mcpb"} or len(packages["npm"]) != 1 or len(packages["oci"]) != 1:
        yield f"there are packages of {sorted(packages)}"
        return
    with tarfile.open(dist / f"npm/sluice-mcp-sluice-{version()}.tgz") as archive:
        manifest = json.load(archive.extractfile("package/package.json"))
    npm = packages["npm"][0]
    if (manifest["mcpName"], manifest["name"], manifest["version"]) != (server["name"], npm["identifier"], npm["version"]):
        yield f"the npm package is {manifest['name']} {manifest['version']} for {manifest['mcpName']}"
    image = json.loads(run("skopeo", "inspect", "--override-arch", this_processor().debian,
                           f"oci-archive:{dist}/sluice-{version()}-oci.tar:{version()}"))
    if image["Labels"]["io.modelcontextprotocol.server.name"] != server["name"]:
        yield f"the image is for {image['Labels']}"
    if not packages["oci"][0]["identifier"].endswith(f":{image['Labels']['org.opencontainers.image.version']}"):
        yield f"the image is {packages['oci'][0]['identifier']}"
    files = {file.name: file for file in dist.glob("*.mcpb")}
    if {Path(package["identifier"]).name for package in packages["mcpb"]} != set(files):
        yield f"the bundles are {sorted(files)}"
    for package in packages["mcpb"]:
        file = files.get(Path(package["identifier"]).name)
        if file and hashlib.sha256(file.read_bytes()).hexdigest() != package["fileSha256"]:
            yield f"{file.name} has another hash"
    sums = dist / "SHA256SUMS"
    for package in packages["mcpb"] if sums.exists() else []:
        if f"{package['fileSha256']}  {Path(package['identifier']).name}\n" not in sums.read_text():
            yield f"SHA256SUMS says something else of {package['identifier']}"


def check_detection(server):
    """Each of these mistakes is found."""
    changes = [{"description": "x" * 101}, {"name": "sluice"}, {"homepage": "https://example.org"}, {"title": ""},
               {"packages": [{**server["packages"][-1], "fileSha256": "0"}]},
               {"packages": [{**server["packages"][0], "transport": {"type": "sse"}}]},
               {"packages": [{"registryType": "npm", "transport": {"type": "stdio"}, "identifier": "x", "packageArguments": [{}]}]}]
    for change in changes:
        if not list(problems_of({**server, **change})):
            sys.exit(f"{change} is not found to be wrong")


def main(dist):
    server = json.loads((dist / "server.json").read_text())
    problems = [*problems_of(server), *problems_of_agreement(server, dist)]
    if server["version"] != version():
        problems.append(f"it is of {server['version']}")
    if problems:
        sys.exit("\n".join(f"server.json: {problem}" for problem in problems))
    check_detection(server)
    print(f"server.json names {len(server['packages'])} packages")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
