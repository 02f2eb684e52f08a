"""The engine: curves run together are those run alone, nothing is run twice, and what is measured is the truth."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from ludus.games import make_game
from ludus.learners import find_learner
from ludus.study import measures
from ludus.study.grid import Grid, batches
from ludus.study.study import Curve, Scale
from ludus.training.agents import TrainedAgent
from ludus.training.recipes import Recipe
from ludus.truth.exact import GraphTruth
from ludus.truth.solve import solve

HEX2, HEX3 = make_game("hex", size=2), make_game("hex", size=3)
SARSA = Recipe.of("", "online", algorithm="sarsa", alpha=0.1, starts=8)
Q = Recipe.of("", "online", algorithm="q", alpha=0.001, starts=8)
DQN = Recipe.of("", "dqn", hidden=(8,), inputs="planes", head="full", memory=16, lanes=4, recall=1, games=16)


def nothing(learner: Any, config: Any, weights: Any) -> dict[str, Any]:
    return {}


# --- plans, without running -----------------------------------------------------------------------------------


def planned(*wanted: tuple[Curve, Scale], grid: Grid | None = None) -> list[tuple[str, int, int, int]]:
    plans = (grid or Grid(HEX2, nothing, {})).plan(wanted)
    return [(plan.learner.name, len(plan.curves), plan.scale.points, plan.rounds) for plan in plans]


def test_what_differs_in_what_is_swept_is_one_program() -> None:
    scale = Scale(2, 4, 200)
    curves = [Curve("p", "a", SARSA), Curve("p", "b", Q), Curve("p", "c", SARSA.with_settings(actor="plain"))]
    assert planned(*((curve, scale) for curve in curves)) == [("online", 2, 4, 4), ("online", 1, 4, 4)]
    tiny = [DQN, DQN.with_settings(gamma=0.5), DQN.with_settings(recall=2)]
    assert planned(*((Curve("", str(i), r), scale) for i, r in enumerate(tiny))) == [
        ("dqn", 2, 4, 50),
        ("dqn", 1, 4, 50),
    ]


def test_a_curve_that_is_wanted_twice_is_run_once_and_long_enough() -> None:
    short, long = Scale(2, 4, 50), Scale(2, 9, 50)
    assert planned((Curve("p", "a", SARSA), short), (Curve("q", "b", SARSA), long)) == [("online", 1, 9, 1)]
    other_seeds = Scale(2, 4, 50, first_seed=7)
    assert len(planned((Curve("p", "a", SARSA), short), (Curve("p", "a", SARSA), other_seeds))) == 2
    assert other_seeds.all_seeds == (7, 8)


@pytest.mark.parametrize("total", [1, 5, 64, 65, 130])
def test_batches_of_runs_have_one_size_and_leave_none_out(total: int) -> None:
    parts = batches(total)
    assert len({len(part) for part in parts}) == 1
    assert np.concatenate(parts)[:total].tolist() == list(range(total))


# --- runs -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_curves_run_together_are_those_run_alone() -> None:
    """Each seed begins alike; and what a curve is does not depend on what is run beside it."""
    curves, scale = [Curve("p", "slow", Q), Curve("p", "fast", SARSA)], Scale(2, 2, 100)
    grid = Grid(HEX3, measures.won_held(HEX3), {})
    grid.run([(curve, scale) for curve in curves])
    slow, fast = (grid.result(curve, scale) for curve in curves)
    for found in (slow.runs, fast.runs):
        assert found.steps.tolist() == [100, 200]
        assert {name: rows.shape for name, rows in found.measured.items()} == dict.fromkeys(
            ("value", "loss", "held"), (2, 2)
        )
        assert found.end("held") == found.measured["held"][:, -1].tolist()
    assert slow.runs.measured["value"].tolist() != fast.runs.measured["value"].tolist()
    assert slow.runs.measured["value"][0].tolist() != slow.runs.measured["value"][1].tolist()
    alone = Grid(HEX3, measures.won_held(HEX3), {})
    alone.run([(curves[1], scale)])
    for name, rows in alone.result(curves[1], scale).runs.measured.items():
        np.testing.assert_allclose(rows, fast.runs.measured[name], rtol=1e-4, atol=1e-5)
    # The last measured is the share of the weights that are left.
    agent = TrainedAgent("", SARSA, jax.tree.map(lambda leaf: leaf[1], fast.weights))
    assert share_of_won(agent) == pytest.approx(fast.runs.measured["held"][1, -1], abs=1e-4)


def share_of_won(agent: TrainedAgent) -> float:
    """By the graph: how likely the agent is to hold the win, over all won positions."""
    solution = solve(HEX3)
    won = (solution.value > 0) & ~solution.graph.over
    held = solution.graph.reduce(np.add, agent.probabilities(solution.graph) * solution.holding, 0)
    return float(held[won].mean())


@pytest.mark.slow
def test_the_same_in_one_call_or_in_several_and_not_twice() -> None:
    curves, scale, lines = [Curve("", "a", DQN), Curve("", "b", DQN.with_settings(gamma=0.5))], Scale(2, 2, 4), []
    by_call = {}
    for points in (None, 1):
        grid = Grid(HEX2, measures.matches(HEX2, 0), {}, points, lines.append)
        grid.run([(curve, scale) for curve in curves])
        by_call[points] = [grid.result(curve, scale).runs for curve in curves]
        said = len(lines)
        grid.run([(Curve("other", "name", DQN), scale)])
        assert len(lines) == said
        again = grid.result(Curve("other", "name", DQN), scale).runs
        assert (again.panel, again.label) == ("other", "name")
        assert again.measured["vs_random"].tolist() == by_call[points][0].measured["vs_random"].tolist()
    for whole, stepwise in zip(by_call[None], by_call[1], strict=True):
        assert whole.steps.tolist() == stepwise.steps.tolist() == [4, 8]
        for name, rows in whole.measured.items():
            np.testing.assert_allclose(rows, stepwise.measured[name], rtol=1e-5)
            assert ((rows >= 0) & (rows <= 1)).all() or name in ("loss", "plies", "epsilon", "rate")
        assert "random_sampled" not in whole.measured  # none were played


# --- measures ---------------------------------------------------------------------------------------------------

RECIPES = {
    "online": Recipe.of("", "online", starts=4),
    "cnn": Recipe.of("", "batch", memory=50, starts=4),
    "rnn": Recipe.of("", "batch", network="rnn", memory=50, starts=4),
}


def some_weights(recipe: Recipe, count: int) -> Any:
    learner = recipe.learner

    def make(key: Any) -> Any:
        return learner.weights(learner.init(recipe.config, HEX3, key))

    return jax.jit(jax.vmap(make))(jax.random.split(jax.random.key(1), count))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(RECIPES))
def test_what_a_network_holds_is_what_the_graph_says(name: str) -> None:
    recipe = RECIPES[name]
    stack = some_weights(recipe, 3)
    found = np.asarray(measures.won_held(HEX3)(recipe.learner, recipe.config, stack)["held"])
    for i in range(3):
        agent = TrainedAgent("", recipe, jax.tree.map(lambda leaf, i=i: leaf[i], stack))
        assert found[i] == pytest.approx(share_of_won(agent), abs=1e-3)
    assert (found > 0.3).all()
    assert (found < 0.95).all()


def test_the_won_positions_and_their_winning_moves() -> None:
    solution = solve(HEX3)
    states, winning = measures.won_positions(HEX3)
    assert len(winning) == ((solution.value > 0) & ~solution.graph.over).sum() == 3401
    legal = np.asarray(jax.jit(jax.vmap(HEX3.legal))(states))
    assert np.asarray(winning).any(axis=1).all()
    assert not (np.asarray(winning) & ~legal).any()
    assert np.asarray(winning).sum() == solution.holding[solution.value[solution.graph.parent] > 0].sum()


@pytest.mark.slow
def test_results_on_the_device_are_those_of_the_host() -> None:
    learner, config = find_learner("dqn"), DQN.config
    stack = jax.jit(jax.vmap(lambda key: learner.weights(learner.init(config, HEX2, key))))(
        jax.random.split(jax.random.key(0), 3)
    )
    host = measures._on_host(learner, config, HEX2, 0)(stack)
    device = measures._on_device(learner, config, HEX2, 0)(stack)
    for name in ("random_first", "random_second", "perfect_first", "perfect_second", "held"):
        np.testing.assert_allclose(np.asarray(device[name]), host[name], atol=1e-5)
    grade = GraphTruth(HEX2).grade(TrainedAgent("", DQN, jax.tree.map(lambda leaf: leaf[2], stack)))
    assert grade.vs_random is not None
    assert host["random_second"][2] == pytest.approx(grade.vs_random[1].win)
