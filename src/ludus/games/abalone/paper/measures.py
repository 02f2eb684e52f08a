"""Strength along a curve: games of many networks against the paper's heuristic player and against the random one.

The paper's player is a minimax search by the distance from the centre, of a depth that is not given: here one ply,
`minimax:1`. It takes any of its best moves, so that games from the one start differ.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.agents.find import find_player
from ludus.games.abalone.notation import MARBLES
from ludus.games.abalone.rules import Abalone
from ludus.learners import valuation
from ludus.learners.learner import Learner
from ludus.play import selfplay
from ludus.play.device_batch import play_seated
from ludus.play.host_batch import Ends
from ludus.study.study import Measure

HEURISTIC = "minimax:1"
GAMES = 40, 10  # against the heuristic player and against the random one: ten times as many a point, over the seeds
QUICK = 4, 2  # the same of an outline
POSITIONS = 256  # that tell whether a network is alive
VARIES = 0.01  # a hidden unit whose values deviate by less says the same of every position


class Counts(NamedTuple):
    """How B games came out for one player; arrays of the device or of the host."""

    score: Float[Any, "B"]  # 1 won, 1/2 tied, 0 lost
    ahead: Float[Any, "B"]  # the same where whoever has more marbles in the end has won, as the paper counts
    won: Int[Any, "B"]  # marbles that it pushed off
    lost: Int[Any, "B"]
    plies: Int[Any, "B"]
    repeated: Bool[Any, "B"]  # whether the game ended as a position came back


def counted(game: Abalone, ends: Ends, seats: Int[Array, "B"]) -> Counts:
    """What was played, by the seats of the player in question."""
    ours = ends.final.mover == seats
    own, other = (jax.vmap(lambda side: side.count())(side) for side in (ends.final.own, ends.final.other))
    mine, theirs = jnp.where(ours, own, other), jnp.where(ours, other, own)
    stopped = jax.vmap(game.done)(ends.final) | (ends.plies >= game.max_plies)
    score, ahead = ((1 + jnp.sign(lead).astype(jnp.float32)) / 2 for lead in (ends.got, mine - theirs))
    return Counts(score, ahead, MARBLES - theirs, MARBLES - mine, ends.plies, ~stopped)


def vitals(config: Any, game: Abalone, network: Any, states: Any) -> dict[str, Float[Array, ""]]:
    """What tells a network that has learned something from one that says the same of every position: `level`, the mean
    of J; `spread`, the deviation from position to position of what goes into its last sigmoid, which tells as much
    where J is all but 0; and `varied`, the share of hidden units that vary.
    """
    inputs = jax.vmap(functools.partial(valuation.inputs_of, config, game))(states)
    values = jax.vmap(functools.partial(valuation.value, config, network))(inputs)
    units = jax.vmap(functools.partial(valuation.units, network))(inputs)
    varied = (units.std(axis=0) > VARIES).mean(dtype=jnp.float32)
    return {"level": values.mean(), "spread": (units @ network.output).std(), "varied": varied}


def strength(
    learner: Learner, config: Any, game: Abalone, games: tuple[int, int], network: Any, key: Key[Array, ""]
) -> dict[str, Float[Array, ""]]:
    """What one network does against the heuristic player, and its results against the random one. It has the first
    seat and the second by turns.
    """
    policy = learner.policy(config, game, network, 0.0)
    found = []
    for other, count, its_key in zip((HEURISTIC, "random"), games, jax.random.split(key), strict=True):
        seats = jnp.arange(count, dtype=jnp.int32) % 2
        ends = play_seated(game, (policy, find_player(other, game).on_device(game).policy), its_key, seats)
        found.append(jax.tree.map(lambda leaf: leaf.mean(dtype=jnp.float32), counted(game, ends, seats)))
    heuristic, random = found
    return {
        "minimax": heuristic.score,
        "minimax_ahead": heuristic.ahead,
        "won": heuristic.won,
        "lost": heuristic.lost,
        "minimax_plies": heuristic.plies,
        "repeated": heuristic.repeated,
        "random": random.score,
        "random_ahead": random.ahead,
    }


def against(game: Abalone, quick: bool) -> Measure:
    """All of this for a stack of networks, in one compiled call."""
    together = None if jax.default_backend() == "cpu" else 64  # networks side by side; or one after the other

    @functools.lru_cache(maxsize=16)
    def compiled(learner: Learner, config: Any) -> Any:
        def one(states: Any, network: Any, key: Key[Array, ""]) -> dict[str, Any]:
            played = strength(learner, config, game, QUICK if quick else GAMES, network, key)
            return played | vitals(config, game, network, states)

        return jax.jit(
            lambda states, stack, keys: jax.lax.map(
                lambda given: one(states, *given), (stack, keys), batch_size=together
            )
        )

    def measure(learner: Learner, config: Any, weights: Any) -> Mapping[str, Any]:
        keys = jax.random.split(jax.random.key(0), len(jax.tree.leaves(weights)[0]))
        found = compiled(learner, config)(positions(game), weights, keys)
        return {name: np.asarray(values) for name, values in found.items()}

    return measure


@functools.lru_cache(maxsize=4)
def positions(game: Abalone) -> Any:
    """Positions of random games, always the same."""
    return jax.jit(lambda key: selfplay.random_positions(game, key, POSITIONS))(jax.random.key(0))
