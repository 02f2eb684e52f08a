"""A release of a small package in a repository of its own: what it writes, and that one that fails leaves nothing."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import release as releasing
from release import Refused, release

DAY = "2026-11-20"
FILES = {
    "src/ludus/__init__.py": '"""A package."""\n',
    "src/ludus/version.py": '"""Its version."""\n\n__version__ = "0.1.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n### Added\n- A thing.\n\n## [0.1.0] - 2026-01-01\n\n- All.\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 0.1.0\nlicense: Apache-2.0\n",
    ".gitignore": "/dist/\n__pycache__/\n",
    "pyproject.toml": """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "ludus"
requires-python = ">=3.11"
dynamic = ["version"]
[tool.hatch.version]
path = "src/ludus/version.py"
""",
}


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "--quiet")
    for name, value in (("user.name", "A"), ("user.email", "a@example.org"), ("commit.gpgsign", "false")):
        git(root, "config", name, value)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "all")
    return root


def passed(*_: Any) -> None:
    """A step that goes well."""


Step = Callable[..., Any]


def make(
    root: Path, version: str = "0.2.0", tested: str | None = None, run_tests: Step = passed, try_wheel: Step = passed
) -> Path:
    return release(root, version, DAY, tested, run_tests=run_tests, try_wheel=try_wheel)


@pytest.fixture
def nothing_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building takes a second, and only the first test looks at what it gives."""
    monkeypatch.setattr(releasing, "build", lambda root: root / "dist" / "ludus.whl")


def untouched(root: Path, head: str) -> bool:
    return (git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain"), git(root, "tag")) == (head, "", "")


def test_a_release_is_dated_built_tried_committed_and_tagged(root: Path) -> None:
    asked: list[Any] = []
    wheel = make(root, run_tests=asked.append, try_wheel=lambda *wheel: asked.append(wheel))
    assert asked == [root, (wheel, "0.2.0")]
    assert sorted(path.name for path in (root / "dist").iterdir()) == [
        "ludus-0.2.0-py3-none-any.whl",
        "ludus-0.2.0.tar.gz",
    ]
    with zipfile.ZipFile(wheel) as packed:
        assert b'__version__ = "0.2.0"' in packed.read("ludus/version.py")
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "log", "-1", "--format=%s") == "release: 0.2.0"
    assert git(root, "rev-parse", "v0.2.0^{commit}") == git(root, "rev-parse", "HEAD")
    assert git(root, "cat-file", "-t", "v0.2.0") == "tag"
    news = f"## [Unreleased]\n\n## [0.2.0] - {DAY}\n\n### Added\n- A thing.\n\n## [0.1.0]"
    assert news in (root / "CHANGELOG.md").read_text()
    assert f"\nversion: 0.2.0\ndate-released: {DAY}\nlicense" in (root / "CITATION.cff").read_text()

    (root / "CHANGELOG.md").write_text(
        (root / "CHANGELOG.md").read_text().replace("[Unreleased]\n", "[Unreleased]\n- More.\n")
    )
    git(root, "commit", "--quiet", "--all", "--message", "more")
    releasing.write_version(root, "0.2.1", "2026-12-01")  # as the next one would
    assert "\nversion: 0.2.1\ndate-released: 2026-12-01\nlicense" in (root / "CITATION.cff").read_text()


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("", "three numbers"),
        ("0.2", "three numbers"),
        ("v0.2.0", "three numbers"),
        ("0.2.0rc1", "three numbers"),
        ("0.02.0", "three numbers"),
        ("0.1.0", "not later than 0.1.0"),
        ("0.0.9", "not later than 0.1.0"),
    ],
)
def test_a_version_that_cannot_follow_is_refused(root: Path, version: str, why: str) -> None:
    head = git(root, "rev-parse", "HEAD")
    with pytest.raises(Refused, match=why):
        make(root, version)
    assert untouched(root, head)


def test_ten_comes_after_nine(root: Path) -> None:
    releasing.write_version(root, "0.9.0", DAY)
    (root / "CHANGELOG.md").write_text(FILES["CHANGELOG.md"])
    git(root, "commit", "--quiet", "--all", "--message", "nine")
    releasing.check(root, "0.10.0")


def test_a_tree_that_is_not_clean_is_refused(root: Path) -> None:
    (root / "new.py").touch()
    with pytest.raises(Refused, match=r"not clean: commit or remove 'new\.py'"):
        make(root)


def test_a_tag_that_is_there_is_refused(root: Path) -> None:
    git(root, "tag", "v0.2.0")
    with pytest.raises(Refused, match=r"a tag v0\.2\.0 already"):
        make(root)


def test_nothing_new_is_no_release(root: Path) -> None:
    (root / "CHANGELOG.md").write_text(FILES["CHANGELOG.md"].replace("- A thing.\n", ""))
    git(root, "commit", "--quiet", "--all", "--message", "empty")
    with pytest.raises(Refused, match="nothing under"):
        make(root)


@pytest.mark.usefixtures("nothing_built")
@pytest.mark.parametrize("step", ["run_tests", "try_wheel"])
@pytest.mark.parametrize("failure", [Refused, KeyboardInterrupt])
def test_a_step_that_fails_or_is_interrupted_leaves_all_as_it_was(
    root: Path, step: str, failure: type[BaseException]
) -> None:
    def fails(*_: Any) -> None:
        raise failure

    first, second = (fails, passed) if step == "run_tests" else (passed, fails)
    head = git(root, "rev-parse", "HEAD")
    with pytest.raises(failure):
        make(root, run_tests=first, try_wheel=second)
    assert untouched(root, head)


@pytest.mark.usefixtures("nothing_built")
def test_a_commit_that_is_refused_leaves_all_as_it_was(root: Path) -> None:
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2; exit 1\n")
    hook.chmod(0o755)
    head = git(root, "rev-parse", "HEAD")
    with pytest.raises(Refused, match=r"'git commit .*: no"):
        make(root)
    assert untouched(root, head)


def test_what_is_changed_while_the_tests_run_is_not_released(root: Path) -> None:
    with pytest.raises(Refused, match="not clean"):
        make(root, run_tests=lambda root: (root / "src/ludus/late.py").touch())


def test_a_commit_made_while_the_tests_run_is_not_released(root: Path) -> None:
    with pytest.raises(Refused, match="is no longer what is here"):
        make(root, run_tests=lambda root: git(root, "commit", "--quiet", "--allow-empty", "--message", "late"))


@pytest.mark.usefixtures("nothing_built")
def test_tests_that_have_passed_at_this_commit_are_not_run_again(root: Path) -> None:
    def fails(*_: Any) -> None:
        raise AssertionError

    head = git(root, "rev-parse", "HEAD")
    for tested in ("HEAD", head[:6], "0" * 40, ""):
        with pytest.raises(Refused, match="said to have passed"):
            make(root, tested=tested, run_tests=fails)
    assert untouched(root, head)
    make(root, tested=head[:8], run_tests=fails)
    assert git(root, "tag") == "v0.2.0"


def test_the_files_of_this_repository_are_such_that_it_can_be_released(tmp_path: Path) -> None:
    for path in releasing.WRITTEN:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((releasing.ROOT / path).read_text())
    releasing.write_version(tmp_path, "99.0.0", DAY)
    assert '\n__version__ = "99.0.0"\n' in (tmp_path / releasing.PACKAGE).read_text()
    assert f"\nversion: 99.0.0\ndate-released: {DAY}\n" in (tmp_path / releasing.CITATION).read_text()
