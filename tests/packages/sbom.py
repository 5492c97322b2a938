#!/usr/bin/env python3
"""sbom.py DIST: the bill of materials of each tree is valid, and names the owner of every file in the tree."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from elf import is_elf  # noqa: E402
from package_files import ROOT, tree_in, trees_in, version  # noqa: E402

NODE = ROOT / ".deps/node/bin/node"
SCHEMAS = ROOT / ".deps/release/node_modules/@cyclonedx/cyclonedx-library/res/schema"
MODULES = ROOT / ".deps/npm/node_modules"
DOCUMENTS = {"LICENSE", "README.md", "CHANGELOG.md", "sbom.cdx.json"}
# Licences that would oblige those who pass the program on to more than a copy of the text.
REFUSED = ("AGPL", "SSPL", "BUSL", "proprietary", "non-commercial")


def problem_of_schema(file):
    done = subprocess.run([NODE, Path(__file__).with_name("sbom_check.mjs"), SCHEMAS, MODULES, file], capture_output=True,
                          text=True, timeout=120)
    return done.stderr if done.returncode != 0 else ""


def check_complete(tree, bill):
    components = [bill["metadata"]["component"], *bill["components"]]
    owned = {entry["value"] for component in components for entry in component.get("properties", [])
             if entry["name"] == "sluice:file"}
    documents = "share/doc/sluice"
    files = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    unowned = {name for name in files - owned if not name.startswith(f"{documents}/copyright/")
               and name not in {f"{documents}/{document}" for document in DOCUMENTS}}
    if unowned or owned - files:
        sys.exit(f"{tree.name}: nobody owns {sorted(unowned)}, and {sorted(owned - files)} are not there")
    for component in components:
        if not component.get("licenses") or not component.get("version") or not component.get("purl"):
            sys.exit(f"{component['name']} has no licence, version or URL: {component}")
        text = json.dumps(component["licenses"])
        if any(name.lower() in text.lower() for name in REFUSED):
            sys.exit(f"{component['name']} is under {text}")
    copies = {path.name for path in (tree / documents / "copyright").iterdir()}
    missing = {component["name"] for component in bill["components"]} - copies - {"DuckDB"}
    if missing or "duckdb" not in copies:
        sys.exit(f"{tree.name} has no copyright of {sorted(missing)}")
    return len(components)


def check_detection(file):
    """The schema refuses what is wrong: the check itself is checked."""
    bill = json.loads(file.read_text())
    with tempfile.TemporaryDirectory(prefix="sluice-sbom-") as scratch:
        broken = Path(scratch) / "bill.json"
        for change in ({"specVersion": 16}, {"components": [{"type": "library"}]}, {"unknown": True}):
            broken.write_text(json.dumps({**bill, **change}))
            if not problem_of_schema(broken):
                sys.exit(f"the schema accepts {change}")


def main(dist):
    for processor in trees_in(dist):
        tree = tree_in(dist, processor)
        file = tree / "share/doc/sluice/sbom.cdx.json"
        problem = problem_of_schema(file)
        if problem:
            sys.exit(f"{file}: {problem}")
        bill = json.loads(file.read_text())
        if bill["metadata"]["component"]["version"] != version():
            sys.exit(f"{file} is of {bill['metadata']['component']['version']}")
        elf_files = sum(is_elf(path) for path in tree.rglob("*") if path.is_file())
        print(f"{tree.name}: {check_complete(tree, bill)} components for {elf_files} programs and libraries")
        check_detection(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
