"""Training that is killed at any moment, and goes on to the same bytes.

Run as a script, this file trains in the folder it is given, or goes on there.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import pytest
from helpers.training import GAME, RECIPES, results

from ludus.core.cache import place
from ludus.training import train as training

pytestmark = pytest.mark.usefixtures("optax_promotes")


def process(learner: str, folder: Path, cache: Path) -> subprocess.Popen[str]:
    """A run of this file as a script, begun: it has said that it is about to train."""
    environment = os.environ | {
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(Path(__file__).parents[1]),  # where the helpers are
    }
    running = subprocess.Popen(
        [sys.executable, __file__, learner, str(folder)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "now\n"
    return running


def killed_again_and_again(learner: str, kills: int, tmp_path: Path) -> None:
    chance, cache = random.Random(0), place("jax", "tests") or tmp_path / "cache"
    whole, again, run = tmp_path / "whole", tmp_path / "again", tmp_path / "run"
    with process(learner, whole, cache) as running:
        assert running.wait() == 0
    with process(learner, again, cache) as running:  # with everything compiled, as it is from now on
        begin = time.perf_counter()
        assert running.wait() == 0
        seconds = time.perf_counter() - begin
    assert results(again) == results(whole)
    hits, reached = 0, 0
    for _ in range(kills):
        with process(learner, run, cache) as running:
            time.sleep(chance.uniform(0, seconds))
            running.send_signal(signal.SIGKILL)
            hits += running.wait() == -signal.SIGKILL
        if (run / "final.json").exists():  # the last file: it was too late: once more from the beginning
            assert results(run) == results(whole)
            run = tmp_path / f"run-{reached}"
            reached += 1
    assert hits
    with process(learner, run, cache) as running:
        assert running.wait() == 0
    assert results(run) == results(whole)


@pytest.mark.campaign
@pytest.mark.parametrize("learner", RECIPES)
def test_twenty_kills_change_nothing(learner: str, tmp_path: Path) -> None:
    killed_again_and_again(learner, 20, tmp_path)


def main(learner: str, folder: Path) -> None:
    recipe = RECIPES[learner].lasting(1500)
    jax.devices()
    print("now", flush=True)
    if (folder / "config.json").exists():
        training.resume(folder)
    else:
        training.train(GAME, recipe, 0, folder)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
