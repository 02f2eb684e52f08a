"""Finished batches are found again by those that they belong to, and by nobody else."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.text import refusal

from ludus.study import cache
from ludus.study.cache import BatchResult, RunCache, as_tree, sources

ABOUT = {"paper": "p", "quick": True, "versions": {"jax": "1"}}
WHAT = {"learner": "online", "runs": [[{"alpha": 0.1}, "", 3]]}
BATCH = BatchResult(
    {"value/b": np.array([[0.25, np.nan]], np.float32), "a": np.array([[1.0, 2.0]])},
    [np.arange(6, dtype=np.float32).reshape(1, 2, 3), np.array([7], np.int32)],
)


def file_of(runs: RunCache) -> Path:
    (path,) = runs.folder.glob("*.batch")
    return path


def full(path: Path, data: bytes) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@pytest.fixture
def runs(tmp_path: Path) -> RunCache:
    made = RunCache(tmp_path / "out" / ".runs", ABOUT)
    made.keep(WHAT, BATCH)
    return made


def test_what_was_kept_is_found(runs: RunCache) -> None:
    found = RunCache(runs.folder, ABOUT).find(WHAT)
    assert found is not None
    assert list(found.measured) == list(BATCH.measured)
    for name, values in BATCH.measured.items():
        np.testing.assert_array_equal(found.measured[name], values)
        assert found.measured[name].dtype == values.dtype
    for leaf, wanted in zip(found.weights, BATCH.weights, strict=True):
        np.testing.assert_array_equal(leaf, wanted)
    assert "may be deleted" in (runs.folder / "about.txt").read_text()


def test_what_is_another_s_is_not_found(runs: RunCache) -> None:
    assert runs.find(WHAT | {"points": 5}) is None
    assert RunCache(runs.folder, ABOUT | {"quick": False}).find(WHAT) is None
    assert RunCache(runs.folder, ABOUT | {"versions": {"jax": "2"}}).find(WHAT) is None
    other = WHAT | {"learner": "dqn"}
    runs._path(runs._said(other)).write_bytes(file_of(runs).read_bytes())  # a file under another's name
    assert runs.find(other) is None
    assert runs.find(WHAT) is not None


def test_what_is_damaged_is_not_found(runs: RunCache) -> None:
    path = file_of(runs)
    whole = path.read_bytes()
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert runs.find(WHAT) is None, place
        path.write_bytes(whole[:place])
        assert runs.find(WHAT) is None, place
    path.unlink()
    path.mkdir()
    assert runs.find(WHAT) is None
    path.rmdir()
    runs.keep(WHAT, BATCH)
    assert path.read_bytes() == whole


def test_whoever_wants_it_fresh_finds_nothing(runs: RunCache) -> None:
    fresh = RunCache(runs.folder, ABOUT, fresh=True)
    assert fresh.find(WHAT) is None
    fresh.keep(WHAT, BATCH)
    assert runs.find(WHAT) is not None


def test_a_folder_that_cannot_be_written_to_is_refused_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    assert "cannot be written to" in refusal(lambda: RunCache(tmp_path / "file" / "x" / ".runs", ABOUT))
    monkeypatch.setattr(cache, "write_file", full)
    said = refusal(lambda: RunCache(tmp_path / "a" / "b" / ".runs", ABOUT))
    assert said.endswith("/a/b/.runs' cannot be written to: No space left on device.")
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]


def test_a_disk_that_fills_up_keeps_what_was_kept(runs: RunCache, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cache, "write_file", full)
        said = refusal(lambda: runs.keep(WHAT | {"points": 5}, BATCH))
    assert "No space left on device" in said
    assert "goes on from what was kept before" in said
    assert runs.find(WHAT) is not None


def test_a_folder_that_vanishes_is_made_again(runs: RunCache) -> None:
    for path in runs.folder.iterdir():
        path.unlink()
    runs.folder.rmdir()
    assert runs.find(WHAT) is None
    runs.keep(WHAT, BATCH)
    assert runs.find(WHAT) is not None


def test_the_code_that_matters_is_what_runs_depend_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sources("hex") == sources("hex") != sources("lgame")
    layers, room = tmp_path / "ludus", tmp_path / "room"
    for path in (
        *(layers / name / ("" if name.endswith(".py") else "some.py") for name in cache.HASHED),
        room / "a.py",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    monkeypatch.setattr(cache, "__file__", str(layers / "study" / "cache.py"))
    monkeypatch.setattr(cache, "load", lambda name: SimpleNamespace(__path__=[str(room)]))

    def changes(path: Path) -> bool:
        path.parent.mkdir(exist_ok=True)
        path.write_text("1")
        before = sources("hex")
        path.write_text("2")
        return sources("hex") != before

    for matters in ("learners/some.py", "networks/new.py", "study/grid.py", "study/measures.py"):
        assert changes(layers / matters)
    for matters in ("rules.py", "paper/pretraining.py"):
        assert changes(room / matters)
    # Which runs there are, each says of itself; and what judges them or chooses among them changes none.
    for judges in ("statistics.py", "trials.py", "study.py", "reproduce.py"):
        assert not changes(layers / "study" / judges)
    for judges in (
        "figures.py",
        "settings.py",
        "settings.json",
        "verdicts.py",
        "standings.py",
        "matches.py",
        "tournaments.py",
    ):
        assert not changes(room / "paper" / judges)


def test_weights_are_made_a_tree_again_where_they_fit() -> None:
    like = {"a": np.zeros((2, 3), np.float32), "b": np.int32(0)}
    tree = as_tree(BATCH.weights, like)
    assert tree["a"] is BATCH.weights[0]
    assert tree["b"] is BATCH.weights[1]
    assert as_tree(BATCH.weights[:1], like) is None
    assert as_tree(BATCH.weights, like | {"a": np.zeros((3, 2), np.float32)}) is None
    assert as_tree(BATCH.weights, like | {"b": np.float32(0)}) is None
