#!/usr/bin/env python3
"""registry.py DIST: makes DIST/server.json, by which the MCP registry knows the packages in DIST."""

import hashlib
import json
import sys
from pathlib import Path

from package_files import DESCRIPTION, NPM_SCOPE, REGISTRY_NAME, REPOSITORY, megabytes, tree_in, trees_in, version

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
IMAGE = "ghcr.io/sluice-mcp/sluice"
STDIO = {"type": "stdio"}
FOLDER = {"description": "A folder of Parquet, CSV and JSON files, or a sluice.yaml", "format": "filepath", "isRequired": True}


def npm_package():
    return {"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": f"{NPM_SCOPE}/sluice",
            "version": version(), "runtimeHint": "npx", "transport": STDIO,
            "packageArguments": [{"type": "positional", "value": "serve"},
                                 {"type": "positional", "valueHint": "folder", "isRepeated": True, **FOLDER}]}


def image_package():
    """The image serves /data, where the folder is mounted; it cannot write to it."""
    mount = {"type": "named", "name": "--mount", "value": "type=bind,src={folder},dst=/data,readonly", "isRequired": True,
             "variables": {"folder": FOLDER}}
    return {"registryType": "oci", "identifier": f"{IMAGE}:{version()}", "runtimeHint": "docker", "transport": STDIO,
            "runtimeArguments": [mount]}


def bundle_package(file):
    return {"registryType": "mcpb", "identifier": f"{REPOSITORY}/releases/download/v{version()}/{file.name}",
            "version": version(), "fileSha256": hashlib.sha256(file.read_bytes()).hexdigest(), "transport": STDIO}


def main(dist):
    bundles = [tree.with_name(tree.name + ".mcpb") for tree in (tree_in(dist, processor) for processor in trees_in(dist))]
    server = {
        "$schema": SCHEMA, "name": REGISTRY_NAME, "title": "Sluice", "description": DESCRIPTION, "version": version(),
        "repository": {"url": REPOSITORY, "source": "github"}, "websiteUrl": REPOSITORY,
        "packages": [npm_package(), image_package(), *map(bundle_package, bundles)],
    }
    file = dist / "server.json"
    file.write_text(json.dumps(server, indent=2) + "\n")
    print(f"{file} {megabytes(file)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
