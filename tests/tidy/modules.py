"""Holds the modules that a module includes against those that its CMakeLists.txt lists in DEPS.

The include path of a module also has the modules that its dependencies depend on, so the compiler accepts more than DEPS
allows; and it does not notice a dependency that nothing uses any more.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

import cpp_text

CALL = re.compile(r"\bsluice_module\s*\(([^)]*)\)")
KEYWORDS = {"NAME", "LAYER", "SOURCES", "DEPS", "LIBRARIES"}
SOURCES = {".cc", ".h"}


@dataclass
class Module:
    name: str
    folder: PurePosixPath
    build_file: PurePosixPath
    line: int  # Of the word DEPS, or of the call without one.
    dependencies: list


def parse(path, text):
    """The modules that a CMakeLists.txt declares."""
    code = re.sub(r"#[^\n]*", "", text)
    for call in CALL.finditer(code):
        groups, current = {}, None
        for word in re.finditer(r"[^\s\"]+", call.group(1)):
            if word.group() in KEYWORDS:
                current = word.group()
                groups[current] = (call.start(1) + word.start(), [])
            elif current is not None:
                groups[current][1].append(word.group())
        at, dependencies = groups.get("DEPS", (call.start(), []))
        yield Module(name=groups["NAME"][1][0], folder=path.parent, build_file=path,
                     line=code.count("\n", 0, at) + 1, dependencies=dependencies)


def find(tree):
    """All modules, by the folder that they are in."""
    return {module.folder: module
            for path in tree.files if path.name == "CMakeLists.txt" and path.parts[0] == "src"
            for module in parse(path, tree.text(path))}


def owner_of(path, modules):
    return next((modules[folder] for folder in path.parents if folder in modules), None)


def public_headers(tree, modules):
    """The module of each public header, by the name under which it is included."""
    out = {}
    for path in tree.files:
        module = owner_of(path, modules)
        if module is not None and path.suffix == ".h" and path.is_relative_to(module.folder / "include"):
            out[path.relative_to(module.folder / "include").as_posix()] = module.name
    return out


def check(tree):
    modules = find(tree)
    headers = public_headers(tree, modules)
    used = {module.name: set() for module in modules.values()}
    for path in tree.files:
        module = owner_of(path, modules)
        if module is None or path.suffix not in SOURCES:
            continue
        for line, header, _ in cpp_text.includes(tree.text(path)):
            other = headers.get(header)
            if other is None or other == module.name:
                continue
            used[module.name].add(other)
            if other not in module.dependencies:
                tree.report(path, line, f"'{header}' belongs to the module {other}, which is not in DEPS of {module.name}",
                            f"list {other} in {module.build_file}, or do without it")
    for module in modules.values():
        for dependency in module.dependencies:
            if dependency not in used[module.name]:
                tree.report(module.build_file, module.line, f"{module.name} lists {dependency} in DEPS, and includes "
                            "nothing of it", "remove it from DEPS")
