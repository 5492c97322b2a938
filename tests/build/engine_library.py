#!/usr/bin/env python3
"""engine_library.py SLUICE CC: what the program says of a libduckdb.so that is missing, broken or of another version."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

AGAIN = "install the program again, with its libraries"
OLD = 'const char *duckdb_library_version(void) { return "v1.4.0"; }\n'


def shared_library(compiler, source, path):
    subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-o", path, "-"], input=source, check=True, text=True)


def check(sluice, folder, expected):
    """`check` fails with this sentence on one line; `serve` goes on, and its log says the same without being asked."""
    done = subprocess.run([sluice, "check", folder], capture_output=True, text=True, timeout=30)
    lines = [line for line in done.stdout.splitlines() if "libduckdb.so is" in line or "libduckdb.so cannot be loaded" in line]
    if done.returncode != 1 or lines != [f"FAILED engine: {expected}"] or done.stderr:
        sys.exit(f"check: expected {expected!r}, status {done.returncode}, found {done.stdout!r} and {done.stderr!r}")
    question = ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT * FROM one"},'
                '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}')
    served = subprocess.run([sluice, "serve", folder], input=question + "\n", capture_output=True, text=True, timeout=30)
    if served.returncode != 0 or '"id":1' not in served.stdout or str(Path(sluice).parent) in served.stdout:
        sys.exit(f"serve: status {served.returncode}, answer {served.stdout!r}")
    events = [json.loads(line) for line in served.stderr.splitlines()]
    said = [event["error"] for event in events if event["event"] == "engine.missing"]
    if said != [expected]:
        sys.exit(f"serve: expected the event engine.missing once with {expected!r}, found {said}")


def main(sluice, compiler):
    with tempfile.TemporaryDirectory(prefix="sluice-engine-") as scratch:
        root = Path(scratch).resolve()
        data = root / "data"
        data.mkdir()
        (data / "one.csv").write_text("a\n1\n")
        program = root / "bin" / "sluice"
        program.parent.mkdir()
        shutil.copy(sluice, program)
        library = root / "lib" / "sluice" / "libduckdb.so"
        library.parent.mkdir(parents=True)
        place = f"libduckdb.so cannot be loaded from {library}: "
        check(program, data, f"{place}there is no such file; {AGAIN}")
        library.touch()
        check(program, data, f"{place}it is not a file with anything in it; {AGAIN}")
        library.write_bytes(b"garbage\n" * 512)
        check(program, data, f"{place}invalid ELF header; {AGAIN}")
        shared_library(compiler, "int nothing;\n", library)
        check(program, data, f"{place}it is not DuckDB; {AGAIN}")
        shared_library(compiler, OLD, library)
        check(program, data, "libduckdb.so is 1.4.0, and this program needs 1.5")


if __name__ == "__main__":
    main(*sys.argv[1:])
