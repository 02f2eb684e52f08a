"""Runs that learn by searches of their own: the same bytes however they are stopped, earlier selves, new beginnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.runs import contents
from helpers.text import refusal
from helpers.training import Stop, stop_after

from ludus.agents.find import find_player
from ludus.agents.network import load_network
from ludus.agents.spec import shipped_best
from ludus.games.hex.rules import Hex
from ludus.learners.recipe import Recipe
from ludus.runs import run_info
from ludus.runs.run_folder import open_run
from ludus.training import snapshots
from ludus.training import train as training

GAME = Hex(size=3)
SETTINGS: dict[str, Any] = {
    **{"network": "tower", "width": 4, "blocks": 2, "simulations": 4, "considered": 3, "openings": "balanced"},
    **{"games": 40, "lanes": 4, "plies": 4, "updates": 1, "batch": 8, "tape": 12, "wait": 4, "season": 4, "rounds": 2},
}
TINY = Recipe.of("tiny", "alphazero", **SETTINGS)


@pytest.fixture(autouse=True)
def fewer_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Optax mixes dtypes, and of matches between selves a few games will do."""
    monkeypatch.setattr(snapshots, "GAMES", 8)


@pytest.fixture(autouse=True)
def optax_promotes() -> Any:
    with jax.numpy_dtype_promotion("standard"):
        yield


