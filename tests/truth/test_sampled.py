"""Strength by games against the random player."""

from __future__ import annotations

import jax
import pytest

from ludus.games.hex.rules import Hex
from ludus.learners import afterstate
from ludus.learners import negamax as neurohex
from ludus.play import arena
from ludus.training.agents import RandomAgent, TrainedAgent
from ludus.training.recipes import Recipe
from ludus.truth.sampled import grade_by_games

HEX = Hex(size=4)
RATES_MOVES = Recipe("", "neurohex", neurohex.Config(hidden=(8,)))
RATES_POSITIONS = Recipe("", "afterstate", afterstate.Config(hidden=(8,)))


def agent_of(recipe: Recipe) -> TrainedAgent:
    state = jax.eval_shape(lambda: recipe.module.init(recipe.config, HEX, jax.random.key(0)))
    shapes = recipe.module.weights(state)
    leaves, tree = jax.tree.flatten(shapes)
    keys = jax.random.split(jax.random.key(3), len(leaves))
    filled = [jax.random.normal(key, leaf.shape, leaf.dtype) for key, leaf in zip(keys, leaves, strict=True)]
    return TrainedAgent("some", recipe, jax.tree.unflatten(tree, filled))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [RATES_MOVES, RATES_POSITIONS], ids=["moves", "positions"])
def test_it_is_what_a_match_shows(recipe: Recipe) -> None:
    agent = agent_of(recipe)
    found = grade_by_games(agent, HEX, 2048)
    assert found == grade_by_games(agent, HEX, 2048)
    match = arena.match(HEX, agent, RandomAgent(), 2048, jax.random.key(1))
    assert found.result.games == 2048
    assert found.result.ci95[0] < match.score < found.result.ci95[1]
    assert found.result.ci95 == arena.score_interval(found.result.wins, found.result.draws, found.result.losses)
    document = found.to_json()
    assert (document["against"], document["sampled"]) == ("random", 2048)
    assert document["wins"] + document["draws"] + document["losses"] == 2048
    assert "games" not in document  # which is how many games it has learned from
