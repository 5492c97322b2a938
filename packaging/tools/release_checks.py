"""What must hold before a release is made, and the change log and version that a release is prepared with."""

import re
import subprocess

from package_files import ROOT, fail, run

# A lock names versions of other things, some of which are equal; the change log names every version there was.
EXEMPT = re.compile(r"CHANGELOG\.md|.*\.lock|(?:.*/)?package(?:-lock)?\.json|tests/.*|docs/(?:DEPENDENCIES|ROADMAP)\.md")
UNRELEASED = "## [Unreleased]\n"


def git(root, *words):
    return run("git", "-C", root, *words)


def places_of(version, root=ROOT):
    """Where the product's files name the version, as FILE:LINE. A test may have a server of its own, whose version is another."""
    found = []
    for name in filter(None, git(root, "ls-files", "-z").split("\0")):
        if EXEMPT.fullmatch(name) or not (root / name).is_file():
            continue
        text = (root / name).read_bytes().decode(errors="replace")
        for match in re.finditer(r"(?<![\d.])" + re.escape(version) + r"(?![\d]|\.\d)", text):
            found.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}")
    return found


def problem_of_version(version, root=ROOT):
    """Empty if the version is named once, in project(VERSION)."""
    places = places_of(version, root)
    if len(places) == 1 and places[0].startswith("CMakeLists.txt:"):
        return ""
    return f"the version {version} must stand in project(VERSION) of CMakeLists.txt alone; it is at {', '.join(places)}"


def section_of(changes, version):
    """The text of a version's section of the change log, without its heading; None if there is none."""
    match = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", changes, re.MULTILINE | re.DOTALL)
    return match.group(1).strip() if match else None


def require_clean(root=ROOT):
    changed = git(root, "status", "--porcelain", "--untracked-files=no").splitlines()
    if changed:
        names = ", ".join(line[3:] for line in changed[:3]) + (", …" if len(changed) > 3 else "")
        fail(f"the tree has changes that are not committed: {names}")


def require_tag(version, root=ROOT):
    tag = f"v{version}"
    done = subprocess.run(["git", "-C", root, "rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"there is no tag {tag}; docs/RELEASING.md says how a release is prepared")
    head = git(root, "rev-parse", "HEAD").strip()
    if done.stdout.strip() != head:
        fail(f"the tag {tag} is on {done.stdout.strip()[:12]}, and HEAD is {head[:12]}")


def require_section(version, root=ROOT):
    section = section_of((root / "CHANGELOG.md").read_text(), version)
    if section is None:
        fail(f"CHANGELOG.md has no section for {version}; `scripts/release prepare {version}` writes it")
    if not re.search(r"^- ", section, re.MULTILINE):
        fail(f"the section for {version} in CHANGELOG.md is empty")


def require_one_engine(root=ROOT):
    """Answers must not depend on the processor."""
    lock = (root / "scripts/engine.lock").read_text()
    versions = dict(re.findall(r"^@duckdb/node-bindings-linux-(\w+)\s+([0-9.]+)", lock, re.MULTILINE))
    if len(set(versions.values())) != 1:
        named = " and ".join(f"{version} for {name}" for name, version in sorted(versions.items()))
        fail(f"scripts/engine.lock names DuckDB {named or 'nowhere'}; a release has one version, the newest that all processors have")


def require_all(version, root=ROOT):
    """Refuses with one sentence, before anything is built."""
    require_clean(root)
    require_tag(version, root)
    require_section(version, root)
    problem = problem_of_version(version, root)
    if problem:
        fail(problem)
    require_one_engine(root)


def prepared_changes(changes, version, day):
    """The change log with what was unreleased as the section of a version, and nothing unreleased."""
    if section_of(changes, version) is not None:
        fail(f"CHANGELOG.md has a section for {version} already")
    unreleased = section_of(changes, "Unreleased")
    if not unreleased or not re.search(r"^- ", unreleased, re.MULTILINE):
        fail("nothing is unreleased: CHANGELOG.md has no entry below [Unreleased]")
    return changes.replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day}\n", 1)


def numbers(version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        fail(f"{version} is not a version like 1.2.3")
    return tuple(map(int, version.split(".")))


def prepare(version, day, root=ROOT):
    require_clean(root)
    build_file = root / "CMakeLists.txt"
    text = build_file.read_text()
    current = re.search(r"project\(sluice VERSION (\S+)", text).group(1)
    is_tagged = git(root, "tag", "--list", f"v{current}").strip() != ""
    if numbers(version) < numbers(current) or (is_tagged and version == current):
        fail(f"{version} does not come after {current}")
    changes = root / "CHANGELOG.md"
    changes.write_text(prepared_changes(changes.read_text(), version, day))
    build_file.write_text(text.replace(f"project(sluice VERSION {current}", f"project(sluice VERSION {version}", 1))
    problem = problem_of_version(version, root)
    if problem:
        git(root, "checkout", "--", "CHANGELOG.md", "CMakeLists.txt")
        fail(problem)
    git(root, "commit", "--quiet", "--all", "--message", f"Release {version}", "--message",
        f"The changes since the last release are the section {version} of CHANGELOG.md.")
