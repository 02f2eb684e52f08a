"""Afterstates rated a second by a pattern network on the device: all legal moves of many positions at once.

The peer does the same work with the same network, one afterstate at a time, in compiled code on one core.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Int16

from ludus.bench.timing import fastest, middle_game
from ludus.core.game import Game
from ludus.games import part
from ludus.learners.recipes import DEFAULT, find_recipe
from ludus.networks.patterns import PatternNet
from ludus.play.host_batch import state_at
from ludus.search.compiled import jit
from ludus.search.twins import room

PEER_POSITIONS = 256
IMPOSSIBLE = -(1 << 62)  # a sum of ratings


class Rater(NamedTuple):
    """A pattern network with new weights, of the kind that the game's recipe `best` trains."""

    network: PatternNet
    compiled: Any  # a `search.Evaluation`: the same network for compiled code, in whole numbers


def rater_of(game: Game) -> Rater | None:
    """None where the recipe trains another kind."""
    recipe = find_recipe(game, DEFAULT)
    learner, rules = recipe.learner, recipe.rules(game)
    if part(game, "patterns") is None or learner.compiled_evaluation is None:
        return None
    init = jax.jit(lambda: learner.weights(learner.init(recipe.config, rules, jax.random.key(0))))
    network = init()
    if not isinstance(network, PatternNet):
        return None
    return Rater(network, learner.compiled_evaluation(recipe.config, rules, network))


def flat_rating(game: Game, total: int) -> Callable[[PatternNet, Any, Int[Array, "P"]], Float[Array, "N"]]:
    """The value of every afterstate, for the side to move there. The afterstates of all positions stand one after the
    other; `first` says where those of each position begin. A finished game is rated as any other.

    This is several programs: in a single one XLA would compute shared values again for each of their users.
    """
    patterns = part(game, "patterns")

    @jax.jit
    def moves(states: Any, first: Int[Array, "P"]) -> tuple[Any, Int[Array, "N"]]:
        marks = jnp.zeros(total, jnp.int32).at[first[1:]].add(1)
        whose = jnp.cumsum(marks, dtype=jnp.int32)
        place = jnp.arange(total, dtype=jnp.int32) - first[whose]
        before = jax.tree.map(lambda leaf: leaf[whose], states)
        return before, jax.vmap(game.nth_legal)(before, place)

    step = jax.jit(jax.vmap(game.step))
    numbers = jax.jit(jax.vmap(functools.partial(patterns.numbers, game), out_axes=1))

    @jax.jit
    def sums(table: Float[Array, "K H"], shown: Int[Array, "L N"]) -> Float[Array, "N H"]:
        return functools.reduce(jnp.add, (table[row] for row in shown))

    @jax.jit
    def last(network: PatternNet, sums: Float[Array, "N H"]) -> Float[Array, "N"]:
        return sums[:, -1] + jax.nn.relu(sums[:, :-1] + network.bias[None]) @ network.out

    @jax.jit
    def table(network: PatternNet) -> Float[Array, "K H"]:
        """One row a pattern: what it adds to the hidden units, and to the output."""
        return jnp.concatenate([network.hidden, network.straight[:, None]], axis=1)[jnp.asarray(patterns.tie)]

    def rate(network: PatternNet, states: Any, first: Int[Array, "P"]) -> Float[Array, "N"]:
        return last(network, sums(table(network), numbers(step(*moves(states, first)))))

    return rate


def measure_afterstates(game: Game, network: PatternNet, positions: int, seconds: float) -> float:
    """Afterstates made and rated a second: all legal moves of so many positions at once."""
    states = middle_game(game, positions)
    counts = np.asarray(jax.jit(jax.vmap(game.num_legal))(states))
    first, total = jnp.asarray(np.cumsum(counts) - counts, jnp.int32), int(counts.sum())
    rate = flat_rating(game, total)
    return total / fastest(lambda: rate(network, states, first).block_until_ready(), seconds)


def measure_one_by_one(game: Game, inside: Any, seconds: float) -> float:
    """The same network with the game's twin, one afterstate at a time on one core."""
    twin, states = part(game, "twin"), jax.device_get(middle_game(game, PEER_POSITIONS))
    boards = [twin.from_state(game, state_at(states, n)) for n in range(PEER_POSITIONS)]
    rate, out = _one_by_one(twin, inside.compiled), room(game, 1)[0]
    total = sum(rate(board, inside.parameters, out) for board in boards)

    def again() -> None:
        for board in boards:
            rate(board, inside.parameters, out)

    return total / fastest(again, seconds)


@functools.cache
def _one_by_one(twin: Any, evaluate: Callable) -> Callable[[Any, Any, Int16[np.ndarray, "M"]], int]:
    moves, make, unmake = twin.moves, twin.make, twin.unmake

    @functools.partial(jit, keep=False)
    def rate_moves(board: Any, parameters: Any, out: Int16[np.ndarray, "M"]) -> int:
        count, sum_of_all = moves(board, out), 0
        for i in range(count):
            undo = make(board, out[i])
            sum_of_all += evaluate(board, parameters)
            unmake(board, undo)
        return count if sum_of_all != IMPOSSIBLE else 0  # so that the compiler cannot leave out the ratings

    return rate_moves
