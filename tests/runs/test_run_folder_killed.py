"""Runs that are killed at any moment, and go on as if nothing had happened.

Run as a script, this file trains in the folder it is given, again and again, and kills itself at random moments.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.runs import CONFIG, Learner, outcome, train

from ludus.runs import run_folder, run_info


class Crash(BaseException):
    """The moment of a kill: nothing after it is done."""


def crash_at(patch: pytest.MonkeyPatch, moment: int) -> None:
    """Whatever touches the disk for good comes to nothing from the given call on."""
    calls = 0

    def dying(act: Callable) -> Callable:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > moment:
                raise Crash
            return act(*args, **kwargs)

        return call

    for name in ("replace", "fsync", "unlink", "mkdir"):
        patch.setattr(os, name, dying(getattr(os, name)))


def test_a_crash_at_any_moment_changes_nothing_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # the moments count, and the disk is slow
    train(tmp_path / "straight", 7)
    moment, crashed = 0, True
    while crashed:
        crashed = False
        path = tmp_path / str(moment)
        with pytest.MonkeyPatch.context() as patch:
            crash_at(patch, moment)
            try:
                train(path, 7)
            except Crash:
                crashed = True
        train(path, 7)
        assert outcome(path) == outcome(tmp_path / "straight"), moment
        moment += 1
    assert moment > 30  # so many moments there were


def test_a_crash_while_a_step_is_saved_again_loses_that_step_at_most(tmp_path: Path) -> None:
    moment, crashed, found = 0, True, set()
    while crashed:
        crashed = False
        run = run_folder.create(tmp_path / str(moment), CONFIG)
        for step in (4, 5):
            run.checkpoint(step, {"x": step})
        with pytest.MonkeyPatch.context() as patch:
            crash_at(patch, moment)
            try:
                run.checkpoint(5, {"x": 50})
            except Crash:
                crashed = True
        restored = run.restore({"x": 0})
        assert restored is not None
        found.add((restored[0], restored[1]["x"]))
        moment += 1
    assert found == {(5, 5), (4, 4), (5, 50)}


# --- kills --------------------------------------------------------------------------------------------------

KILLS = 12


def train_plainly(path: Path, steps: int) -> None:
    """Train without JAX, which many short processes would each have to start and compile for."""

    def update(state: Learner) -> Learner:
        where = state.where * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        return Learner(where, state.key, {"last": np.append(where, state.seen["last"])[:4]})

    def begin() -> Learner:
        return Learner(np.ones(2, np.uint64), 7, {"last": np.zeros(4, np.uint64)})

    train(path, steps, 3, begin, update)


def kill_and_resume(path: Path, seed: int) -> None:
    """Train in processes that are killed at a random moment, each once it has got somewhere; the last may end."""
    rng, timing = random.Random(seed), path / run_info.TIMING

    def size() -> int:
        return timing.stat().st_size if timing.exists() else 0

    for _ in range(KILLS):
        before = size()
        pid = os.fork()  # JAX allows it as long as it has not been used in this process
        if pid == 0:
            train_plainly(path, 1_000_000)
        while size() <= before:
            time.sleep(0.001)
            assert os.waitpid(pid, os.WNOHANG) == (0, 0), "the training ended by itself"
        time.sleep(rng.random() * 0.1)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    train_plainly(path, 5 + (path / run_info.METRICS).read_bytes().count(b"\n"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed as POSIX does it")
def test_kills_at_random_moments_change_nothing_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}  # where the helpers are
    subprocess.run([sys.executable, __file__, str(tmp_path / "killed")], check=True, timeout=60, env=environment)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # no kill will come here, and it is slow
    train_plainly(tmp_path / "straight", (tmp_path / "killed" / run_info.METRICS).read_bytes().count(b"\n"))
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "straight")


if __name__ == "__main__":
    kill_and_resume(Path(sys.argv[1]), seed=0)
