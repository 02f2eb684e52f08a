"""Disks that are full, folders that are read-only or vanish: one sentence, what was saved is kept, and it goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.process import TRAIN, ludus, rows
from helpers.runs import contents
from helpers.text import refusal
from helpers.training import GAME, TABLE, results

from ludus.core.cache import folder
from ludus.runs import files, run_folder, tensorboard
from ludus.training import train as training
from ludus.training.progress import Progress

TINY = [*TRAIN, "--games=60", "--quiet"]


def mount(*words: str) -> None:
    """As root on Linux one may; elsewhere these tests cannot be."""
    done = subprocess.run(["mount", *words], check=False, capture_output=True) if shutil.which("mount") else None
    if done is None or done.returncode:
        pytest.skip("nothing can be mounted here")


@contextlib.contextmanager
def mounted(at: Path, *words: str) -> Iterator[Path]:
    at.mkdir(exist_ok=True)
    mount(*words, str(at))
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder() or tmp_path_factory.mktemp("cache")  # what all tests keep


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    run = tmp_path_factory.mktemp("whole") / "run"
    assert ludus(*TINY, "--out", str(run), cache=cache).status == 0
    return run


def same(run: Path, whole: Path) -> bool:
    """But for the command, which names the folder."""
    ours, theirs = results(run), results(whole)
    changed = {name for name in theirs if ours.get(name) != theirs[name]}
    return changed <= {"config.json", *(name for name in theirs if name[:1].isdecimal() and name.endswith(".json"))}


@pytest.mark.slow
def test_a_full_disk_ends_training_with_a_sentence_and_it_goes_on(tmp_path: Path, whole: Path, cache: Path) -> None:
    used = sum(at.stat().st_size for at in (whole / "checkpoints").iterdir())
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", f"size={used // 2 + 16384}", "none") as small:
        run = small / "my run"
        said = ludus(*TINY, "--out", str(run), cache=cache).refusal
        assert "No space left on device" in said
        assert f"go on with ludus train --resume '{run}'." in said
        kept = len(list((run / "checkpoints").glob("*.json")))
        again = ludus("train", "--resume", str(run), cache=cache)  # still no room
        assert "No space left on device" in again.refusal
        assert len(list((run / "checkpoints").glob("*.json"))) >= kept
        mount("-o", "remount,size=64m", str(small))
        assert ludus("train", "--resume", str(run), "--quiet", cache=cache).status == 0
        assert same(run, whole)


LIMIT = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))"


@pytest.mark.slow
def test_a_file_that_grows_too_large_ends_training_with_a_sentence(tmp_path: Path, whole: Path, cache: Path) -> None:
    """`ulimit -f`, which is to be had on every POSIX system."""
    pytest.importorskip("resource")
    run = tmp_path / "run"
    said = ludus(*TINY, "--out", str(run), cache=cache, before=LIMIT).refusal
    assert "File too large" in said
    assert f"go on with ludus train --resume {run}." in said
    assert not list(run.rglob(".*.tmp"))
    assert ludus("train", "--resume", str(run), "--quiet", cache=cache).status == 0
    assert same(run, whole)


@pytest.mark.slow
def test_no_room_for_a_new_run_leaves_nothing_behind(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=4k", "none") as small:
        (small / "full").write_bytes(b"x" * 4096)
        said = ludus(*TINY, "--out", str(small / "run"), cache=None).refusal
        assert f"the run folder '{small / 'run'}' cannot be made: No space left on device." in said
        assert [at.name for at in small.iterdir()] == ["full"]


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """By its rights, or for root, who has them all, by a mount."""
    if os.geteuid():
        mode = folder.stat().st_mode
        folder.chmod(0o555)
        try:
            yield folder
        finally:
            folder.chmod(mode)
    else:
        with mounted(folder, "--bind", str(folder)):
            mount("-o", "remount,ro,bind", str(folder))
            yield folder


@pytest.mark.slow
def test_a_read_only_folder_is_refused_before_any_work(tmp_path: Path, whole: Path, cache: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    (run / ".lock").unlink()  # as an older version left it
    with read_only(run):
        for argv in (["--resume", str(run)], ["--resume", str(run), "--games", "90"]):
            assert f"'{run}' cannot be written to" in ludus("train", *argv, cache=cache).refusal
        assert f"'{run}' cannot be written to" in ludus(*TINY, "--out", str(run / "below"), cache=cache).refusal
        board = ludus(*TINY, "--out", str(tmp_path / "new"), "--tensorboard", str(run / "board"), cache=cache)
        assert f"--tensorboard: the folder '{run}' cannot be written to" in board.refusal
        assert ludus("eval", str(run), "--games", "2", "--json", cache=cache).document["agent"] == str(run)
        # It can still be listed and looked at, with the picture elsewhere.
        assert "name another file with --svg" in ludus("runs", "show", str(run), cache=cache).refusal
        assert ludus("runs", "show", str(run), "--svg", str(tmp_path / "it.svg"), cache=cache).status == 0
    assert not (tmp_path / "new").exists()
    assert same(run, whole)


@pytest.mark.usefixtures("optax_promotes")
@pytest.mark.slow
def test_a_folder_that_vanishes_is_a_sentence(tmp_path: Path) -> None:
    run = tmp_path / "run"

    def vanish(progress: Progress) -> None:
        if progress.reported:
            shutil.rmtree(run, ignore_errors=True)

    said = refusal(lambda: training.train(GAME, TABLE, 0, run, on_progress=vanish))
    assert said == f"the run folder '{run}' has gone while it was trained: begin a new run."
    assert not run.exists()


@pytest.mark.usefixtures("optax_promotes")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["metrics.jsonl", ".weights.safetensors.tmp", ".final.json.tmp", "events.out"])
def test_whatever_cannot_be_written_is_a_sentence(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, board = tmp_path / "run", tmp_path / "board"
    whole = training.train(GAME, TABLE, 0, tmp_path / "whole").run

    def refuse(path: Any, mode: str = "r", *more: Any) -> Any:
        if name in Path(path).name and mode != "r" and (run / "timing.jsonl").exists():  # after the first report
            raise OSError(28, "No space left on device", str(path))
        return open(path, mode, *more)

    with monkeypatch.context() as patch:
        for module in (run_folder, files, tensorboard):
            patch.setattr(module, "open", refuse, raising=False)
        said = refusal(lambda: training.train(GAME, TABLE, 0, run, tensorboard=board))
    assert "No space left on device; what was saved before is kept" in said
    assert name.strip(".") in said
    assert rows(run)
    training.resume(run, tensorboard=board)
    assert results(run) == results(whole)
    assert not [path for path in contents(run) if path.endswith(".tmp")]
