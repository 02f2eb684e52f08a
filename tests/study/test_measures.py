"""What is measured is the truth: positions held by the graph, results of games, and whether a network is alive."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from ludus.agents.network import NetworkPlayer
from ludus.games import make_game
from ludus.learners import online
from ludus.learners.recipe import Recipe
from ludus.learners.views import view
from ludus.study import measures
from ludus.truth.exact import GraphTruth
from ludus.truth.solve import solve

HEX2, HEX3 = make_game("hex", size=2), make_game("hex", size=3)
ONLINE = Recipe.of("", "online", starts=4)
RECIPES = {
    "online": ONLINE,
    "cnn": Recipe.of("", "batch", memory=50, starts=4),
    "rnn": Recipe.of("", "batch", network="rnn", memory=50, starts=4),
}
DQN = Recipe.of("", "dqn", hidden=(8,), inputs="planes", head="full", memory=16, lanes=4, recall=1, games=16)


def some_weights(recipe: Recipe, game: Any, count: int) -> Any:
    learner = recipe.learner

    def make(key: Any) -> Any:
        return learner.weights(learner.init(recipe.config, game, key))

    return jax.jit(jax.vmap(make))(jax.random.split(jax.random.key(1), count))


# --- positions held -----------------------------------------------------------------------------------------------


def share_of_won(agent: NetworkPlayer) -> float:
    """By the graph: how likely the agent is to hold the win, over all won positions."""
    solution = solve(HEX3)
    won = (solution.value > 0) & ~solution.graph.over
    held = solution.graph.reduce(np.add, agent.probabilities(solution.graph) * solution.holding, 0)
    return float(held[won].mean())


@pytest.mark.slow
@pytest.mark.parametrize("name", list(RECIPES))
def test_what_a_network_holds_is_what_the_graph_says(name: str) -> None:
    recipe = RECIPES[name]
    stack = some_weights(recipe, HEX3, 3)
    seen = measures.won_held(HEX3)(recipe.learner, recipe.config, stack)
    found = np.asarray(seen["held"])
    for i in range(3):
        agent = NetworkPlayer("", recipe, jax.tree.map(lambda leaf, i=i: leaf[i], stack))
        assert found[i] == pytest.approx(share_of_won(agent), abs=1e-3)
    assert (found > 0.3).all()
    assert (found < 0.95).all()
    for vital in ("spread", "size", "live"):  # what is fresh is alive; a recurrent one says nearly the same everywhere
        assert (np.asarray(seen[vital]) > (0.001 if name == "rnn" else 0.01)).all()
        assert (np.asarray(seen[vital]) < 1).all()


def test_the_won_positions_and_their_winning_moves() -> None:
    solution = solve(HEX3)
    states, winning = measures.won_positions(HEX3)
    assert len(winning) == ((solution.value > 0) & ~solution.graph.over).sum() == 3401
    legal = np.asarray(jax.jit(jax.vmap(HEX3.legal))(states))
    assert np.asarray(winning).any(axis=1).all()
    assert not (np.asarray(winning) & ~legal).any()
    assert np.asarray(winning).sum() == solution.holding[solution.value[solution.graph.parent] > 0].sum()


# --- alive or not -------------------------------------------------------------------------------------------------


def hand_made() -> dict[str, Any]:
    """Networks of which one knows what is to be found."""
    some = online.new_network(HEX2, jax.random.key(5))
    dull = jnp.array([0.1, -2.0, 0.5, 3.0])

    def with_last(bias: Any) -> Any:
        return eqx.tree_at(lambda net: net.layers[-1].bias, some, jnp.asarray(bias, jnp.float32))

    return {
        "healthy": some,
        "larger": jax.tree.map(lambda leaf: 2 * leaf, some),
        "dull": eqx.tree_at(lambda net: (net.matrix, net.bias), some, (0 * some.matrix, dull)),
        "saturated": eqx.tree_at(lambda net: net.bias, some, jnp.array([50.0, -50.0, 50.0, 50.0])),
        "dead": with_last([-100] * 5),
        "nearly dead": with_last([-100, -100, -100, -100, 100]),
    }


@pytest.fixture(scope="module")
def vitals() -> dict[str, dict[str, float]]:
    """Of every network of these, all in one call."""
    rows = jnp.stack([ravel_pytree(net)[0] for net in hand_made().values()])
    found = measures.won_held(HEX2)(ONLINE.learner, ONLINE.config, rows)
    assert set(found) == {"held", "spread", "size", "live", "ratings"}  # these are compared, and not kept
    return {
        net: {name: float(found[name][i]) for name in found if name != "ratings"} for i, net in enumerate(hand_made())
    }


@pytest.mark.slow
def test_vitals_of_networks_that_one_knows(vitals: dict[str, dict[str, float]]) -> None:
    assert vitals["healthy"]["spread"] > 0.005
    assert 0 < vitals["healthy"]["size"] < 1
    assert 0 < vitals["healthy"]["live"] <= 1
    for same in ("dull", "saturated", "dead"):
        assert vitals[same]["spread"] == pytest.approx(0, abs=1e-6)
    assert vitals["saturated"]["size"] == 1
    assert vitals["dead"]["live"] == vitals["dead"]["size"] == 0
    assert vitals["nearly dead"]["live"] == pytest.approx(1 / 5)  # one filter of five
    assert vitals["dull"]["live"] == vitals["saturated"]["live"] == vitals["healthy"]["live"]


@pytest.mark.slow
def test_vitals_are_those_of_a_walk_through_all_won_positions(vitals: dict[str, dict[str, float]]) -> None:
    solution = solve(HEX2)
    rows = np.flatnonzero((solution.value > 0) & ~solution.graph.over)
    states = [jax.tree.map(lambda leaf, i=i: jnp.asarray(leaf[i]), solution.graph.states) for i in rows]
    look = jax.jit(lambda state: view(HEX2, state))
    seen = [look(state) for state in states]  # the graph's positions are the mover's own view
    for name, net in hand_made().items():
        say = jax.jit(lambda planes, net=net: (net.features(planes), net(planes)))
        said: dict[int, list[float]] = {}  # by move
        lit = np.zeros(len(net.matrix), bool)
        for at in seen:
            units, outputs = say(at.planes)
            lit |= np.asarray(units) > 0
            for move in np.flatnonzero(np.asarray(at.legal)):
                said.setdefault(int(move), []).append(np.tanh(float(outputs[move]) / 2))
        assert len(said) == 4
        assert len({len(values) for values in said.values()}) > 1  # so weights would show
        wanted = {
            "spread": np.sqrt(np.mean([np.var(values) for values in said.values()])),
            "size": np.mean([abs(value) for values in said.values() for value in values]),
            "live": lit.mean(),
        }
        assert {vital: vitals[name][vital] for vital in wanted} == pytest.approx(wanted, abs=1e-5)


def test_moves_count_where_they_are_legal_and_positions_until_they_are_over() -> None:
    """Two moves: of the first it says 1 and 3, of the second 2 where it is legal; the last position is finished."""
    texts = ("../.. b", "B./.. w", "B./BW w")
    states = jax.tree.map(lambda *leaves: np.stack(leaves), *(HEX2.parse(text) for text in texts))
    values = jnp.array([[1.0, 2.0, 9.0, 9.0], [3.0, 7.0, 9.0, 9.0], [8.0, 8.0, 8.0, 8.0]])
    legal = jnp.array([[True, True, False, False], [True, False, False, False], [True, True, True, True]])

    # Of its units one is lit when it is all over, one before, and one never.
    lit = jnp.array([[False, True, False], [False, True, False], [True, False, False]])
    seen = jax.jit(lambda states: measures._vitals(HEX2, states, values, legal, lit))(states)
    assert float(seen["spread"]) == pytest.approx(np.sqrt((1 + 0) / 2))  # a variance of 1, and of 0
    assert float(seen["size"]) == pytest.approx((1 + 2 + 3) / 3)
    assert float(seen["live"]) == pytest.approx(1 / 3)


# --- whole games --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_results_on_the_device_are_those_of_the_host() -> None:
    learner, config, stack = DQN.learner, DQN.config, some_weights(DQN, HEX2, 3)
    host = measures._on_host(learner, config, HEX2, 0)(stack)
    device = measures._on_device(learner, config, HEX2, 0)(stack)
    vitals = ("spread", "size", "live")
    for name in ("random_first", "random_second", "perfect_first", "perfect_second", "held", *vitals):
        np.testing.assert_allclose(np.asarray(device[name]), host[name], atol=1e-5)
    assert all((host[name] > 0).all() for name in vitals)
    grade = GraphTruth(HEX2).grade(NetworkPlayer("", DQN, jax.tree.map(lambda leaf: leaf[2], stack)))
    assert grade.vs_random is not None
    assert host["random_second"][2] == pytest.approx(grade.vs_random[1].win)
    assert host["held"][2] == pytest.approx(grade.held / grade.positions)
