"""The runs of the Hex study: the truth they are measured by, and the same from the same seeds."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from ludus.games.hex.paper import grid as hex_grid
from ludus.games.hex.paper.grid import GAME, Curve, Scored, held, rated_by, run_curves, won_positions
from ludus.learners import batch, online
from ludus.networks import squash
from ludus.training.agents import TrainedAgent
from ludus.training.recipes import Recipe
from ludus.truth.grade import grade
from ludus.truth.solve import solve


def test_the_won_positions_and_their_winning_moves() -> None:
    solution, won = solve(GAME), won_positions()
    assert len(won.legal) == ((solution.value > 0) & ~solution.graph.over).sum()
    winning, legal = np.asarray(won.winning), np.asarray(won.legal)
    assert winning.any(axis=1).all()
    assert not (winning & ~legal).any()
    empty = ~np.asarray(won.planes)[:, 2:-2, 2:-2, :2].any(axis=-1).reshape(-1, 9)
    np.testing.assert_array_equal(legal, empty)
    preserving = solution.preserving[solution.value[solution.graph.parent] > 0].sum()
    assert winning.sum() == preserving


def test_what_is_held_by_who_knows_and_who_does_not() -> None:
    won = won_positions()
    small = hex_grid.Won(*(leaf[:200] for leaf in won))
    share = np.asarray(small.winning).sum(axis=1) / np.asarray(small.legal).sum(axis=1)
    found = jax.jit(lambda won: held(won, lambda planes: jnp.zeros(9)))(small)
    assert float(found) == pytest.approx(share.mean(), rel=1e-5)  # all moves tie


CONFIGS = [
    ("online", online.Config(starts=4)),
    ("batch", batch.Config(memory=50, starts=4)),
    ("batch", batch.Config(network="rnn", memory=50, starts=4)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "config"), CONFIGS, ids=["online", "cnn", "rnn"])
def test_what_a_network_holds_is_what_it_is_graded(learner: str, config: Any) -> None:
    recipe = Recipe("", learner, config)
    weights = jax.jit(lambda key: recipe.module.weights(recipe.module.init(config, GAME, key)))(jax.random.key(1))
    found = float(jax.jit(lambda won, weights: held(won, rated_by(config, weights)))(won_positions(), weights))
    agent = TrainedAgent("", recipe, weights)
    solution = solve(GAME)
    won = (solution.value > 0) & ~solution.graph.over
    kept = solution.graph.reduce(np.add, agent.probabilities(solution.graph) * solution.preserving, 0)[won]
    assert found == pytest.approx(kept.mean(), abs=1e-3)
    assert found == pytest.approx(grade(agent, GAME, matches=False).held, abs=0.01)
    assert 0.3 < found < 0.95


@pytest.mark.slow
def test_curves_run_together_are_those_run_alone() -> None:
    """One program for both; each seed begins alike; and what a curve is does not depend on what is run beside it."""
    curves = [
        Curve("p", "slow", online.Config(algorithm="q", alpha=0.001, starts=8)),
        Curve("p", "fast", online.Config(algorithm="sarsa", alpha=0.1, starts=8)),
    ]
    assert curves[0].program == curves[1].program
    both = run_curves(curves, 2, 2, 100)
    assert [result.curve for result in both] == curves
    for result in both:
        assert result.moves.tolist() == [100, 200]
        assert {name: rows.shape for name, rows in result.measured.items()} == dict.fromkeys(
            ("value", "held", "loss"), (2, 2)
        )
        assert result.end("held") == result.measured["held"][:, -1].tolist()
        assert result.mean() == pytest.approx(result.measured["value"].mean(axis=1).tolist())
    assert both[0].measured["value"].tolist() != both[1].measured["value"].tolist()
    assert both[0].measured["value"][0].tolist() != both[0].measured["value"][1].tolist()
    [alone] = run_curves(curves[1:], 2, 2, 100)
    for name, rows in alone.measured.items():
        np.testing.assert_allclose(rows, both[1].measured[name], rtol=1e-4, atol=1e-5)
    # The last measured is the share of the weights that are left.
    found = held(won_positions(), rated_by(curves[1].config, both[1].weights[1]))
    assert float(found) == pytest.approx(both[1].measured["held"][1, -1], abs=1e-4)


@pytest.mark.slow
def test_a_network_learns_what_it_is_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hex_grid, "PRETRAINING", 100)
    won = won_positions()
    scored = Scored(won.planes[:64], 0.5 * won.winning[:64].astype(jnp.float32), won.legal[:64])
    network = online.unravel(GAME)(ravel_pytree(online.new_network(GAME, jax.random.key(0)))[0])
    taught = jax.jit(lambda scored, key: hex_grid.pretrain(scored, network, key))(scored, jax.random.key(1))

    def missed(network: Any) -> float:
        found = np.asarray(squash(jax.vmap(network)(scored.planes)))
        return float(((found - np.asarray(scored.scores)) ** 2)[np.asarray(scored.legal)].mean())

    assert missed(taught) < 0.5 * missed(network)
