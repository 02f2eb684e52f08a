"""Training: the same bytes whether a run was interrupted or not, by an exception here and by SIGKILL there.

Run as a script, this file trains in the folder it is given, or goes on there.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ludus.errors import BadInput
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.training import runs, tensors
from ludus.training import train as training
from ludus.training.recipes import Recipe, find_recipe
from ludus.truth.sampled import Sampled

GAME = Hex(size=2)
TABLE = Recipe.of(
    "tiny",
    "afterstate",
    as_table=True,
    hidden=(8,),
    games=600,
    lanes=4,
    plies=8,
    updates=2,
    batch=16,
    memory=64,
)
DQN = Recipe.of("tiny", "dqn", hidden=(8,), inputs="planes", head="full", memory=64, lanes=4, recall=2, games=40)
RECIPES = {"afterstate": TABLE, "dqn": DQN}
RESULTS = ("weights.safetensors", "weights.json", "metrics.jsonl", "final.json", "config.json")


def results(folder: Path) -> dict[str, bytes]:
    """What is promised to come out the same: the results, and the last state with its keys and memory."""
    files = {name: (folder / name).read_bytes() for name in RESULTS}
    checkpoints = sorted((folder / "checkpoints").iterdir())
    return files | {path.name: path.read_bytes() for path in checkpoints}


@pytest.fixture(autouse=True, scope="module")
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion does not let pass."""
    with jax.numpy_dtype_promotion("standard"):
        yield


class Stop(Exception):
    pass


def stop_after(reports: int) -> Any:
    left = [reports]

    def on_progress(progress: training.Progress) -> None:
        left[0] -= 1
        if not left[0]:
            raise Stop

    return on_progress


@pytest.fixture(scope="module", params=RECIPES)
def uninterrupted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, optax_promotes: None
) -> tuple[Recipe, Path]:
    recipe = RECIPES[request.param]
    out = tmp_path_factory.mktemp(request.param) / "run"
    training.train(GAME, recipe, 0, out)
    return recipe, out


@pytest.mark.slow
def test_a_run_that_was_interrupted_ends_with_the_same_bytes(
    uninterrupted: tuple[Recipe, Path], tmp_path: Path
) -> None:
    recipe, whole = uninterrupted
    run = tmp_path / "run"
    with pytest.raises(Stop):
        training.train(GAME, recipe, 0, run, on_progress=stop_after(2))
    assert not (run / "weights.safetensors").exists()
    with pytest.raises(Stop):
        training.resume(run, stop_after(1))
    # As if it had been killed between its metrics and its checkpoint, in the middle of a line.
    with open(run / "metrics.jsonl", "ab") as file:
        file.write(b'{"games": 9')
    outcome = training.resume(run)
    assert results(run) == results(whole)
    assert outcome.games >= recipe.config.games
    assert outcome.final is not None
    assert outcome.final.to_json() == json.loads((run / "final.json").read_text())
    assert training.resume(run).games == outcome.games  # once more changes nothing
    assert results(run) == results(whole)


