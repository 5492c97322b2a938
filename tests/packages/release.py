#!/usr/bin/env python3
"""release.py ROOT: a release is refused, in one sentence and before anything is built, unless all is in order."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHANGES = """# Changelog

## [Unreleased]

### Added

- Something new.

## [0.0.9] - 2020-01-01

- Something old.
"""
DATED = "## [Unreleased]\n\n## [0.2.0] - DAY\n\n### Added\n\n- Something new.\n\n## [0.0.9] - 2020-01-01\n"


LOCK = "@duckdb/node-bindings-linux-x64 1.5.6-r.1 hash=\n@duckdb/node-bindings-linux-arm64 1.5.5-r.5 hash=\n"


class Repository:
    """A small one with the real scripts, for which every release tool is a program that notes that it was run."""

    def __init__(self, root, scratch):
        self.folder = scratch
        scratch.mkdir()
        (scratch / "scripts").mkdir()
        shutil.copy(root / "scripts/release", scratch / "scripts/release")
        (scratch / "packaging/tools").mkdir(parents=True)
        for name in ("package_files.py", "release_checks.py"):
            shutil.copy(root / "packaging/tools" / name, scratch / "packaging/tools" / name)
        (scratch / "CMakeLists.txt").write_text("project(sluice VERSION 0.1.0 LANGUAGES CXX)\n")
        (scratch / "CHANGELOG.md").write_text(CHANGES)
        (scratch / "scripts/engine.lock").write_text(LOCK)
        (scratch / ".gitignore").write_text("__pycache__\n/built\n")
        for name in ("bootstrap", "portable"):
            (scratch / "scripts" / name).write_text(f"#!/bin/sh\necho {name} >>built\nexit 1\n")
            (scratch / "scripts" / name).chmod(0o755)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("Begin")

    def git(self, *words):
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", "-C", self.folder, *identity, *words], check=True, capture_output=True, text=True).stdout

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)

    def release(self, *words):
        environment = {**os.environ, "GIT_AUTHOR_NAME": "test", "GIT_AUTHOR_EMAIL": "test@example.org",
                       "GIT_COMMITTER_NAME": "test", "GIT_COMMITTER_EMAIL": "test@example.org"}
        return subprocess.run([self.folder / "scripts/release", *words], capture_output=True, text=True, env=environment,
                              timeout=60)

    def expect_refusal(self, expected, *words):
        """The sentence is a regular expression; nothing was started."""
        done = self.release(*words)
        if done.returncode != 1 or not re.fullmatch(f"release: {expected}\n", done.stderr) or done.stdout:
            sys.exit(f"{words}: expected {expected!r}, found {done.returncode} {done.stdout!r} {done.stderr!r}")
        if (self.folder / "built").exists():
            sys.exit(f"{words}: refused after it had begun: {(self.folder / 'built').read_text()}")


def check_refusals(repository):
    folder = repository.folder
    (folder / "CMakeLists.txt").write_text("project(sluice VERSION 0.1.0 LANGUAGES C)\n")
    repository.expect_refusal("the tree has changes that are not committed: CMakeLists.txt", "build")
    repository.expect_refusal("the tree has changes that are not committed: CMakeLists.txt", "prepare", "0.2.0")
    repository.expect_refusal("the tree has changes that are not committed: CMakeLists.txt", "reproduce")
    repository.git("checkout", "--", "CMakeLists.txt")
    repository.expect_refusal("there is no tag v0.1.0; docs/RELEASING.md says how a release is prepared", "build")
    repository.git("tag", "v0.1.0")
    repository.expect_refusal("CHANGELOG.md has no section for 0.1.0; `scripts/release prepare 0.1.0` writes it", "build")
    repository.commit("More")
    repository.expect_refusal("the tag v0.1.0 is on [0-9a-f]{12}, and HEAD is [0-9a-f]{12}", "build")
    (folder / "CHANGELOG.md").write_text(CHANGES.replace("## [0.0.9]", "## [0.1.0] - 2020-01-02\n\n### Added\n\n## [0.0.9]"))
    repository.commit("Empty section")
    repository.git("tag", "--force", "v0.1.0")
    repository.expect_refusal("the section for 0.1.0 in CHANGELOG.md is empty", "build")
    (folder / "CHANGELOG.md").write_text(CHANGES.replace("0.0.9", "0.1.0"))
    (folder / "version.h").write_text('#define VERSION "0.1.0"\n')
    repository.commit("Twice")
    repository.git("tag", "--force", "v0.1.0")
    repository.expect_refusal(r"the version 0\.1\.0 must stand in project\(VERSION\) of CMakeLists\.txt alone; it is at"
                              r" CMakeLists\.txt:1, version\.h:1", "build")
    (folder / "version.h").write_text('#define VERSION "10.1.0 and 0.1.01 and 0.1.0.1"\n')
    repository.commit("Once")
    repository.git("tag", "--force", "v0.1.0")
    repository.expect_refusal(r"scripts/engine\.lock names DuckDB 1\.5\.5 for arm64 and 1\.5\.6 for x64; a release has one"
                              " version, the newest that all processors have", "build")
    (folder / "scripts/engine.lock").write_text(LOCK.replace("1.5.6-r.1", "1.5.5-r.3"))
    repository.commit("One engine")
    repository.git("tag", "--force", "v0.1.0")
    done = repository.release("build")  # Nothing is refused any more, so the first tool is run.
    if (folder / "built").read_text() != "bootstrap\n" or done.returncode != 1:
        sys.exit(f"with everything in order: {done}")
    (folder / "built").unlink()


def check_preparation(repository):
    folder = repository.folder
    (folder / "CHANGELOG.md").write_text(CHANGES)
    repository.commit("Back")
    for version, expected in [("0.2", "0.2 is not a version like 1.2.3"), ("0.0.8", "0.0.8 does not come after 0.1.0"),
                              ("0.1.0", "0.1.0 does not come after 0.1.0")]:
        repository.expect_refusal(re.escape(expected), "prepare", version)
    (folder / "notes.txt").write_text("planned for 0.2.0\n")
    repository.commit("Notes")
    repository.expect_refusal(r"the version 0\.2\.0 must stand .*notes\.txt:1", "prepare", "0.2.0")
    if repository.git("status", "--porcelain"):
        sys.exit("a refused preparation leaves changes")
    repository.git("rm", "--quiet", "notes.txt")
    repository.commit("No notes")
    done = repository.release("prepare", "0.2.0")
    if done.returncode != 0:
        sys.exit(f"prepare: {done}")
    dated = re.sub(r"\d{4}-\d\d-\d\d", "DAY", (folder / "CHANGELOG.md").read_text(), count=1)
    if DATED not in dated or "VERSION 0.2.0 " not in (folder / "CMakeLists.txt").read_text():
        sys.exit(f"prepare wrote {dated}")
    if repository.git("log", "-1", "--format=%s") != "Release 0.2.0\n" or repository.git("status", "--porcelain"):
        sys.exit("prepare did not commit")
    repository.expect_refusal("CHANGELOG.md has a section for 0.2.0 already", "prepare", "0.2.0")
    repository.expect_refusal(r"nothing is unreleased: CHANGELOG\.md has no entry below \[Unreleased\]", "prepare", "0.3.0")
    repository.git("tag", "v0.2.0")
    if repository.release("build").returncode != 1 or not (folder / "built").exists():
        sys.exit("what was prepared is refused")


def check_signing(repository):
    folder = repository.folder
    (folder / "built").unlink()
    repository.expect_refusal("there is no key; give one: make sign KEY=/path/to/minisign.key", "sign")
    repository.expect_refusal("there is no key; .*", "sign", str(folder / "absent.key"))
    (folder / "my.key").write_text("secret")
    repository.expect_refusal("the key lies in the tree, .*", "sign", str(folder / "my.key"))
    outside = folder.with_name("my.key")
    outside.write_text("secret")
    repository.expect_refusal("dist/SHA256SUMS is not of the files in dist; .*", "sign", str(outside))
    (folder / "dist").mkdir()
    (folder / "dist/file").write_text("changed")
    (folder / "dist/SHA256SUMS").write_text(f"{'0' * 64}  file\n")
    done = repository.release("sign", str(outside))
    if done.returncode != 1 or "dist/SHA256SUMS is not of the files in dist" not in done.stderr:
        sys.exit(f"files that have changed are signed: {done}")


def main(root):
    with tempfile.TemporaryDirectory(prefix="sluice-release-") as scratch:
        repository = Repository(root, Path(scratch).resolve() / "repository")
        check_refusals(repository)
        check_preparation(repository)
        check_signing(repository)
    print("releases are refused as they should be")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
