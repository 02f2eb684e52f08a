"""Supervised learning of whether a puzzle can be solved: the game's part `lessons` makes puzzles, searches each one
completely, and labels positions as solvable or not. The network gives the probability that a position can be solved; a
player, or a search, goes where it is highest.

The network's inputs are the planes of a position and its legal moves. The compiled program calls the host for lessons;
while it learns from some, the host makes the next.
"""

from __future__ import annotations

import functools
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key, UInt8

from ludus.core.game import Rules, each_move
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners import optimise, replay
from ludus.learners.configs import TreesConfig as Config
from ludus.learners.learner import Learner, Span, unswept
from ludus.learners.views import with_moves
from ludus.networks import MLP
from ludus.play import selfplay
from ludus.play.policies import MASKED, greedy_among_legal

FEWEST_INPUTS = 16  # with fewer that are not zero, no position could be shown
AHEAD = 64  # lessons made in advance, at most


class State(NamedTuple):
    network: MLP
    optimizer: Any
    memory: replay.Ring  # rows: (numbers of inputs, solvable)
    key: Key[Array, ""]
    games: Int[Array, ""]  # puzzles
    rounds: Int[Array, ""]
    progress: Float[Array, ""]  # of training, from 0 to 1, as of the last round: the next lessons are made for it


def num_inputs(game: Rules) -> int:
    return jax.eval_shape(game.observe, jax.eval_shape(game.init)).size + game.num_actions


def init(config: Config, game: Rules, key: Key[Array, ""]) -> State:
    if part(game, "lessons") is None:
        raise BadInput(f"{game.name or 'this game'} gives no lessons in solving puzzles; take another recipe.")
    if config.width < FEWEST_INPUTS:
        raise BadInput(f"width is {config.width}, too few inputs to show a position; it takes {FEWEST_INPUTS} or more.")
    key_network, key_play = jax.random.split(key)
    network = MLP((num_inputs(game), *config.hidden, 1), key_network)
    row = (np.zeros(config.width, np.int16), np.zeros((), np.uint8))
    return State(
        network,
        optimise.direction("adam").init(network),  # pyright: ignore[reportArgumentType]
        replay.empty(row, max(config.memory, config.rows)),
        key_play,
        jnp.int32(0),
        jnp.int32(0),
        jnp.float32(0),
    )


def inputs(game: Rules, state: Any) -> Float[Array, "In"]:
    """The network's inputs for a position."""
    return with_moves(game, state)


def value(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, ""]:
    """The probability that a position can be solved; of a finished one, whether it is solved."""
    said = jax.nn.sigmoid(network(inputs(game, state))[0])
    return jnp.where(game.done(state), game.returns(state)[0], said)


def move_values(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, "M"]:
    """The value of where each legal move leads, in the order of actions, padded."""
    moves = each_move(game, state, functools.partial(value, config, game, network))
    return jnp.where(moves.valid, moves.said, MASKED)


def policy(config: Config, game: Rules, network: MLP, epsilon: float) -> selfplay.Policy:
    """Where it is likeliest to be solved, or with probability epsilon anywhere."""
    return greedy_among_legal(game, lambda state: move_values(config, game, network, state), epsilon)


class Teacher:
    """Makes lessons, and the next ones beforehand: what is asked for is the same whether it was made before or not."""

    def __init__(self, game: Rules, rows: int, width: int) -> None:
        self.game, self.rows, self.width = game, rows, width
        self._pool = ThreadPoolExecutor(1)
        self._made: dict[tuple[int, float], Future] = {}

    def __call__(self, seed: Any, progress: Any, next_seed: Any, next_progress: Any) -> Any:
        wanted, following = (int(seed), float(progress)), (int(next_seed), float(next_progress))
        made = self._made.pop(wanted, None)
        if following not in self._made and len(self._made) < AHEAD:
            self._made[following] = self._pool.submit(self._make, *following)
        return self._make(*wanted) if made is None else made.result()

    def _make(self, seed: int, progress: float) -> Any:
        inputs, solvable, puzzles = part(self.game, "lessons")(self.game, seed, self.rows, self.width, progress)
        return inputs, solvable, np.int32(puzzles)


@functools.lru_cache(maxsize=4)
def teacher(game: Rules, rows: int, width: int) -> Teacher:
    return Teacher(game, rows, width)


def _lessons(
    config: Config, game: Rules, keys: tuple[Key[Array, ""], Key[Array, ""]], progress: tuple[Any, Any]
) -> tuple[Int[Array, "R K"], UInt8[Array, "R"], Int[Array, ""]]:
    """New rows, and the number of puzzles that they are from; by the keys and the progress of these and of the next."""
    rows, width = config.rows, config.width
    shapes = (
        jax.ShapeDtypeStruct((rows, width), jnp.int16),
        jax.ShapeDtypeStruct((rows,), jnp.uint8),
        jax.ShapeDtypeStruct((), jnp.int32),
    )
    seed, next_seed = (jax.random.bits(key, (), jnp.uint32) for key in keys)
    ask = teacher(game, rows, width)
    return jax.pure_callback(ask, shapes, seed, progress[0], next_seed, progress[1], vmap_method="sequential")


def loss_of(network: MLP, numbers: Int[Array, "B K"], solvable: UInt8[Array, "B"]) -> Float[Array, ""]:
    """The cross-entropy of the network's answers for a batch."""
    count = network.weights[0].shape[0]
    rows = jnp.arange(len(numbers), dtype=jnp.int32)[:, None]
    seen = jnp.zeros((len(numbers), count + 1)).at[rows, numbers.astype(jnp.int32)].set(1.0)[:, :count]
    said = jax.vmap(network)(seen)[:, 0]
    return optax.sigmoid_binary_cross_entropy(said, solvable.astype(jnp.float32)).mean()


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: store new lessons, then `updates` steps of learning."""
    key, key_lessons, key_learn = jax.random.split(state.key, 3)
    key_next = jax.random.split(key, 3)[1]
    progress = jnp.minimum(state.games / config.games, jnp.float32(1))
    numbers, solvable, puzzles = _lessons(config, game, (key_lessons, key_next), (state.progress, progress))
    memory = replay.push(state.memory, (numbers, solvable))
    rate = config.learning_rate * jnp.maximum(1 - progress, jnp.float32(0))

    def learn(carry: tuple[MLP, Any], key: Key[Array, ""]) -> tuple[tuple[MLP, Any], Float[Array, ""]]:
        batch = replay.draw(memory, key, config.batch)
        network, optimizer, error = optimise.descend(
            optimise.direction("adam"), lambda network: loss_of(network, *batch), *carry, rate
        )
        return (network, optimizer), error

    carry = (state.network, state.optimizer)
    (network, optimizer), losses = jax.lax.scan(learn, carry, jax.random.split(key_learn, config.updates))
    metrics = {"loss": losses.mean(), "rate": rate, "solvable": solvable.astype(jnp.float32).mean()}
    return State(network, optimizer, memory, key, state.games + puzzles, state.rounds + 1, progress), metrics


def compiled_order(config: Config, game: Rules, network: MLP, name: str) -> Any:
    """Moves by the probability that the puzzle can still be solved after them."""
    from ludus.learners.ordering import by_positions  # loads Numba

    return by_positions(game, network, name, sees_moves=True, likely=True)


LEARNER = Learner(
    name="trees",
    init=unswept(init),
    advance=advance,
    policy=policy,
    span=lambda config: Span(config.rows, "moves"),
    position_value=value,
    compiled_order=compiled_order,
)