@pytest.mark.slow
def test_a_run_that_an_older_version_began_ends_with_the_same_bytes(
    uninterrupted: tuple[Recipe, Path], tmp_path: Path
) -> None:
    recipe, whole = uninterrupted
    saved = recipe.to_json()
    saved["written_down"] = saved.pop("as_table")
    config = {"game": "hex", "options": GAME.options(), "recipe": saved, "seed": 0, "command": ""}
    training.resume(runs.create(tmp_path / "run", config).path)
    for name in ("weights.safetensors", "metrics.jsonl", "final.json"):
        assert (tmp_path / "run" / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.slow
def test_another_seed_makes_other_bytes(uninterrupted: tuple[Recipe, Path], tmp_path: Path) -> None:
    recipe, whole = uninterrupted
    training.train(GAME, recipe, 1, tmp_path / "other")
    first, second = results(whole), results(tmp_path / "other")
    assert first["weights.safetensors"] != second["weights.safetensors"]
    assert first["metrics.jsonl"] != second["metrics.jsonl"]
    training.train(GAME, recipe, 1, tmp_path / "again")
    assert results(tmp_path / "again") == second


@pytest.mark.slow
def test_progress_is_told_and_kept(uninterrupted: tuple[Recipe, Path], tmp_path: Path) -> None:
    recipe, whole = uninterrupted
    told: list[training.Progress] = []
    training.train(GAME, recipe, 0, tmp_path / "run", "ludus train", told.append)
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [progress.games for progress in told] == [row["games"] for row in rows]
    assert len(rows) > 2
    assert {"games", "loss", "value_preserving", "positions", "unbeatable"} <= set(rows[0])
    assert told[-1].total == recipe.config.games <= told[-1].games
    assert told[-1].eta == 0
    assert told[0].grade is not None
    assert json.loads((tmp_path / "run" / "config.json").read_text())["command"] == "ludus train"
    state = tensors.read_tensors(tmp_path / "run" / "weights.safetensors")
    assert state.keys() == tensors.read_tensors(whole / "weights.safetensors").keys()
    assert all(np.isfinite(leaf).all() for leaf in state.values())


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "edit", "foreign"])
def test_a_checkpoint_that_is_not_the_runs_own_is_refused(
    uninterrupted: tuple[Recipe, Path], tmp_path: Path, damage: str
) -> None:
    recipe, _ = uninterrupted
    run = tmp_path / "run"
    with pytest.raises(Stop):
        training.train(GAME, recipe, 0, run, on_progress=stop_after(1))
    newest = runs.open_run(run).latest()
    assert newest is not None
    data = newest.read_bytes()
    if damage == "cut":
        newest.write_bytes(data[:-1])
    elif damage == "edit":
        newest.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    else:
        config = json.loads((run / "config.json").read_text())
        (run / "config.json").write_text(json.dumps(config | {"seed": 1}))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    with pytest.raises(BadInput, match="000"):
        training.resume(run)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_several_calls_a_report_are_told_of_more_often_and_stop_sooner(tmp_path: Path) -> None:
    small: dict[str, Any] = {
        "hidden": (8,),
        "lanes": 4,
        "plies": 8,
        "updates": 2,
        "batch": 8,
        "memory": 64,
        "games": 60,
        "rounds": 6,
    }
    told: dict[int, list[training.Progress]] = {1: [], 3: []}
    rows = {}
    for calls, heard in told.items():
        recipe = Recipe.of("tiny", "negamax", optimizer="rmsprop", calls=calls, **small)
        training.train(Hex(size=4), recipe, 0, tmp_path / str(calls), on_progress=heard.append)
        rows[calls] = (tmp_path / str(calls) / "metrics.jsonl").read_text().splitlines()
    assert len(rows[1]) == len(rows[3]) > 2
    assert rows[1][:-1] == rows[3][:-1]  # the last report comes as soon as the games are played
    assert [progress.games for progress in told[1][:-1]] == [progress.games for progress in told[3][2:-1:3]]
    assert 60 <= told[3][-1].games <= told[1][-1].games
    assert len(told[1]) == len(rows[1])
    assert 3 * len(rows[3]) - 2 <= len(told[3]) <= 3 * len(rows[3])
    assert (told[3][0].metrics, told[3][0].grade) == ({}, None)


@pytest.mark.slow
def test_where_no_truth_is_known_games_against_random_are_the_measure(tmp_path: Path) -> None:
    tower: dict[str, Any] = {"network": "tower", "width": 4, "depth": 1, "backups": 1, "optimizer": "rmsprop"}
    small: dict[str, Any] = {"lanes": 4, "plies": 8, "updates": 1, "batch": 8, "memory": 64, "games": 4, "rounds": 4}
    recipe = Recipe.of("tiny", "negamax", **tower, **small)
    heard: list[training.Progress] = []
    outcome = training.train(Hex(size=6), recipe, 0, tmp_path / "run", on_progress=heard.append)
    assert isinstance(outcome.final, Sampled)
    assert isinstance(heard[0].grade, Sampled)
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [row["games"] for row in rows] == [progress.games for progress in heard]
    assert [row["score"] for row in rows] == [progress.grade.result.score for progress in heard]  # pyright: ignore
    assert json.loads((tmp_path / "run" / "final.json").read_text()) == outcome.final.to_json()


def test_how_often_a_run_reports() -> None:
    paper = find_recipe(LGame(), "paper")
    assert paper.learner.pace(paper.config).rounds == 1000 // 16
    assert paper.learner.pace(paper.lasting(16).config).rounds == 1


def test_recipes_survive_json() -> None:
    for recipe in (*RECIPES.values(), find_recipe(LGame(), "paper"), find_recipe(Hex(size=3), "dqn")):
        assert Recipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    with pytest.raises(BadInput, match="there is no learner 'td'"):
        Recipe.from_json({"learner": "td"})
    with pytest.raises(BadInput, match="hex has no recipe 'paper'; there are best, dqn"):
        find_recipe(Hex(size=3), "paper")
    with pytest.raises(BadInput, match="at least one game"):
        find_recipe(Hex(size=3)).lasting(0)


# --- kills --------------------------------------------------------------------------------------------------


def process(learner: str, folder: Path, cache: Path) -> subprocess.Popen[str]:
    """A run of this file as a script, begun: it has said that it is about to train."""
    environment = os.environ | {
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PLATFORMS": "cpu",
    }
    running = subprocess.Popen(
        [sys.executable, __file__, learner, str(folder)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "now\n"
    return running


def killed_again_and_again(learner: str, kills: int, tmp_path: Path) -> None:
    chance, cache = random.Random(0), tmp_path / "cache"
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


@pytest.mark.slow
@pytest.mark.parametrize("learner", RECIPES)
def test_three_kills_change_nothing(learner: str, tmp_path: Path) -> None:
    killed_again_and_again(learner, 3, tmp_path)


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
