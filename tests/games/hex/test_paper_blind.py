"""Hex's baseline of positions held: against the game's graph, and the measure that networks are held to."""

from __future__ import annotations

import itertools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from ludus.games.hex.paper.blind import above_the_blind, blind_players, levels
from ludus.games.hex.rules import Hex
from ludus.learners import find_learner, online
from ludus.study.data import Data, Runs
from ludus.study.measures import won_held, won_positions
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED

GAME = Hex(size=3)


def test_a_random_player_and_the_best_order() -> None:
    """As they are found from the game's graph, where the moves are the players' own."""
    states, winning = won_positions(GAME)
    legal = np.asarray(jax.vmap(GAME.legal)(states))
    known = blind_players()
    assert known.positions == len(legal) == 3401
    assert known.orders.sum() == 362_880
    assert known.uniform == pytest.approx((np.asarray(winning).sum(axis=1) / legal.sum(axis=1)).mean())
    (chance, _), (best, _) = levels(Data([]))
    assert 54 < chance < best < 100


def test_a_network_that_sees_nothing_holds_what_its_order_holds() -> None:
    """Its biases alone order the cells; the measure that draws every curve says the same of it."""
    learner, config, known = find_learner("online"), online.Config(), blind_players()

    def constant(order: tuple[int, ...]) -> Any:
        net = jax.tree.map(jnp.zeros_like, online.new_network(GAME, jax.random.key(0)))
        bias = jnp.zeros(9).at[jnp.array(order)].set(jnp.linspace(1, 0, 9))
        made = eqx.tree_at(lambda net: net.bias, net, bias)
        return ravel_pytree(made)[0]

    weights = jnp.stack([constant(known.best), constant(known.best[::-1])])
    held = np.asarray(won_held(GAME)(learner, config, weights)["held"])
    assert held[0] == pytest.approx(known.highest, abs=1e-6)
    assert held[1] < known.uniform


# --- the verdict --------------------------------------------------------------------------------------------------


def arm(figure: str, label: str, held: float, spread: float = 0.01) -> Runs:
    levels = np.stack([np.full(10, 0.5), held + np.linspace(-spread, spread, 10)], axis=1)
    return Runs(figure, label, tuple(range(10)), np.array([0, 100]), {"held": levels})


@pytest.mark.parametrize(
    ("held", "verdict"),
    [((0.60, 0.66), HOLDS), ((0.60, 0.69), UNDECIDED), ((0.60, 0.695), UNDECIDED), ((0.60, 0.75), FAILS)],
)
def test_no_arm_holds_more_than_the_best_order(held: tuple[float, float], verdict: str) -> None:
    curves = [arm("fig5", f"alpha {level:g}", level) for level in held] + [arm("fig6", "negamax", 0.9)]
    backups = {(runs.panel, runs.label): "negated" if runs.label == "negamax" else "added" for runs in curves}
    for order in itertools.permutations(curves):
        paper, negated = above_the_blind(backups)(Data(order)).claims
        assert (paper.verdict, negated.verdict) == (verdict, HOLDS)
        assert paper.found.startswith("of 2 arms")


def test_a_curve_that_two_figures_show_is_one_arm() -> None:
    curves = [arm("fig5", "TDC", 0.6), arm("fig6", "TDC", 0.6)]
    finding = above_the_blind({(runs.panel, runs.label): "added" for runs in curves})(Data(curves))
    assert finding.claims[0].found.startswith("of 1 arms")
    assert finding.claims[1].verdict == UNDECIDED  # none was run
