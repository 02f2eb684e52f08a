"""Exact strength along a curve, for many networks at once: from the solution of a small game, for any learner that
rates moves. On a CPU the results of whole games come from sparse matrices, which is faster there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from ludus.agents.network import NetworkPlayer
from ludus.agents.perfect import PerfectPlayer
from ludus.core.game import Game
from ludus.learners.learner import Learner
from ludus.learners.recipe import Recipe
from ludus.play import selfplay
from ludus.play.policies import best_moves
from ludus.study.movement import RATINGS
from ludus.study.study import Measure
from ludus.truth import batched
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import EPSILON
from ludus.truth.solve import solve


def _rated(learner: Learner, config: Any, game: Game) -> Callable[[Any, Any], Float[Array, "A"]]:
    values = learner.move_values
    assert values is not None, f"the learner '{learner.name}' rates positions, which no study measures yet"
    return lambda weights, state: values(config, game, weights, state)


def _seen(learner: Learner, config: Any, game: Game, at_once: int | None = None) -> Callable[[Any, Any], Any]:
    """A network's ratings of all moves of these positions, and which of its last hidden units are above zero;
    `at_once` positions at a time, or all of them.
    """
    rate, units = _rated(learner, config, game), learner.last_units

    def one(weights: Any, state: Any) -> Any:
        return rate(weights, state), None if units is None else units(config, game, weights, state) > 0

    def seen(weights: Any, states: Any) -> Any:
        look = functools.partial(one, weights)
        return jax.vmap(look)(states) if at_once is None else jax.lax.map(look, states, batch_size=at_once)

    return seen


SOME = 256  # positions whose ratings are compared with those before learning


def _vitals(
    game: Game, states: Any, values: Float[Array, "N A"], legal: Bool[Array, "N A"], lit: Bool[Array, "N U"] | None
) -> dict[str, Array]:
    """What tells a network that has learned something from one that is dead or rates every position the same.

    - `spread`: the standard deviation of a move's rating over positions where it is legal, as a mean over moves.
    - `size`: the mean size of the ratings.
    - `live`: the share of the last hidden units that are ever above zero.
    - `ratings`: of some of the positions, for the grid to correlate with what they were before learning; NaN where
      a move cannot be made.
    """
    going = ~jax.vmap(game.done)(states)[:, None]  # a finished game has no moves to rate
    legal = legal & going
    often = legal.sum(axis=0, dtype=jnp.float32)
    usual = jnp.where(legal, values, 0).sum(axis=0) / jnp.maximum(often, 1)
    squares = jnp.where(legal, (values - usual[None]) ** 2, 0).sum(axis=0) / jnp.maximum(often, 1)
    few = min(len(values), SOME)
    rows = (jnp.arange(few) * len(values)) // few  # evenly among them all
    found = {
        "spread": jnp.sqrt(squares.mean(where=often > 0)),
        "size": jnp.abs(values).mean(where=legal),
        RATINGS: jnp.where(legal, values, jnp.nan)[rows].ravel(),
    }
    if lit is not None:
        found["live"] = (lit & going).any(axis=0).mean(dtype=jnp.float32)
    return found


def won_held(game: Game) -> Measure:
    """`held`: the share of won positions in which the best-rated move wins too (where several tie, their mean); and
    whether the network is alive there.
    """

    # As many networks and positions at a time as fit into a CPU's cache, or into an accelerator's memory.
    networks, positions = (16, 64) if jax.default_backend() == "cpu" else (64, None)

    @functools.lru_cache(maxsize=16)
    def compiled(learner: Learner, config: Any) -> Any:
        seen = _seen(learner, config, game, positions)

        def one(values: Float[Array, "A"], legal: Bool[Array, "A"], winning: Bool[Array, "A"]) -> Float[Array, ""]:
            best = best_moves(values, legal)
            return (best & winning).sum(dtype=jnp.float32) / best.sum(dtype=jnp.float32)

        def strength(at: Any, weights: Any) -> dict[str, Array]:
            states, winning = at
            (values, lit), legal = seen(weights, states), jax.vmap(game.legal)(states)
            held = jax.vmap(one)(values, legal, winning).mean()
            return {"held": held} | _vitals(game, states, values, legal, lit)

        return jax.jit(lambda at, stack: jax.lax.map(functools.partial(strength, at), stack, batch_size=networks))

    def measure(learner: Learner, config: Any, weights: Any) -> Mapping[str, Any]:
        return compiled(learner, config)(won_positions(game), weights)

    return measure


def vitals_of(game: Game, states: Any) -> Measure:
    """Whether networks live, by how they rate these positions; for a measure that has nothing else to do with them."""

    @functools.lru_cache(maxsize=16)
    def compiled(learner: Learner, config: Any) -> Any:
        seen = _seen(learner, config, game)

        def one(at: Any, weights: Any) -> dict[str, Array]:
            values, lit = seen(weights, at)
            return _vitals(game, at, values, jax.vmap(game.legal)(at), lit)

        return jax.jit(lambda at, stack: jax.lax.map(functools.partial(one, at), stack))

    return lambda learner, config, weights: compiled(learner, config)(states, weights)


@functools.lru_cache(maxsize=4)
def won_positions(game: Game) -> tuple[Any, Any]:
    """All positions that the mover can win, and the winning moves."""
    solution = solve(game)
    graph = solution.graph
    winning = np.zeros((graph.num_positions, game.num_actions), bool)
    winning[graph.parent, graph.action] = solution.move_value > 0
    rows = np.flatnonzero((solution.value > 0) & ~graph.over)
    return jax.tree.map(lambda leaf: jnp.asarray(leaf[rows]), graph.states), jnp.asarray(winning[rows])


#: Exact by seat and as their mean, sampled, and positions.
MATCHES = (
    *("random_first", "random_second", "vs_random", "perfect_first", "perfect_second", "vs_perfect"),
    *("random_sampled", "perfect_sampled", "held", "spread", "size", "live", RATINGS),
)


def matches(game: Game, sampled: int) -> Measure:
    """Exact results by seat: the win rate against a random player, moving at random itself with probability EPSILON,
    and the no-loss rate against the perfect player. Also the same from so many sampled games a seat, the share of
    positions held, and whether the network is alive.
    """

    def measure(learner: Learner, config: Any, weights: Any) -> Mapping[str, Any]:
        make = _on_host if jax.default_backend() == "cpu" else _on_device
        found = make(learner, config, game, sampled)(weights)
        for other in ("random", "perfect"):
            found[f"vs_{other}"] = (np.asarray(found[f"{other}_first"]) + np.asarray(found[f"{other}_second"])) / 2
        return {name: found[name] for name in MATCHES if name in found}

    return measure


def _sample(game: Game, policy: selfplay.Policy, other: selfplay.Policy, key: Any, games: int) -> Float[Array, "2"]:
    """The shares won, and not lost, of so many games in each seat."""
    shift = (jnp.arange(2 * games) >= games).astype(jnp.int32)
    returns = selfplay.play(game, selfplay.seated(game, (policy, other), shift), key, 2 * games).returns
    ours = jnp.take_along_axis(returns, shift[:, None], axis=1)[:, 0]
    return jnp.stack([(ours > 0).mean(), (ours >= 0).mean()])


@functools.lru_cache(maxsize=16)
def _on_device(learner: Learner, config: Any, game: Game, sampled: int) -> Callable[[Any], dict[str, Any]]:
    """A compiled function that measures a stack of networks."""
    seen, perfect = _seen(learner, config, game), PerfectPlayer().on_device(game).policy

    def sample(network: Any, key: Any, other: selfplay.Policy, epsilon: float) -> Any:
        if not sampled:
            return jnp.full(2, jnp.nan)
        return _sample(game, learner.policy(config, game, network, epsilon), other, key, sampled)

    def one(at: batched.GraphArrays, network: Any, key: Any) -> dict[str, Any]:
        key_random, key_perfect = jax.random.split(key)
        values, lit = seen(network, at.states)
        vitals = _vitals(game, at.states, values, jax.vmap(game.legal)(at.states), lit)
        best = jax.vmap(best_moves)(jnp.take_along_axis(values, at.action, axis=1), at.valid)
        policy, cap = batched.shares(best), game.max_plies
        vs_random = batched.chances(at, batched.noisy(at, policy, EPSILON), batched.shares(at.valid), cap)
        vs_perfect = batched.chances(at, policy, batched.shares(at.holding), cap)
        return {
            "random_first": vs_random[0, 0],
            "random_second": vs_random[1, 0],
            "perfect_first": 1 - vs_perfect[0, 1],
            "perfect_second": 1 - vs_perfect[1, 1],
            "random_sampled": sample(network, key_random, selfplay.random_policy(game), EPSILON)[0],
            "perfect_sampled": sample(network, key_perfect, perfect, 0.0)[1],
            "held": batched.held(at, policy) / at.valid.any(axis=1).sum(),
        } | vitals

    @jax.jit
    def every(at: batched.GraphArrays, networks: Any) -> dict[str, Any]:
        keys = jax.random.split(jax.random.key(0), len(jax.tree.leaves(networks)[0]))
        return jax.lax.map(lambda given: one(at, *given), (networks, keys))

    # An argument, not a constant: otherwise XLA tries to fold it at compile time.
    return functools.partial(every, batched.graph_arrays(solve(game)))


@functools.lru_cache(maxsize=16)
def _on_host(learner: Learner, config: Any, game: Game, sampled: int) -> Callable[[Any], dict[str, Any]]:
    recipe = Recipe("", learner.name, tuple(vars(config).items()))
    opponents = (selfplay.random_policy(game), EPSILON), (PerfectPlayer().on_device(game).policy, 0.0)
    samplers = [
        jax.jit(
            lambda network, key, other=other, epsilon=epsilon: _sample(
                game, learner.policy(config, game, network, epsilon), other, key, sampled
            )
        )
        for other, epsilon in opponents
    ]
    seen, states = _seen(learner, config, game), solve(game).graph.states

    @jax.jit
    def vitals(network: Any, states: Any) -> dict[str, Array]:
        values, lit = seen(network, states)
        return _vitals(game, states, values, jax.vmap(game.legal)(states), lit)

    def one(network: Any, key: Any) -> dict[str, Any]:
        grade = GraphTruth(game).grade(NetworkPlayer("", recipe, network))
        assert grade.vs_random is not None
        assert grade.vs_perfect is not None
        row = {"held": grade.held / grade.positions}
        row |= {name: np.asarray(value) for name, value in vitals(network, states).items()}
        for seat, place in enumerate(("first", "second")):
            row[f"random_{place}"] = grade.vs_random[seat].win
            row[f"perfect_{place}"] = grade.vs_perfect[seat].no_loss
        for place, name in enumerate(("random", "perfect")):
            row[f"{name}_sampled"] = float(samplers[place](network, key)[place]) if sampled else math.nan
        return row

    def measure(networks: Any) -> dict[str, Any]:
        count = len(jax.tree.leaves(networks)[0])
        keys = jax.random.split(jax.random.key(0), count)
        rows = [one(jax.tree.map(lambda leaf, i=i: leaf[i], networks), keys[i]) for i in range(count)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    return measure
