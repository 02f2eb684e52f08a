"""One writer per run folder, whatever becomes of it; and what a second one is told."""

from __future__ import annotations

import errno
import logging
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.process import TRAIN, finish, ludus, rows, start, wait_for
from helpers.runs import CONFIG, contents
from helpers.text import refusal

from ludus.errors import BadInput
from ludus.runs import lock, run_folder
from ludus.training import train as training

HOLD = "import sys, time; from pathlib import Path; from ludus.runs import lock\n"
HOLD += "with lock.held(Path(sys.argv[1])): print('now', flush=True); time.sleep(600)"


def enter(folder: Path) -> None:
    with lock.held(folder):
        pass


def test_a_folder_is_held_by_one(tmp_path: Path) -> None:
    assert not lock.is_held(tmp_path)
    with lock.held(tmp_path):
        assert lock.is_held(tmp_path)
        assert refusal(enter, tmp_path).startswith(f"another process is training in '{tmp_path}': wait")
        assert "another process" in refusal(lock.refuse_held, tmp_path)
    assert not lock.is_held(tmp_path)
    lock.refuse_held(tmp_path)
    enter(tmp_path)


def test_a_lock_vanishes_with_its_process(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        assert lock.is_held(tmp_path)
        process.send_signal(signal.SIGKILL)
    assert not lock.is_held(tmp_path)
    enter(tmp_path)


def test_who_only_looks_keeps_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path)
    fcntl = pytest.importorskip("fcntl")
    with open(tmp_path / lock.NAME) as looking:
        fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
        monkeypatch.setattr(time, "sleep", lambda _: looking.close())  # it has seen enough
        enter(tmp_path)


def test_who_only_looks_is_not_taken_for_one_who_trains(tmp_path: Path) -> None:
    enter(tmp_path)
    fcntl = pytest.importorskip("fcntl")
    with open(tmp_path / lock.NAME) as looking:
        fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
        assert not lock.is_held(tmp_path)
        lock.refuse_held(tmp_path)


def test_a_file_that_is_written_anew_is_held_by_one(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def hold() -> None:
        with lock.held_beside(path):
            path.write_bytes(b"mine")

    with lock.held_beside(path):
        path.write_bytes(b"old")
        path.replace(path)
        assert refusal(hold).startswith(f"another process is at work on '{path}': wait")
    hold()
    assert [at.name for at in tmp_path.iterdir()] == ["file"], "the lock is taken away again"


def test_a_lock_that_is_just_taken_away_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opened it before its holder removed it has a lock that nobody else will ever see."""
    path, entered = tmp_path / "file", []
    beside = tmp_path / f".file{lock.NAME}"
    take = lock._take

    def slow(handle: int, what: Path) -> bool:
        if not entered:
            entered.append(1)
            beside.unlink()  # as its holder does, between the opening and the locking of another
        return take(handle, what)

    monkeypatch.setattr(lock, "_take", slow)
    with lock.held_beside(path):
        assert beside.exists()
        with pytest.raises(BadInput, match="another process"), lock.held_beside(path):
            pass


@pytest.mark.parametrize("how", ["no such module", "no such locks"])
def test_where_there_are_no_locks_it_is_said_once(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if how == "no such module":
        monkeypatch.setattr(lock, "fcntl", None)
    else:
        no_locks = OSError(errno.ENOLCK, "No locks available")
        monkeypatch.setattr("fcntl.flock", lambda *_: (_ for _ in ()).throw(no_locks))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            enter(tmp_path)
    assert [record.getMessage() for record in caplog.records] == [
        f"files cannot be locked here, so nothing keeps a second process from writing to '{tmp_path}' too"
    ]
    assert not lock.is_held(tmp_path)


def test_neither_a_new_run_nor_an_old_one_is_begun_where_another_process_trains(tmp_path: Path) -> None:
    run = run_folder.create(tmp_path / "run", CONFIG)
    with lock.held(run.path):
        before = contents(tmp_path)
        assert "another process" in refusal(training.resume, run.path)
    assert contents(tmp_path) == before
    (tmp_path / "new").mkdir()
    with lock.held(tmp_path / "new"):  # by one that has not written its config yet
        assert "another process" in refusal(lambda: run_folder.begin(tmp_path / "new", CONFIG).__enter__())
    assert not (tmp_path / "new" / "config.json").exists()


@pytest.mark.slow
def test_of_two_processes_one_goes_on_and_each_row_is_there_once(tmp_path: Path) -> None:
    run, cache = tmp_path / "run", tmp_path / "cache"
    begun = start([*TRAIN, "--games=100000", "--out", str(run), "--quiet"], cache)
    wait_for(run, 3, begun)
    second = ludus("train", "--resume", str(run), cache=cache)
    assert second.refusal == f"another process is training in '{run}': wait until it has ended, or stop it."
    [listed] = ludus("runs", "--runs", str(tmp_path), "--json", cache=cache).document["runs"]
    assert (listed["state"], listed["total"]) == ("running", 100000)
    wait_for(run, len(rows(run)) + 1, begun)  # the first was not disturbed
    begun.kill()
    assert finish(begun).status == -signal.SIGKILL
    [listed] = ludus("runs", "--runs", str(tmp_path), "--json", cache=cache).document["runs"]
    assert listed["state"] == "stopped"
    # Two at once: one of them gets it, and the other is told so.
    both = [start(["train", "--resume", str(run), "--json"], cache) for _ in range(2)]
    while all(process.poll() is None for process in both):
        time.sleep(0.02)
    refused, going = sorted(both, key=lambda process: process.poll() is None)
    assert "another process" in finish(refused).refusal
    wait_for(run, len(rows(run)) + 2, going)
    going.kill()
    finish(going)
    games = [row["games"] for row in rows(run)]
    assert games == sorted(set(games))
    assert games[0] == games[1] - games[0]  # from the first on
