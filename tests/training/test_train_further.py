"""Runs over another number of games than their recipe's, and runs trained further than they were meant to go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.runs import contents, refusal
from helpers.training import GAME, Stop, results, stop_after

from ludus.agents.find import find_player
from ludus.agents.network import NetworkPlayer
from ludus.learners.recipe import Recipe
from ludus.runs import run_folder
from ludus.training import train as training

pytestmark = pytest.mark.usefixtures("optax_promotes")


@pytest.mark.slow
def test_a_number_of_games_of_ones_own_is_met_to_the_round(uninterrupted: tuple[Recipe, Path], tmp_path: Path) -> None:
    recipe, _ = uninterrupted
    for games in (5, recipe.config.games - 30):
        mine = recipe.lasting(games)
        span = mine.learner.span(mine.config)
        outcome = training.train(GAME, mine, 0, tmp_path / str(games))
        in_a_round = span.size if span.unit == "games" else span.size / 2  # a game has three moves at least
        assert games <= outcome.games < games + in_a_round
        # Interrupted, it is met as well.
        with pytest.raises(Stop):
            training.train(GAME, mine, 0, tmp_path / f"{games} again", on_progress=stop_after(1))
        training.resume(tmp_path / f"{games} again")
        assert results(tmp_path / f"{games} again") == results(tmp_path / str(games))


@pytest.mark.slow
def test_a_run_can_be_trained_further(uninterrupted: tuple[Recipe, Path], tmp_path: Path) -> None:
    recipe, whole = uninterrupted
    run, further = tmp_path / "run", recipe.config.games + 200
    shutil.copytree(whole, run)
    for few in (1, recipe.config.games - 1):
        assert "give more" in refusal(lambda few=few: training.resume(run, games=few))
    assert results(run) == results(whole)
    assert training.resume(run, games=recipe.config.games).games < further  # the same number is the same run
    assert results(run) == results(whole)
    with pytest.raises(Stop):
        training.resume(run, stop_after(1), further)
    config = json.loads((run / "config.json").read_text())
    assert config["recipe"]["games"] == further
    assert [entry["games"] for entry in config["extended"]] == [recipe.config.games]
    assert not (run / "final.json").exists()
    assert find_player(str(run), GAME).name == str(run)  # as it stands
    outcome = training.resume(run, games=further)  # the same command again
    assert further <= outcome.games < further + 100
    assert json.loads((run / "config.json").read_text()) == config
    before, after = (at.read_text() for at in (whole / "metrics.jsonl", run / "metrics.jsonl"))
    assert after.startswith(before)
    rows = [json.loads(line)["games"] for line in after.splitlines()]
    assert rows == sorted(set(rows))
    assert isinstance(find_player(str(run), GAME), NetworkPlayer)
    # Interrupted or not, it ends with the same bytes.
    shutil.copytree(whole, tmp_path / "again")
    training.resume(tmp_path / "again", games=further)
    assert results(tmp_path / "again") == results(run)
    # And once more.
    assert training.resume(run, games=further + 200).games >= further + 200
    assert len(json.loads((run / "config.json").read_text())["extended"]) == 2


@pytest.mark.slow
def test_a_run_that_cannot_go_on_keeps_its_end(uninterrupted: tuple[Recipe, Path], tmp_path: Path) -> None:
    recipe, whole = uninterrupted
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    newest = run_folder.open_run(run).newest_checkpoint()
    assert newest is not None
    newest.write_bytes(b"")
    before = contents(run)
    assert newest.name in refusal(lambda: training.resume(run, games=recipe.config.games + 1))
    shutil.rmtree(run / "checkpoints")
    assert "no checkpoint to resume from" in refusal(lambda: training.resume(run, games=recipe.config.games + 1))
    assert before.items() >= contents(run).items()
    assert {"weights.safetensors", "final.json"} <= set(contents(run))
