"""Learning from every move: all algorithms run on games, as one program; what an actor learns from, and its rank of
moves.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.text import refusal
from jax.flatten_util import ravel_pytree

from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners import online
from ludus.learners.gradient_td import ALGORITHMS
from ludus.learners.online import Config, sweep_of
from ludus.learners.recipes import recipe_named

CASES = [("hex", Hex(size=3)), ("lgame", LGame())]


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for _, game in CASES], ids=[name for name, _ in CASES])
@pytest.mark.parametrize("actor", ["none", "plain"])
def test_every_algorithm_runs_on_any_game_as_one_program(game: Any, actor: Any) -> None:
    """All six under vmap over their switches; each learns something different, and the same from the same seed."""
    configs = [Config(algorithm=name, actor=actor, epsilon=0.5, moves=20, starts=16) for name in ALGORITHMS]  # pyright: ignore[reportArgumentType]
    sweeps = jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(sweep_of, configs))

    @jax.jit
    def run(sweep: Any) -> Any:
        state = online.init(configs[0], game, jax.random.key(3), sweep)
        return online.weights(state), online.advance(configs[0], game, state)

    begun, (state, metrics) = jax.vmap(run)(sweeps)
    ended = np.asarray(jax.vmap(online.weights)(state))
    assert np.isfinite(ended).all()
    assert np.isfinite(np.asarray(metrics["value"])).all()
    # GTD2 and the natural gradient first have to learn w, and hardly move in twenty moves; the others do.
    assert (np.abs(ended - np.asarray(begun)).max(axis=1) > 0).all()
    values = np.asarray(state.critic.theta)
    assert len({row.tobytes() for row in values}) == len(ALGORITHMS)
    again = np.asarray(jax.vmap(online.weights)(jax.vmap(run)(sweeps)[1][0]))
    np.testing.assert_array_equal(again, ended)


# --- an actor -----------------------------------------------------------------------------------------------------

SMALL = Hex(size=2)
ACTOR = Config(actor="plain", starts=16)
RATE = 0.5


@pytest.mark.slow
def test_an_actors_moves_are_ranked_by_what_probabilities_would_round_away() -> None:
    """Its outputs are 30, 31, 5 and 2 in the mover's view; squashed, the first two are the same in float32."""

    def weights(key: Any) -> Any:
        network, outputs = online.new_network(SMALL, key), jnp.array([30.0, 31.0, 5.0, 2.0])
        return ravel_pytree(eqx.tree_at(lambda net: (net.matrix, net.bias), network, (0 * network.matrix, outputs)))[0]

    theta = jax.jit(weights)(jax.random.key(0))
    rate = jax.jit(online.move_values, static_argnums=(0, 1))
    black, white = SMALL.parse("../.. b"), SMALL.parse("../B. w")
    assert rate(ACTOR, SMALL, theta, black).tolist() == [30, 31, 5, 2]
    assert rate(ACTOR, SMALL, theta, white).tolist() == [30, 5, 31, 2]  # who sees the board from its own side
    values = rate(Config(), SMALL, theta, black)
    assert values[0] == values[1] == 1
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[black] * 8, *[white] * 8)
    chosen = jax.jit(online.policy(ACTOR, SMALL, theta, 0.0))(jax.random.key(1), states)
    assert chosen.tolist() == [1] * 8 + [0] * 8  # white's best is taken


@jax.jit
def begin(sweep: Any) -> Any:
    """A run whose values and policy differ clearly."""
    state = online.init(ACTOR, SMALL, jax.random.key(2), sweep)
    assert state.actor is not None
    critic, actor = (part._replace(theta=4 * part.theta) for part in (state.critic, state.actor))
    return state._replace(critic=critic, actor=actor)


def begun(**settings: Any) -> Any:
    return begin(sweep_of(Config(actor="plain", actor_rate=RATE, **settings)))


make_move = jax.jit(lambda state: online.move(ACTOR, SMALL, state)[0])


