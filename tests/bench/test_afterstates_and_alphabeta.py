"""Speed of networks and searches: what is timed is all legal moves of live positions, each rated once and rightly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus import bench
from ludus.bench import afterstates, alphabeta
from ludus.bench.timing import middle_game
from ludus.core.game import compiled, legal_actions
from ludus.games import make_game, part
from ludus.networks.patterns import PatternNet
from ludus.play.host_batch import state_at
from ludus.search.alphabeta.search import PLAIN

ABALONE, LGAME = make_game("abalone"), make_game("lgame")
POSITIONS = 5


@pytest.fixture(scope="module")
def states() -> Any:
    return jax.device_get(middle_game(ABALONE, POSITIONS))


@pytest.mark.slow
def test_every_legal_move_is_rated_once_and_nothing_else(states: Any) -> None:
    patterns = part("abalone", "patterns")
    network = PatternNet(patterns.different, 3, jax.random.key(1))
    filled = jax.random.normal(jax.random.key(2), network.straight.shape)
    network = jax.tree.map(lambda leaf: filled if leaf is network.straight else leaf, network)
    one = jax.jit(lambda state: network(jnp.asarray(patterns.tie)[patterns.numbers(ABALONE, state)]))
    wanted, first = [], []
    for n in range(POSITIONS):
        state = state_at(states, n)
        first.append(len(wanted))
        for action in legal_actions(ABALONE, state):
            wanted.append(float(one(compiled(ABALONE).step(state, np.int32(action)))))
    rate = afterstates.flat_rating(ABALONE, len(wanted))
    found = rate(network, jax.tree.map(jnp.asarray, states), jnp.asarray(first, jnp.int32))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_positions_are_of_games_under_way(states: Any) -> None:
    seen = {ABALONE.format(state_at(states, n)) for n in range(POSITIONS)}
    assert len(seen) == POSITIONS
    assert all(legal_actions(ABALONE, state_at(states, n)) for n in range(POSITIONS))


@pytest.mark.slow
def test_the_peer_rates_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterstates, "PEER_POSITIONS", POSITIONS)
    monkeypatch.setattr(afterstates, "fastest", lambda work, seconds: 0.5)
    rater = afterstates.rater_of(ABALONE)
    assert rater is not None
    counted = [
        afterstates.measure_one_by_one(ABALONE, rater.compiled, 0.0) / 2,
        afterstates.measure_afterstates(ABALONE, rater.network, POSITIONS, 0.0) / 2,
    ]
    positions = middle_game(ABALONE, POSITIONS)
    moves = sum(len(legal_actions(ABALONE, state_at(positions, n))) for n in range(POSITIONS))
    assert counted == [moves, moves]


def test_only_a_network_of_patterns_is_rated_so() -> None:
    assert afterstates.rater_of(LGAME) is None
    assert list(bench._rated(LGAME, True, 0.0)) == []
    assert list(bench._searched(LGAME, True, 0.0)) == []


def test_nodes_a_second_are_those_of_the_searches(monkeypatch: pytest.MonkeyPatch, states: Any) -> None:
    class Counting:
        def __init__(self, game: Any, evaluation: Any, *, switches: Any) -> None:
            self.plain = switches == PLAIN

        def search(self, state: Any, limits: Any) -> Any:
            return type("Found", (), {"nodes": 1000 if self.plain else 10})

    def half_a_second(work: Any, seconds: float) -> float:
        work()
        return 0.5

    monkeypatch.setattr(alphabeta, "AlphaBeta", Counting)
    monkeypatch.setattr(alphabeta, "fastest", half_a_second)
    monkeypatch.setattr(alphabeta, "POSITIONS", 4)
    monkeypatch.setattr(alphabeta, "middle_game", lambda game, count: jax.tree.map(lambda leaf: leaf[:count], states))
    assert alphabeta.measure_search(ABALONE, 0.0) == (80.0, 8.0)
    assert alphabeta.measure_minimax(ABALONE, 0.0) == (8000.0, 8.0)


def test_the_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "measure", lambda game, lanes, seconds: 100.0)
    monkeypatch.setattr(bench, "peers_of", lambda game, lanes, seconds: [bench.Peer("slow", 10.0)])
    monkeypatch.setattr(afterstates, "rater_of", lambda game: afterstates.Rater(None, None))  # pyright: ignore
    monkeypatch.setattr(afterstates, "measure_afterstates", lambda game, network, count, seconds: 1000.0 / count)
    monkeypatch.setattr(afterstates, "measure_one_by_one", lambda game, inside, seconds: 2.0)
    monkeypatch.setattr(alphabeta, "measure_search", lambda game, seconds: alphabeta.SearchSpeed(60.0, 6.0))
    monkeypatch.setattr(alphabeta, "measure_minimax", lambda game, seconds: alphabeta.SearchSpeed(90.0, 1.5))
    rows = bench.run(["abalone"], peers=True, lanes=[8], out=tmp_path)
    few, more = bench.CPU_POSITIONS
    assert [(row["what"].partition(", ")[2], row["lanes"], row["ours"], row["peer"], row["ratio"]) for row in rows] == [
        ("random play", 8, 100.0, None, None),
        ("random play", 8, 100.0, 10.0, 10.0),
        ("afterstates rated", few, 1000 / few, None, None),
        ("afterstates rated", more, 1000 / more, None, None),
        ("afterstates rated", few, 1000 / few, 2.0, 1000 / few / 2),
        ("nodes searched", 1, 60.0, 90.0, 60 / 90),
        (f"searches of {alphabeta.DEPTH} plies", 1, 6.0, 1.5, 4.0),
    ]
    assert "one core of" in rows[-1]["device"]
    assert (tmp_path / "bench.svg").exists()
    alone = bench.run(["abalone"], lanes=[8])
    assert len(alone) == 5
    assert all(row["peer"] is None for row in alone)
