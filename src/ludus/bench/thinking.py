"""Speed of thought: positions that moves lead to rated by a network on the device, and nodes searched on one core.

Both at positions of the middle of the game, which random play has come to. What a peer is timed at is the same: all
afterstates by the same network, one at a time in compiled code on one core; the same positions, depth and evaluation by
the same search with every device of it left out, which is plain minimax.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Int16

from ludus.core.game import Game
from ludus.games import part
from ludus.learners.recipes import DEFAULT, find_recipe
from ludus.networks.patterns import PatternNet
from ludus.play import selfplay
from ludus.play.hosted import state_at
from ludus.search.alphabeta.engine import PLAIN, AlphaBeta, Limits, Switches
from ludus.search.alphabeta.evaluation import evaluation
from ludus.search.compiled import jit
from ludus.search.twins import room

MIDDLE = 40  # plies of random play before the positions that are thought about
POSITIONS = 8  # for searches
DEPTH = 3  # plies that minimax can look ahead too
PEER_POSITIONS = 256
IMPOSSIBLE = -(1 << 62)  # a sum of ratings


def middle_game(game: Game, count: int) -> Any:
    """Positions to play on from: every leaf [N, ...]."""

    @jax.jit
    def play() -> Any:
        lanes, policy = selfplay.fresh(game, 2 * count), selfplay.random_policy(game)
        lanes, _ = selfplay.stream(game, policy, lanes, jax.random.key(0), MIDDLE, lambda record: None)
        live = ~jax.vmap(game.done)(lanes.state)
        first = jnp.argsort(~live, stable=True)[:count]
        return jax.tree.map(lambda leaf: leaf[first], lanes.state)

    return play()


# --- a network on the device --------------------------------------------------------------------------------


class Rater(NamedTuple):
    """A game's network of patterns with new weights: the kind that its recipe `best` trains."""

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
    """What every position that a legal move of some leads to is worth to its mover, one position's after the other's
    and nothing between: `first` says where those of each begin. A finished game is rated as any other.

    Several programs, one after the other: of one alone the compiler would make a value again for each of its users.
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
        """All that a pattern adds in one row."""
        return jnp.concatenate([network.hidden, network.straight[:, None]], axis=1)[jnp.asarray(patterns.tie)]

    def rate(network: PatternNet, states: Any, first: Int[Array, "P"]) -> Float[Array, "N"]:
        return last(network, sums(table(network), numbers(step(*moves(states, first)))))

    return rate


def measure_afterstates(game: Game, network: PatternNet, positions: int, seconds: float) -> float:
    """Afterstates enumerated and rated a second, all legal moves of so many positions at once."""
    states = middle_game(game, positions)
    counts = np.asarray(jax.jit(jax.vmap(game.num_legal))(states))
    first, total = jnp.asarray(np.cumsum(counts) - counts, jnp.int32), int(counts.sum())
    rate = flat_rating(game, total)
    return _best_rate(lambda: rate(network, states, first).block_until_ready(), total, seconds)


def measure_one_by_one(game: Game, inside: Any, seconds: float) -> float:
    """The same by the game's twin, one at a time on one core."""
    twin, states = part(game, "twin"), jax.device_get(middle_game(game, PEER_POSITIONS))
    boards = [twin.from_state(game, state_at(states, n)) for n in range(PEER_POSITIONS)]
    rate, out = _one_by_one(twin, inside.compiled), room(game, 1)[0]
    total = sum(rate(board, inside.parameters, out) for board in boards)

    def again() -> None:
        for board in boards:
            rate(board, inside.parameters, out)

    return _best_rate(again, total, seconds)


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
        return count if sum_of_all != IMPOSSIBLE else 0  # so that no compiler leaves the ratings out

    return rate_moves


# --- a search on one core -----------------------------------------------------------------------------------


class Searched(NamedTuple):
    nodes: float  # a second
    searches: float  # a second, to the depth


def measure_search(game: Game, seconds: float, switches: Switches | None = None) -> Searched:
    """Searches of middle-game positions to a depth, by the game's own evaluation; the best round of several."""
    states = jax.device_get(middle_game(game, POSITIONS))
    engine, limits = AlphaBeta(game, evaluation(game), switches=switches), Limits(depth=DEPTH)
    engine.search(state_at(states, 0), Limits(depth=1))  # compiles it
    nodes = 0

    def again() -> None:
        nonlocal nodes
        nodes = sum(engine.search(state_at(states, n), limits).nodes for n in range(POSITIONS))

    searches = _best_rate(again, POSITIONS, seconds)
    return Searched(searches * nodes / POSITIONS, searches)


def measure_minimax(game: Game, seconds: float) -> Searched:
    """The same by plain minimax."""
    return measure_search(game, seconds, PLAIN)


def _best_rate(work: Callable[[], Any], done: int, seconds: float) -> float:
    """The best of several calls, each timed by itself, as others share the machine; the first does not count."""
    work()
    best, begin, calls = 0.0, time.perf_counter(), 0
    while calls < 2 or time.perf_counter() - begin < seconds:
        before = time.perf_counter()
        work()
        best, calls = max(best, done / (time.perf_counter() - before)), calls + 1
    return best