@jax.jit
def looked_up(before: Any, after: Any) -> Any:
    """Where a move was made: the probabilities and the values of all, and the gradient of its own logarithm; and the
    values where it led.
    """
    now, theta = before.now, before.actor.theta
    gradient = jax.grad(lambda theta: online.log_policy(SMALL, theta, now.view)[now.action])(theta)
    values = [online.values_of(SMALL, before.critic.theta, at.now.view) for at in (before, after)]
    return jnp.exp(online.log_policy(SMALL, theta, now.view)), values[0], gradient, values[1]


@pytest.mark.slow
@pytest.mark.parametrize(("backup", "sign"), [("negamax", -1), ("paper", 1)])
@pytest.mark.parametrize("advantage", ["policy", "error"])
def test_an_actors_move_is_compared_with_its_policys_worth_or_with_its_own_value(
    advantage: str, backup: str, sign: int
) -> None:
    state, ends, gaps = begun(advantage=advantage, backup=backup), 0, []
    for _ in range(16):
        after = make_move(state)
        shares, values, gradient, following = map(np.asarray, looked_up(state, after))
        over = int(after.now.ply) == 0
        # Who makes the last move of a game of Hex has won.
        target = 1.0 if over else sign * following[int(after.now.action)]
        legal = np.asarray(state.now.view.legal)
        worth, own = (shares * values)[legal].sum(), values[int(state.now.action)]
        assert shares.sum() == pytest.approx(1, abs=1e-5)
        wanted = target - (worth if advantage == "policy" else own)
        change = np.asarray(after.actor.theta) - np.asarray(state.actor.theta)
        np.testing.assert_allclose(change, RATE * wanted * gradient, atol=1e-5)
        ends, state = ends + over, after
        gaps.append(abs(worth - own) * np.abs(gradient).max())
    assert 3 < ends < 13
    assert max(gaps) > 0.01  # so the other would have shown


@pytest.mark.slow
def test_the_values_are_learned_alike_whatever_an_actor_learns_from() -> None:
    first, second = (make_move(begun(advantage=advantage)) for advantage in ("policy", "error"))
    np.testing.assert_array_equal(first.critic.theta, second.critic.theta)
    assert not np.array_equal(first.actor.theta, second.actor.theta)


# --- what tames GTD2 ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_h_and_a_bound_are_settings_of_a_run() -> None:
    def after(moves: int, algorithm: str = "gtd2", **settings: Any) -> np.ndarray:
        state = begun(algorithm=algorithm, alpha=0.1, **settings)
        for _ in range(moves):
            state = make_move(state)
        return np.asarray(state.critic.theta, np.float64)

    free = np.linalg.norm(after(1))
    assert free > 3
    assert np.linalg.norm(after(1, bound=3.0)) == pytest.approx(3, rel=1e-5)
    np.testing.assert_array_equal(after(3, bound=float(2 * free)), after(3))
    assert not np.array_equal(after(3), after(3, second_order=False))
    np.testing.assert_array_equal(after(3, "sarsa"), after(3, "sarsa", second_order=False))  # which has no h


def test_they_can_be_typed() -> None:
    recipe = recipe_named("hex", {"size": 3}, "gtd2")
    config = recipe.with_texts(("bound=5", "second_order=false", "advantage=error")).lasting(100).config
    assert (config.algorithm, config.games) == ("gtd2", 100)
    assert (config.bound, config.second_order, config.advantage) == (5, False, "error")
    sweep = sweep_of(config)
    assert (float(sweep.bound), float(sweep.second_order), float(sweep.baseline)) == (5, 0, 0)
    assert (recipe.config.bound, recipe.config.second_order, recipe.config.advantage) == (0, True, "policy")
    for wrong in ("bound=-1", "bound=inf", "bound=much", "second_order=1", "advantage=own"):
        assert wrong.partition("=")[0] in refusal(lambda wrong=wrong: recipe.with_texts((wrong,)))
