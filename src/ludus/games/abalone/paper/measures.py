"""Strength along a curve: games of many networks against the paper's heuristic player and against a random player.

The paper's player is a minimax search by the distance from the centre; its depth is not given. Here it is one ply,
`minimax:1`. It chooses among its best moves at random, so games from the same start differ.
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
GAMES = 40, 10  # for each seed and point, against the heuristic player and against the random one
QUICK = 4, 2  # the same in an outline
POSITIONS = 256  # to see whether a network is alive
VARIES = 0.01  # a hidden unit that deviates by less is the same in every position


class Counts(NamedTuple):
    """The results of B games for one player; arrays of the device or of the host."""

    score: Float[Any, "B"]  # 1 won, 1/2 tied, 0 lost
    ahead: Float[Any, "B"]  # the same with the paper's counting: more marbles win
    won: Int[Any, "B"]  # marbles that it pushed off
    lost: Int[Any, "B"]
    plies: Int[Any, "B"]
    repeated: Bool[Any, "B"]  # whether the game ended as a position came back


def counted(game: Abalone, ends: Ends, seats: Int[Array, "B"]) -> Counts:
    """The results of these games for the player in these seats."""
    ours = ends.final.mover == seats
    own, other = (jax.vmap(lambda side: side.count())(side) for side in (ends.final.own, ends.final.other))
    mine, theirs = jnp.where(ours, own, other), jnp.where(ours, other, own)
    stopped = jax.vmap(game.done)(ends.final) | (ends.plies >= game.max_plies)
    score, ahead = ((1 + jnp.sign(lead).astype(jnp.float32)) / 2 for lead in (ends.got, mine - theirs))
    return Counts(score, ahead, MARBLES - theirs, MARBLES - mine, ends.plies, ~stopped)


def vitals(config: Any, game: Abalone, network: Any, states: Any) -> dict[str, Float[Array, ""]]:
    """What tells a network that has learned something from one that rates every position the same.

    - `level`: the mean of J.
    - `spread`: the deviation of the last sigmoid's input over positions; it shows differences even where J is near 0.
    - `varied`: the share of hidden units that vary.
    """
    inputs = jax.vmap(functools.partial(valuation.inputs_of, config, game))(states)
    values = jax.vmap(functools.partial(valuation.value, config, network))(inputs)
    units = jax.vmap(functools.partial(valuation.units, network))(inputs)
    varied = (units.std(axis=0) > VARIES).mean(dtype=jnp.float32)
    return {"level": values.mean(), "spread": (units @ network.output).std(), "varied": varied}


def strength(
    learner: Learner, config: Any, game: Abalone, games: tuple[int, int], network: Any, key: Key[Array, ""]
) -> dict[str, Float[Array, ""]]:
    """The results of one network against the heuristic player and against the random one, in both seats in turn."""
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
    """`strength` and `vitals` of a stack of networks, in one compiled call."""
    together = None if jax.default_backend() == "cpu" else 64  # networks side by side; on a CPU one after the other

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
