"""Who may include which library, and what docs/DEPENDENCIES.md must list."""

import json
import re
from typing import NamedTuple


class Library(NamedTuple):
    name: str
    headers: str  # A regular expression for the beginning of the header's name.
    owners: list  # Folders that may include it; none for every .cc file.


# The first that matches decides.
LIBRARIES = [
    Library("Boost.JSON", r"boost/json", ["src/json"]),
    Library("Boost.Beast", r"boost/beast", ["src/transport"]),
    Library("Boost.Asio", r"boost/asio", ["src/transport"]),
    Library("Boost", r"boost/", ["src/json", "src/transport"]),
    Library("OpenSSL libssl", r"openssl/ssl", ["src/transport", "tests/unit/fetch"]),
    Library("OpenSSL libcrypto", r"openssl/", ["src/crypto", "src/transport"]),
    Library("fmt", r"fmt/", []),
    Library("spdlog", r"spdlog/", ["src/base"]),
    Library("RE2", r"re2/", ["src/json"]),
    Library("yaml-cpp", r"yaml-cpp/", ["src/config"]),
    Library("CLI11", r"CLI/", ["src/cli"]),
    Library("DuckDB", r"duckdb\.h", ["src/engine/duckdb"]),
    Library("SQLite", r"sqlite3\.h", ["src/engine/sqlite"]),
    Library("libpq", r"libpq-fe\.h", ["src/engine/postgres"]),
    Library("libgit2", r"git2", ["src/providers/git"]),
    Library("libzip", r"zip\.h", ["src/providers/ckan", "src/sheets", "tests/unit/sheets"]),
    Library("expat", r"expat\.h", ["src/sheets"]),
    Library("zlib", r"zlib\.h", ["src/inspection"]),
    Library("zstd", r"zstd\.h", ["src/inspection", "src/arrow"]),
    Library("lz4", r"lz4frame\.h", ["src/arrow"]),
    Library("libcurl", r"curl/", ["src/fetch"]),
    Library("FlatBuffers", r"flatbuffers/", ["src/render"]),
    Library("ICU", r"unicode/", ["src/text"]),
    Library("GoogleTest", r"gtest/|gmock/", ["tests"]),
    Library("Google Benchmark", r"benchmark/", ["tests"]),
]
UNKNOWN = Library("unknown", "", [])

# Headers of the C library and of Linux that look like those of a library.
SYSTEM = re.compile(
    r"(?:sys|netinet|arpa|net|linux|asm|bits)/[\w/]+\.h"
    r"|(?:dirent|dlfcn|errno|fcntl|fnmatch|getopt|glob|grp|ifaddrs|limits|malloc|netdb|poll|pthread|pwd|sched|semaphore"
    r"|signal|spawn|stdint|stdio|stdlib|string|strings|syslog|termios|time|unistd|wait)\.h"
)


def library_of(header, angled):
    """The third-party library that a header belongs to, UNKNOWN, or None if it is ours or the system's."""
    for library in LIBRARIES:
        if re.match(library.headers, header):
            return library
    is_standard = re.fullmatch(r"\w+", header)
    if not angled or is_standard or header.startswith("sluice/") or SYSTEM.fullmatch(header):
        return None
    return UNKNOWN


def rows(markdown):
    """The names in backticks in the first cell of every table row, in lower case."""
    cells = re.findall(r"^\|([^|]*)\|", markdown, re.MULTILINE)
    return {name.lower() for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def in_cmake(text):
    """(line, name) of what a CMake file looks for, by the name that CMake or pkg-config knows it by."""
    code = re.sub(r"#.*", "", text)
    for match in re.finditer(r"\bfind_(?:package|dependency)\s*\(\s*([\w.-]+)", code):
        if match.group(1) != "sluice":
            yield code.count("\n", 0, match.start()) + 1, match.group(1)
    for match in re.finditer(r"\bpkg_(?:check_modules|search_module)\s*\(\s*\w+([^)]*)\)", code):
        options = {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL", "NO_CMAKE_PATH", "NO_CMAKE_ENVIRONMENT_PATH"}
        for module in match.group(1).split():
            if module not in options:
                yield code.count("\n", 0, match.start()) + 1, re.split("[<>=]", module)[0]


def in_package_json(text):
    """(line, name) of each package that a package.json depends on directly."""
    package = json.loads(text)
    for name in [*package.get("dependencies", {}), *package.get("optionalDependencies", {})]:
        yield text.count("\n", 0, text.index(f'"{name}":')) + 1, name


def in_engine_lock(text):
    """(line, name) of each package that scripts/engine.lock pins."""
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.startswith("#"):
            yield number, line.split()[0]
