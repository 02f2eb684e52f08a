"""Training: the same bytes whether a run was interrupted or not, told as it goes and kept."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.training import GAME, RECIPES, Stop, results, stop_after

from ludus.agents.find import find_player
from ludus.errors import BadInput
from ludus.games import make_game
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners.recipe import Recipe
from ludus.learners.recipes import find_recipe
from ludus.runs import run_folder, tensors
from ludus.training import train as training
from ludus.training.progress import Meter, Progress
from ludus.truth.sampled import SampledGrade

pytestmark = pytest.mark.usefixtures("optax_promotes")


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
    assert outcome.final.to_json().items() <= json.loads((run / "final.json").read_text()).items()
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
    training.resume(run_folder.create(tmp_path / "run", config).path)
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
    told: list[Progress] = []
    training.train(GAME, recipe, 0, tmp_path / "run", "ludus train", told.append)
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    reports = [progress for progress in told if progress.reported]
    assert [progress.games for progress in reports] == [row["games"] for row in rows]
    assert [progress.games for progress in told] == sorted(progress.games for progress in told)
    assert len(rows) > 2
    assert {"games", "loss", "value_preserving", "positions", "unbeatable"} <= set(rows[0])
    assert told[-1].total == recipe.config.games <= told[-1].games
    assert (told[-1].reported, told[-1].eta) == (True, 0)
    for progress, row in zip(reports, rows, strict=True):
        assert progress.grade is not None
        assert row["summary"] == progress.grade.summary()
    assert json.loads((tmp_path / "run" / "final.json").read_text())["summary"]
    assert json.loads((tmp_path / "run" / "config.json").read_text())["command"] == "ludus train"
    state = tensors.read_tensors(tmp_path / "run" / "weights.safetensors")
    assert state.keys() == tensors.read_tensors(whole / "weights.safetensors").keys()
    assert all(np.isfinite(leaf).all() for leaf in state.values())


@pytest.mark.slow
def test_calls_of_any_length_make_the_same_bytes(
    uninterrupted: tuple[Recipe, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, whole = uninterrupted
    told: list[Progress] = []
    monkeypatch.setattr(training, "CALL_SECONDS", 0.0)  # each is one round
    training.train(GAME, recipe, 0, str(tmp_path / "run"), on_progress=told.append)  # a text will do for the folder
    assert results(tmp_path / "run") == results(whole)
    reports = sum(progress.reported for progress in told)
    assert len(told) == reports * recipe.learner.pace(recipe.config).rounds
    assert (told[0].metrics, told[0].grade) == ({}, None) or len(told) == reports


@pytest.mark.parametrize(("compiling", "working"), [(100.0, 1.0), (0.0, 1.0)])
def test_the_rate_does_not_count_what_is_compiled(
    compiling: float, working: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    meter = Meter()
    for what in ("call", "call", "report", "call", "report"):
        meter.start()
        now[0] += working if what in meter.seen else compiling
        meter.stop(what, 10 if what == "call" else 0)
    assert meter.rate == 20 / 3
    assert Progress(40, 80, meter.rate, {}, None).eta == pytest.approx(6)
    assert Progress(40, 80, 0.0, {}, None).eta == float("inf")


def test_how_long_it_will_take_is_told_before_a_game_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    recipe = Recipe.of("mine", "returns", lanes=10, plies=8, games=1000)
    meter = training._meter(training._Job(make_game("abalone", cap=40), recipe, 0))
    meter.stop("call")

    def call(seconds: float, games: int, rounds: int) -> float:
        meter.start()
        now[0] += seconds
        meter.stop("call", games, rounds)
        return meter.expected

    assert call(0.5, 0, 1) == 0  # too little to go by
    assert call(3.5, 0, 7) == 8.0  # eight rounds of ten lanes and eight plies in 4 s, 20 plies a game
    assert Progress(0, 1000, meter.rate, {}, None, expected=8.0).eta == 125
    assert call(4.0, 5, 8) == 8.0  # few games say little
    assert call(2.0, 95, 4) == 10.0  # these have ended
    by_games = Recipe.of("mine", "dqn", lanes=6)
    assert training._meter(training._Job(GAME, by_games, 0)).games_a_round == 6


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "edit", "foreign"])
def test_a_checkpoint_that_is_not_the_runs_own_is_refused(
    uninterrupted: tuple[Recipe, Path], tmp_path: Path, damage: str
) -> None:
    recipe, _ = uninterrupted
    run = tmp_path / "run"
    with pytest.raises(Stop):
        training.train(GAME, recipe, 0, run, on_progress=stop_after(1))
    newest = run_folder.open_run(run).newest_checkpoint()
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
    with pytest.raises(BadInput, match="000"):  # nor can it be played
        find_player(str(run), GAME)


@pytest.mark.slow
def test_several_calls_a_report_are_told_of_more_often_and_stop_sooner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    monkeypatch.setattr(training, "CALL_SECONDS", 1e9)
    told: dict[int, list[Progress]] = {1: [], 3: []}
    rows = {}
    for calls, heard in told.items():
        recipe = Recipe.of("tiny", "negamax", optimizer="rmsprop", calls=calls, **small)
        training.train(Hex(size=3), recipe, 0, tmp_path / str(calls), on_progress=heard.append)
        rows[calls] = (tmp_path / str(calls) / "metrics.jsonl").read_text().splitlines()
    assert len(rows[1]) == len(rows[3]) > 2
    assert rows[1][:-1] == rows[3][:-1]  # the last report comes as soon as the games are played
    assert 60 <= told[3][-1].games <= told[1][-1].games
    assert len(told[3]) >= len(told[1]) >= len(rows[1])
    assert (told[3][0].metrics, told[3][0].grade) == ({}, None)


@pytest.mark.slow
def test_where_no_truth_is_known_games_against_random_are_the_measure(tmp_path: Path) -> None:
    tower: dict[str, Any] = {"network": "tower", "width": 4, "depth": 1, "backups": 1, "optimizer": "rmsprop"}
    small: dict[str, Any] = {"lanes": 4, "plies": 8, "updates": 1, "batch": 8, "memory": 64, "games": 4, "rounds": 4}
    recipe = Recipe.of("tiny", "negamax", **tower, **small)
    heard: list[Progress] = []
    outcome = training.train(Hex(size=8), recipe, 0, tmp_path / "run", on_progress=heard.append)
    assert isinstance(outcome.final, SampledGrade)
    heard = [progress for progress in heard if progress.reported]
    assert isinstance(heard[0].grade, SampledGrade)
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [row["games"] for row in rows] == [progress.games for progress in heard]
    assert [row["score"] for row in rows] == [progress.grade.result.score for progress in heard]  # pyright: ignore
    final = json.loads((tmp_path / "run" / "final.json").read_text())
    assert final == outcome.final.to_json() | {"summary": outcome.final.summary()}


def test_how_often_a_run_reports() -> None:
    paper = find_recipe(LGame(), "paper")
    assert paper.learner.pace(paper.config).rounds == 1000 // 16
    assert paper.learner.pace(paper.lasting(16).config).rounds == 1


def test_recipes_survive_json() -> None:
    for recipe in (*RECIPES.values(), find_recipe(LGame(), "paper"), find_recipe(Hex(size=3), "dqn")):
        assert Recipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    with pytest.raises(BadInput, match="there is no learner 'magic'"):
        Recipe.from_json({"learner": "magic"})
    with pytest.raises(BadInput, match="hex has no recipe 'paper'; there are best, dqn"):
        find_recipe(Hex(size=3), "paper")
    with pytest.raises(BadInput, match="at least one game"):
        find_recipe(Hex(size=3)).lasting(0)
