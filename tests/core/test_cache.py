"""The cache of compiled programs: its place, its size, and its limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus.core import cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LUDUS_CACHE", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "ludus"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert cache.folder() == tmp_path / "me" / ".cache" / "ludus"
    monkeypatch.setenv("LUDUS_CACHE", "off")
    assert cache.folder() is None
    assert cache.place("jax") is None
    assert cache.size() == (0, 0)


def test_what_was_made_otherwise_lies_elsewhere(folder: Path) -> None:
    one, same, other = cache.place("jax", "1"), cache.place("jax", "1"), cache.place("jax", "2")
    assert one is not None
    assert one == same != other
    assert one.parent == folder / "jax"


def test_it_is_counted_and_let_go(folder: Path) -> None:
    for kind, name, length in (("jax", "a", 100), ("numba", "b", 50)):
        place = cache.place(kind)
        assert place is not None
        (place / name).write_bytes(b"x" * length)
    (folder / "mine.txt").write_text("keep")
    assert cache.size() == (3, 154)
    cache.clear()
    assert cache.size() == (1, 4)
    assert (folder / "mine.txt").read_text() == "keep"


def test_what_was_used_longest_ago_goes_first(folder: Path) -> None:
    place = cache.place("jax")
    assert place is not None
    for age, name in enumerate(("new", "middle", "old")):
        (place / name).write_bytes(b"x" * 100)
        os.utime(place / name, (1_000_000 - age, 1_000_000 - age))
    cache.prune(250)
    assert sorted(path.name for path in place.iterdir()) == ["middle", "new"]
    cache.prune(250)
    assert len(list(place.iterdir())) == 2


def test_a_place_that_cannot_be_made_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "file"))
    assert cache.place("jax") is None


def test_what_was_made_for_another_processor_lies_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs may not run here."""
    here = cache.place("jax", "1")
    monkeypatch.setattr(cache, "_processor", lambda: "flags: fpu another")
    assert cache.place("jax", "1") != here
    monkeypatch.undo()
    assert cache._processor()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users are told apart as POSIX does it")
def test_what_is_another_users_is_as_good_as_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, me = cache.place("jax"), os.getuid()
    assert place is not None
    (place / "a").write_bytes(b"x")
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    assert cache.place("jax") is None
    assert cache.size() == (0, 0)
    cache.clear()
    cache.prune(0)
    cache.prune_seldom()
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["a"]
    monkeypatch.setattr(os, "getuid", lambda: me)
    for open_to_all in (folder, place.parent, place):
        open_to_all.chmod(0o777)
        assert cache.place("jax") is None
        open_to_all.chmod(0o775)
    assert cache.place("jax") == place


def test_it_is_looked_through_once_a_day_whatever_the_number_of_the_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.place("jax") is not None
    pruned: list[int] = []
    monkeypatch.setattr(cache, "prune", lambda: pruned.append(1))
    monkeypatch.setattr(os, "getpid", lambda: 1)  # as in a container, always
    for _ in range(3):
        cache.prune_seldom()
    assert len(pruned) == 1
    for age, times in ((cache.SELDOM - 100, 1), (cache.SELDOM + 100, 2), (-100, 3)):  # the last: the clock was set back
        then = time.time() - age
        os.utime(folder / cache.LOOKED, (then, then))
        cache.prune_seldom()
        assert len(pruned) == times
    assert cache.size() == (0, 0), "the mark is no program"


@pytest.mark.slow
def test_jax_programs_are_found_again_and_damage_is_no_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ludus", "perft", "hex", "2", "--size", "2", "--json"]
    environment = os.environ | {"LUDUS_CACHE": str(tmp_path)}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)

    def run() -> str:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.partition('"seconds"')[0]

    first = run()
    kept = [path for path in (tmp_path / "jax").rglob("*") if path.is_file()]
    assert kept
    assert run() == first
    assert {path for path in (tmp_path / "jax").rglob("*") if path.is_file()} == set(kept)  # nothing compiled anew
    for path in kept:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert run() == first
