#!/usr/bin/env python3
"""npm_wrapper.py NODE...: bin/sluice.js of the npm package passes everything on to the program and back, on each Node.js.

Behind it is a program of this file's own, which says what reached it.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging/tools"))

from npm_packages import make_wrapper  # noqa: E402
from package_files import PROCESSORS, this_processor  # noqa: E402

SECONDS = 20
PIPED_BYTES = 10_000_000
WORDS = ["query", "a folder/with 'quotes'", 'SELECT "a b", \'c\' || $1', "", "*", "-x=\\", "ä\n"]
PROBE = f"""#!{sys.executable}
import json, os, signal, sys
command = sys.argv[1]
if command == "status":
    sys.exit(int(sys.argv[2]))
elif command == "die":
    os.kill(os.getpid(), int(sys.argv[2]))
elif command == "copy":
    while chunk := sys.stdin.buffer.read(65536):
        sys.stdout.buffer.write(chunk)
elif command == "wait":
    signal.signal(signal.SIGTERM, lambda *_: (print("terminated", flush=True), sys.exit(7)))
    signal.alarm({SECONDS})
    print("ready", flush=True)
    signal.pause()
else:
    print(json.dumps(sys.argv[1:] + [os.environ.get("SLUICE_PROBE")]))
"""


def install(root, with_platform=True):
    """node_modules as npm leaves them."""
    modules = root / "node_modules/@sluice-mcp"
    (modules / "sluice").mkdir(parents=True)
    make_wrapper(modules / "sluice", root / "wrapper.tgz")
    if with_platform:
        package = modules / f"linux-{this_processor().name}"
        (package / "lib/sluice").mkdir(parents=True)
        (package / "package.json").write_text('{"name": "probe"}')
        (package / "lib/sluice/sluice").write_text(PROBE)
        (package / "lib/sluice/sluice").chmod(0o755)
    return modules / "sluice/bin/sluice.js"


class Wrapper:
    def __init__(self, node, script, preload=None):
        self.command = [node, *(["--require", preload] if preload else []), script]

    def run(self, *words, **options):
        return subprocess.run([*self.command, *words], capture_output=True, timeout=SECONDS, **options)

    def expect(self, status, stdout, stderr, *words, **options):
        done = self.run(*words, **options)
        found = (done.returncode, done.stdout.decode(), done.stderr.decode())
        if found != (status, stdout, stderr):
            sys.exit(f"{self.command} {words}: expected {(status, stdout, stderr)}, found {found}")


def check_passing(wrapper):
    environment = {**os.environ, "SLUICE_PROBE": "of the caller"}
    expected = json.dumps([*WORDS, "of the caller"]) + "\n"
    wrapper.expect(0, expected, "", *WORDS, env=environment)
    wrapper.expect(3, "", "", "status", "3")
    wrapper.expect(0, "", "", "copy", stdin=subprocess.DEVNULL)  # The end of the input reaches the program.
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT):
        done = wrapper.run("die", str(int(number)))
        if done.returncode not in (-number, 128 + number):
            sys.exit(f"the program died by {number.name}, and {wrapper.command} ended with {done.returncode}")
    data = hashlib.shake_256(b"seed").digest(PIPED_BYTES)
    if wrapper.run("copy", input=data).stdout != data:
        sys.exit(f"{wrapper.command}: {PIPED_BYTES} bytes do not come back as they went in")


def check_termination(wrapper):
    """SIGTERM to the wrapper alone, as a host sends it."""
    process = subprocess.Popen([*wrapper.command, "wait"], stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline() != "ready\n":
            sys.exit(f"{wrapper.command}: the program did not start")
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=2 * SECONDS)  # The program that is not told ends itself before.
    finally:
        process.kill()
    if (rest, process.returncode) != ("terminated\n", 7):
        sys.exit(f"{wrapper.command}: after SIGTERM {rest!r} and status {process.returncode}")


def check_refusals(node, root, script):
    """Another platform and another C library are what these lines make of this one."""
    platform = f"linux-{this_processor().name}"
    other = next(name for name in PROCESSORS if name != this_processor().name)
    container = "use the container image"
    builds = f"only for linux-x64 and linux-arm64; {container}, or a Linux machine over HTTP"
    glibc = "this build needs glibc 2.34 or newer, and this system has"
    cases = [
        ('Object.defineProperty(process, "platform", {value: "darwin"}); Object.defineProperty(process, "arch", {value: "arm64"})',
         f"there is no build for darwin-arm64, {builds}"),
        ('Object.defineProperty(process, "arch", {value: "riscv64"})', f"there is no build for linux-riscv64, {builds}"),
        ('process.report.getReport = () => ({header: {glibcVersionRuntime: "2.31"}})', f"{glibc} 2.31; {container}"),
        ('process.report.getReport = () => ({header: {glibcVersionRuntime: "1.99"}})', f"{glibc} 1.99; {container}"),
        ('process.report.getReport = () => ({header: {}})', f"{glibc} another C library; {container}"),
        (f'Object.defineProperty(process, "arch", {{value: "{other}"}})', f"@sluice-mcp/linux-{other} is not installed; npm left"
         " optional packages out (--omit=optional, or a lock file of another platform)"),
    ]
    preload = root / "preload.cjs"
    for code, message in cases:
        preload.write_text(code)
        Wrapper(node, script, preload).expect(1, "", f"sluice: {message}\n", "version")
    for version in ("2.34", "2.41", "3.0"):
        preload.write_text(f'process.report.getReport = () => ({{header: {{glibcVersionRuntime: "{version}"}}}})')
        Wrapper(node, script, preload).expect(3, "", "", "status", "3")
    (root / f"node_modules/@sluice-mcp/{platform}/lib/sluice/sluice").chmod(0o644)
    done = Wrapper(node, script).run("version")
    done = Wrapper(node, script).run("version")
    said = done.stderr.decode()
    if done.returncode != 1 or not said.startswith("sluice: the program cannot be started: EACCES") or said.count("\n") != 1:
        sys.exit(f"{node}: a program that cannot be started ends with {done}")
    (root / f"node_modules/@sluice-mcp/{platform}/lib/sluice/sluice").chmod(0o755)


def main(nodes):
    with tempfile.TemporaryDirectory(prefix="sluice-npm-") as scratch:
        root = Path(scratch).resolve() / "an application"
        script = install(root)
        if len(script.read_text().splitlines()) > 60:
            sys.exit("bin/sluice.js has more than 60 lines")
        for node in nodes:
            version = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout.strip()
            begun = time.monotonic()
            check_passing(Wrapper(node, script))
            check_termination(Wrapper(node, script))
            check_refusals(node, root, script)
            print(f"Node.js {version}: passed in {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