def kept(path: Path) -> dict[str, bytes]:
    """All that is promised to be the same: everything but the clock and where it ran."""
    return {name: data for name, data in contents(path).items() if "timing" not in name and "versions" not in name}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch, jax.numpy_dtype_promotion("standard"):
        patch.setattr(snapshots, "GAMES", 8)
        training.train(GAME, TINY, 3, path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("reports", [1, 2])
def test_stopped_and_gone_on_with_it_ends_in_the_same_bytes(whole: Path, tmp_path: Path, reports: int) -> None:
    with pytest.raises(Stop):
        training.train(GAME, TINY, 3, tmp_path / "run", on_progress=stop_after(reports))
    training.resume(tmp_path / "run")
    assert kept(tmp_path / "run") == kept(whole)


@pytest.mark.slow
def test_broken_off_it_ends_in_the_same_bytes_too_and_rests_when_a_season_ends(whole: Path, tmp_path: Path) -> None:
    sittings = 0
    outcome = training.train(GAME, TINY, 3, tmp_path / "run", seconds=0.0)
    while not outcome.finished:
        sittings += 1
        state = open_run(tmp_path / "run").read_newest(training._Job(GAME, TINY, 3).shapes)
        assert state is not None
        assert int(state[1].rounds) % 4 == 0
        assert int(state[1].filled) == 0
        outcome = training.resume(tmp_path / "run", seconds=0.0)
    assert sittings > 0
    assert kept(tmp_path / "run") == kept(whole)


@pytest.mark.slow
def test_reports_have_an_elo_and_selves_are_agents(whole: Path) -> None:
    rows = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
    assert all(0 <= row["against_earlier"] <= 1 for row in rows)
    for before, row in zip([{"elo": 0.0}, *rows], rows, strict=False):
        score = min(max(row["against_earlier"], 0.5 / 8), 1 - 0.5 / 8)
        assert row["elo"] - before["elo"] == pytest.approx(400 * np.log10(score / (1 - score)), abs=1e-6)
    folders = sorted((whole / run_info.SNAPSHOTS).iterdir())
    assert 1 <= len(folders) <= snapshots.MAX_SNAPSHOTS
    assert {int(folder.name) for folder in folders} <= {row["games"] for row in rows}
    last = find_player(str(folders[-1]), GAME)
    final = find_player(str(whole), GAME)
    same = [np.array_equal(a, b) for a, b in zip(*map(jax.tree.leaves, (last.weights, final.weights)), strict=True)]
    assert all(same) == (int(folders[-1].name) == rows[-1]["games"])


@pytest.mark.slow
def test_where_nothing_exact_is_known_reports_say_how_it_does_against_a_shipped_agent(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "shipped" not in json.loads((whole / "metrics.jsonl").read_text().splitlines()[-1])  # 3 x 3 is known
    monkeypatch.setattr(snapshots, "shipped_best", lambda game: [(str(whole), None)])
    game = Hex(size=9)
    with pytest.raises(Stop):
        training.train(
            game, TINY.with_settings(games=8, tape=90, season=0), 0, tmp_path / "run", on_progress=stop_after(1)
        )
    row = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[-1])
    assert row["shipped"] == str(whole)
    assert 0 <= row["against_shipped"] <= 1
    # Against itself every opening is won once and lost once; against one that plays anything it is not so.
    itself = snapshots.AgainstShipped.of(game, TINY)
    assert itself is not None
    assert itself.measure(load_network(whole, game).weights)["against_shipped"] == 0.5
    monkeypatch.setattr(snapshots, "shipped_best", lambda game: [])
    assert snapshots.AgainstShipped.of(game, TINY) is None


@pytest.mark.slow
def test_what_is_expected_of_a_move_is_the_value_of_where_it_leads(whole: Path) -> None:
    agent, start = load_network(whole, GAME), GAME.init()
    expects = agent.expected(GAME)
    assert expects is not None
    expected = np.asarray(jax.jit(expects)(agent.weights, start))
    value = agent.recipe.learner.position_value
    assert value is not None
    for action in range(GAME.num_actions):
        reached = jax.jit(GAME.step)(start, jnp.int32(action))
        worth = jax.jit(value, static_argnums=(0, 1))(agent.recipe.config, GAME, agent.weights, reached)
        assert expected[action] == pytest.approx(-float(worth), abs=1e-5)
    likely = np.asarray(jax.jit(agent.ratings(GAME))(agent.weights, start))
    assert likely.sum() == pytest.approx(1)
    assert not np.allclose(likely, expected)


@pytest.mark.parametrize(
    ("size", "nearest"), [(5, "hex/best-5"), (6, "hex/best-7"), (8, "hex/best-7"), (13, "hex/best-11")]
)
def test_the_shipped_agent_is_the_one_that_learned_the_nearest_board(size: int, nearest: str) -> None:
    assert shipped_best(Hex(size=size))[0][0] == nearest


@pytest.mark.slow
def test_a_run_may_begin_with_the_weights_of_another_size(whole: Path, tmp_path: Path) -> None:
    game = Hex(size=2)
    start = load_network(whole, game)
    recipe = TINY.with_settings(games=8, season=8)
    with pytest.raises(Stop):  # before the first report
        training.train(game, recipe, 0, tmp_path / "run", on_progress=stop_after(0), start=start)
    (first,) = sorted((tmp_path / "run" / "checkpoints").glob("*.safetensors"))
    assert int(first.stem) == 0
    begun = load_network(tmp_path / "run", game)
    assert all(map(np.array_equal, jax.tree.leaves(begun.weights), jax.tree.leaves(start.weights)))
    training.resume(tmp_path / "run")
    training.train(game, recipe, 0, tmp_path / "straight", start=start)
    config = json.loads((tmp_path / "straight" / "config.json").read_text())
    assert config["from"]["agent"] == str(whole)
    assert kept(tmp_path / "run") == kept(tmp_path / "straight")


def test_a_season_in_which_no_game_could_end_is_refused(tmp_path: Path) -> None:
    why = refusal(training.train, Hex(size=5), TINY, 0, tmp_path / "run")
    assert "a season of 4 rounds is 16 moves" in why
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_weights_that_do_not_fit_are_refused_and_nothing_is_made(whole: Path, tmp_path: Path) -> None:
    start = load_network(whole, GAME)
    wider = TINY.with_settings(width=8)
    assert "has other layers" in refusal(training.train, GAME, wider, 0, tmp_path / "run", start=start)
    negamax = Recipe.of("other", "negamax", games=10)
    assert "begins with random weights" in refusal(training.train, GAME, negamax, 0, tmp_path / "run", start=start)
    assert not (tmp_path / "run").exists()
