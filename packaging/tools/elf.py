"""What an ELF file needs of others."""

import re

from package_files import run


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path):
    """The names of the libraries that it is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", path))


def run_paths(path):
    return re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", path))


def symbol_versions(path, family):
    """The versions of GLIBC, or GLIBCXX, that it needs, as tuples of numbers."""
    _, _, needs = run("readelf", "--version-info", "--wide", path).partition("Version needs section")
    return {tuple(map(int, text.split("."))) for text in re.findall(r"Name: " + family + r"_([0-9.]+)\b", needs)}
