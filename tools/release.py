"""A release by one command: `make release VERSION=0.2.0`.

    python tools/release.py VERSION [--tested COMMIT]

In this order, so that nothing is committed that does not work:
1. The version is a later one without a tag, the tree is clean, and the changelog has something under [Unreleased].
2. `make test campaign` passes; with `--tested COMMIT` it has passed already, at the commit that is here.
3. The version and its day are written to the package, the changelog and CITATION.cff.
4. `dist/` gets the sdist, and the wheel, which is built from the sdist.
5. The wheel is installed in an empty environment, with the newest packages that its bounds allow, and tried there.
6. Commit and tag. Nothing is pushed.
Whatever fails or is interrupted before the commit, the three files are as they were.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, CHANGELOG, CITATION = Path("src/ludus/version.py"), Path("CHANGELOG.md"), Path("CITATION.cff")
WRITTEN = (PACKAGE, CHANGELOG, CITATION)
VERSION_LINE = r'^__version__ = "([^"]*)"$'
#: What a stranger would try first, each with a piece of what it prints; in an empty folder, from the wheel alone.
TRIED = (
    (("--version",), "ludus {version}"),
    (("games",), "solitaire-chess"),
    (("solve", "lgame"), "draw without end"),
    (("train", "hex", "--size", "3", "--games", "200", "--out", "trained"), "ludus play hex --against trained"),
    (("eval", "trained", "--exact"), "hex size=3"),
)


class Refused(Exception):
    """There is no release; the message is a sentence that says why."""


def run(folder: Path, *command: str) -> str:
    """What a command says on stdout; one that fails ends the release."""
    alone = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise Refused(f"'{' '.join(command)}' ended with status {done.returncode}: {said}")
    return done.stdout.strip()


def run_tests(root: Path) -> None:
    if subprocess.run(["make", "test", "campaign"], cwd=root, check=False).returncode:
        raise Refused("'make test campaign' did not pass.")


def try_wheel(wheel: Path, version: str) -> None:
    """The wheel in an environment that has nothing else, and the first commands that anybody would try."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binaries = folder / "empty" / "bin"
        run(folder, sys.executable, "-m", "venv", "empty")
        run(folder, str(binaries / "python"), "-m", "pip", "install", "--quiet", str(wheel.resolve()))
        for words, piece in TRIED:
            said = run(folder, str(binaries / "ludus"), *words)
            if piece.format(version=version) not in said:
                raise Refused(f"'ludus {' '.join(words)}' of the installed wheel does not say '{piece}': {said}")


def numbers(version: str) -> tuple[int, ...]:
    if not re.fullmatch(r"(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}", version):
        raise Refused(f"a version is three numbers, as in 'make release VERSION=0.2.0', not '{version}'.")
    return tuple(int(part) for part in version.split("."))


def check(root: Path, version: str) -> None:
    """Whether this tree can be released as that version."""
    wanted = numbers(version)
    found = re.search(VERSION_LINE, (root / PACKAGE).read_text(), re.MULTILINE)
    if found and wanted <= numbers(found[1]):
        raise Refused(f"version {version} is not later than {found[1]}, which {PACKAGE} has; take a later one.")
    if run(root, "git", "tag", "--list", f"v{version}"):
        raise Refused(f"there is a tag v{version} already; take a later version.")
    if changed := run(root, "git", "status", "--porcelain"):
        path = changed.splitlines()[0].split(maxsplit=1)[1]
        raise Refused(f"the tree is not clean: commit or remove '{path}' and what else 'git status' shows.")
    news = (root / CHANGELOG).read_text().partition("\n## [Unreleased]\n")[2].partition("\n## ")[0]
    if not re.search(r"^- ", news, re.MULTILINE):
        raise Refused(f"{CHANGELOG} has nothing under [Unreleased]; write there what is new.")


def write_version(root: Path, version: str, day: str) -> None:
    """The version, and its day, in the three files that tell it."""
    for path, pattern, put in (
        (PACKAGE, VERSION_LINE, f'__version__ = "{version}"'),
        (CHANGELOG, r"^## \[Unreleased\]$", f"## [Unreleased]\n\n## [{version}] - {day}"),
        (CITATION, r"^version: .*(\ndate-released: .*)?$", f"version: {version}\ndate-released: {day}"),
    ):
        text, count = re.subn(pattern, put, (root / path).read_text(), flags=re.MULTILINE)
        if count != 1:
            raise Refused(f"{path} has {count} lines like '{pattern}', and should have one.")
        (root / path).write_text(text)


def build(root: Path) -> Path:
    """The sdist and the wheel in `dist/`: the wheel from what the sdist holds, so that this is shown to be whole."""
    dist = root / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run(root, sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(dist))
    (sdist,) = dist.glob("*.tar.gz")
    made = ("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(dist), str(sdist))
    run(root, sys.executable, "-m", *made)
    (wheel,) = dist.glob("*.whl")
    return wheel


def release(
    root: Path,
    version: str,
    day: str,
    tested: str | None = None,
    *,
    run_tests: Callable[[Path], None] = run_tests,
    try_wheel: Callable[[Path, str], None] = try_wheel,
) -> Path:
    """Make the release, and give back its wheel. The two steps that take minutes can be others."""
    check(root, version)
    head = run(root, "git", "rev-parse", "HEAD")
    if tested is None:
        run_tests(root)
        check(root, version)
        if run(root, "git", "rev-parse", "HEAD") != head:
            raise Refused(f"{head[:12]} was tested, and is no longer what is here; begin again.")
    elif not (re.fullmatch("[0-9a-f]{7,40}", tested) and head.startswith(tested)):
        raise Refused(
            f"the tests are said to have passed at '{tested}', but the commit here is {head[:12]}; test that."
        )
    files = [str(path) for path in WRITTEN]
    try:
        write_version(root, version, day)
        wheel = build(root)
        try_wheel(wheel, version)
        run(root, "git", "commit", "--quiet", "--message", f"release: {version}", "--", *files)
    finally:
        run(root, "git", "checkout", "--quiet", "HEAD", "--", *files)  # after the commit, nothing to be done
    run(root, "git", "tag", "--annotate", f"v{version}", "--message", f"Ludus {version}")
    return wheel


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a release, as the top of this file says.")
    parser.add_argument("version", help="three numbers, later than those of the package")
    parser.add_argument("--tested", metavar="COMMIT", help="the tests and campaigns have just passed at this commit")
    asked = parser.parse_args()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        release(ROOT, asked.version, today, asked.tested)
    except Refused as refused:
        print(f"release: {refused}", file=sys.stderr)
        raise SystemExit(2) from None
    print(f"Ludus {asked.version} is committed and tagged v{asked.version}, with its sdist and wheel in dist/.")
    print("Nothing was pushed.")
    if "Repository" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]:
        print("Note: [project.urls] in pyproject.toml has no Repository.")


if __name__ == "__main__":
    main()
