"""Deep Q-learning with replay of whole games, as in "A Deep Q-Learning Agent for the L-Game with Variable Batch
Training" (Giannakopoulos and Cotronis): one network plays both sides; the latest games are kept; after each game N of
them are recalled, and all their moves together are one step's batch.

Q(s, a) is the worth of a move to its mover: the result if it ends the game, else by `backup`
- "negamax": -gamma max Q(s', .) of the position s' that the other side then faces;
- "own-turn": gamma max Q(s'', .) of the position s'' that the mover faces next, the reply taken as it was played.
Illegal moves are masked. What a figure sweeps is an array (`Sweep`), so that one program trains a whole grid.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.learners import replay
from ludus.play import selfplay
from ludus.errors import BadInput
from ludus.core.game import Rules
from ludus.networks import MLP, Inputs, encode, input_size

MASKED = -1e9


@dataclass(frozen=True)
class Config:
    """What a run is made of; saved with it. The defaults are the paper's where it gives them."""

    hidden: tuple[int, ...] = (512, 512)
    inputs: Inputs = "raw"
    head: Literal["groups", "full"] = "groups"  # an output for each group of actions, or for each action
    backup: Literal["negamax", "own-turn"] = "negamax"
    memory: int = 10_000  # latest games
    recall: int = 10  # games in a step's batch; 0 is the game just played, and no memory
    batch: Literal["games", "transitions"] = "games"
    transitions: int = 32  # in a step's batch, where it is not made of games
    optimizer: Literal["nesterov", "rmsprop", "adadelta"] = "nesterov"
    momentum: float = 0.9
    learning_rate: float = 0.1
    final_rate: float = 0.1  # of the learning rate, at the end of training
    gamma: float = 0.9
    epsilon: float = 0.05
    final_epsilon: float = 0.01
    games: int = 100_000  # over which rates are annealed
    lanes: int = 16  # games played side by side, with the same weights; then as many steps

    def __post_init__(self) -> None:
        if self.backup == "own-turn" and self.batch == "transitions":
            raise BadInput("the backup 'own-turn' learns from whole games; give batch 'games', or backup 'negamax'.")


class Sweep(NamedTuple):
    """What may differ between runs of one program."""

    learning_rate: Float[Array, ""]
    gamma: Float[Array, ""]
    epsilon: Float[Array, ""]
    final_epsilon: Float[Array, ""]


class State(NamedTuple):
    network: MLP
    optimizer: Any
    memory: replay.Ring  # rows: (states, actions, live), time first
    key: Key[Array, ""]
    sweep: Sweep
    games: Int[Array, ""]
    rounds: Int[Array, ""]


class Episode(NamedTuple):
    """One game: T + 1 positions, the move made in each that was live."""

    state: Any
    action: Int[Array, "T+1"]
    live: Bool[Array, "T+1"]


def init(config: Config, game: Rules, key: Key[Array, ""], sweep: Sweep | None = None) -> State:
    key_network, key_play = jax.random.split(key)
    shape = jax.eval_shape(game.observe, game.init()).shape
    outputs = game.action_groups()[0] if config.head == "groups" else game.num_actions
    network = MLP((input_size(shape, config.inputs), *config.hidden, outputs), key_network)
    row = jax.eval_shape(lambda: jax.tree.map(lambda leaf: leaf[:, 0], _episodes(game, key_play, 1)))
    if sweep is None:
        sweep = Sweep(*(jnp.float32(getattr(config, name)) for name in Sweep._fields))
    optimizer = _direction(config).init(network)  # pyright: ignore[reportArgumentType]
    memory = replay.empty(row, max(config.memory, config.lanes))
    return State(network, optimizer, memory, key_play, sweep, jnp.int32(0), jnp.int32(0))


def weights(state: State) -> MLP:
    return state.network


def _episodes(game: Rules, key: Key[Array, ""], count: int, policy: selfplay.Policy | None = None) -> Episode:
    played = selfplay.play(game, policy or selfplay.random_policy(game), key, count)
    return Episode(played.state, played.action, played.live)


def _direction(config: Config) -> optax.GradientTransformation:
    """The optimiser but for its learning rate, which is annealed and may be swept."""
    if config.optimizer == "nesterov":
        return optax.trace(config.momentum, nesterov=True)
    return optax.scale_by_rms() if config.optimizer == "rmsprop" else optax.scale_by_adadelta()


def action_values(config: Config, game: Rules, network: MLP, state: Any) -> Float[Array, "A"]:
    """Q of every action of one position, legal or not."""
    outputs = network(encode(game.observe(state), config.inputs))
    return in_place(game, state, outputs[game.action_groups()[1]] if config.head == "groups" else outputs)


def in_place(game: Rules, state: Any, outputs: Float[Array, "A"]) -> Float[Array, "A"]:
    """A network sees the board as the mover does, and its outputs are the moves of that board: here as actions."""
    if type(game).canonical_action is Rules.canonical_action:
        return outputs
    actions = jnp.arange(game.num_actions, dtype=jnp.int32)
    return outputs[jax.vmap(game.canonical_action, (None, 0))(state, actions)]


@functools.partial(jax.jit, static_argnums=(0, 1))
def batch_values(config: Config, game: Rules, network: MLP, states: Any) -> Float[Array, "B A"]:
    """Q of every action in a batch of positions, compiled."""
    return jax.vmap(lambda state: action_values(config, game, network, state))(states)


def best_moves(q: Float[Array, "A"], legal: Bool[Array, "A"]) -> Bool[Array, "A"]:
    """The legal moves of the highest value; all of them alike where a network has diverged to no number at all."""
    q = jnp.where(legal & ~jnp.isnan(q), q, -jnp.inf)
    return legal & (q == q.max())


def policy(config: Config, game: Rules, network: MLP, epsilon: Float[Array, ""] | float) -> selfplay.Policy:
    """A legal action of the highest Q (any of them where several share an output), or any with probability epsilon."""

    return greedy(game, lambda state: action_values(config, game, network, state), epsilon)


def greedy(
    game: Rules, values: Callable[[Any], Float[Array, "A"]], epsilon: Float[Array, "..."] | float
) -> selfplay.Policy:
    """Any action of the highest of these values, or with probability epsilon (one for all, or one for each) any."""

    def choose(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        legal = jax.vmap(game.legal)(states)
        return choose_among(key, jax.vmap(best_moves)(jax.vmap(values)(states), legal), legal, epsilon)

    return choose


def choose_among(
    key: Key[Array, ""], best: Bool[Array, "B A"], legal: Bool[Array, "B A"], epsilon: Float[Array, "..."] | float
) -> Int[Array, "B"]:
    """Any of the best moves alike, or with probability epsilon (one for all, or one for each) any legal one."""
    key_explore, key_move = jax.random.split(key)
    explore = jax.random.uniform(key_explore, (len(legal),)) < epsilon
    total = jnp.cumsum(legal & (best | explore[:, None]), axis=1, dtype=jnp.int32)
    nth = selfplay.below(jax.random.bits(key_move, (len(legal),)), total[:, -1])
    return (total == nth[:, None] + 1).argmax(axis=1).astype(jnp.int32)


def targets(
    config: Config,
    gamma: Float[Array, ""],
    best: Float[Array, "P"],
    result: Float[Array, "P"],
    over: Bool[Array, "P"],
    negate: bool,
) -> Float[Array, "P-1"]:
    """What Q should be at each move of one game: `best` is the largest legal Q of each position, `result` the
    mover's result where the game is `over`, and moves alternate where `negate`.
    """
    sign = -1.0 if negate else 1.0
    worth = jnp.where(over, result, gamma * best)  # of a position, to its mover
    if config.backup == "negamax" or not negate:
        return sign * worth[1:]
    # Own turn: the mover's next position is two on. A game that ends at once, or at the reply, gives its result.
    later = jnp.append(worth[2:], jnp.float32(0))
    at_reply = jnp.append(over[2:], False)
    replied = jnp.where(at_reply, jnp.append(result[2:], jnp.float32(0)), later)
    return jnp.where(over[1:], -result[1:], replied)


def errors(config: Config, game: Rules, network: MLP, gamma: Float[Array, ""], episode: Episode) -> Float[Array, "T"]:
    """The squared error of each move of one game; zero after its end. The targets are held fixed."""
    q = jax.vmap(lambda state: action_values(config, game, network, state))(episode.state)
    legal, over = jax.vmap(game.legal)(episode.state), jax.vmap(game.done)(episode.state)
    best = jnp.where(legal, q, MASKED).max(axis=1)
    result = jax.vmap(lambda state: game.returns(state)[game.player(state)])(episode.state)
    target = jax.lax.stop_gradient(targets(config, gamma, best, result, over, game.num_players > 1))
    made = jnp.take_along_axis(q[:-1], episode.action[:-1, None], axis=1)[:, 0]
    return jnp.where(episode.live[:-1], (made - target) ** 2, jnp.float32(0))


def update(
    config: Config, game: Rules, carry: tuple[MLP, Any], rate: Float[Array, ""], gamma: Float[Array, ""], batch: Episode
) -> tuple[tuple[MLP, Any], Float[Array, ""]]:
    """One step on a batch of games (every leaf [N, T + 1, ...]), or of positions cut from them."""
    network, optimizer = carry

    def loss(network: MLP) -> Float[Array, ""]:
        squares = jax.vmap(lambda episode: errors(config, game, network, gamma, episode))(batch)
        return squares.sum() / jnp.maximum(batch.live[:, :-1].sum(dtype=jnp.float32), 1)

    error, gradient = jax.value_and_grad(loss)(network)
    direction, optimizer = _direction(config).update(gradient, optimizer, network)  # pyright: ignore[reportArgumentType]
    network = jax.tree.map(lambda weight, step: weight - rate * step, network, direction)
    return (network, optimizer), error


def _batch(config: Config, memory: replay.Ring, just_played: Episode, key: Key[Array, ""]) -> Episode:
    """What one step learns from."""
    if config.batch == "transitions":
        # Every move in the memory is as likely as any other, so longer games are drawn from more often.
        ends = jnp.cumsum(memory.rows.live.sum(axis=1, dtype=jnp.int32))
        nth = jax.random.randint(key, (config.transitions,), 0, jnp.maximum(ends[-1], 1))
        which = jnp.searchsorted(ends, nth, side="right")
        place = nth - jnp.where(which > 0, ends[which - 1], 0)
        games: Episode = jax.tree.map(lambda leaf: leaf[which], memory.rows)
        span = place[:, None] + np.arange(3)[None]  # a move, the reply, and where that leads

        def cut(leaf: Array) -> Array:
            return jax.vmap(lambda row, places: row[jnp.minimum(places, len(row) - 1)])(leaf, span)

        short = jax.tree.map(cut, games)
        return short._replace(live=short.live & np.array([[True, False, False]]))
    if config.recall == 0:
        return jax.tree.map(lambda leaf: leaf[None], just_played)
    return replay.draw(memory, key, config.recall)


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: `lanes` games played, remembered, and as many steps of learning."""
    key, key_play, key_learn = jax.random.split(state.key, 3)
    done = jnp.minimum(state.games / config.games, jnp.float32(1))
    sweep = state.sweep
    epsilon = sweep.epsilon + (sweep.final_epsilon - sweep.epsilon) * done
    rate = sweep.learning_rate * (1 + (config.final_rate - 1) * done)
    played = _episodes(game, key_play, config.lanes, policy(config, game, state.network, epsilon))
    episodes: Episode = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 1), played)
    memory = replay.push(state.memory, episodes)

    def learn(carry: tuple[MLP, Any], given: Any) -> tuple[tuple[MLP, Any], Float[Array, ""]]:
        key, just_played = given
        return update(config, game, carry, rate, sweep.gamma, _batch(config, memory, just_played, key))

    keys = jax.random.split(key_learn, config.lanes)
    (network, optimizer), losses = jax.lax.scan(learn, (state.network, state.optimizer), (keys, episodes))
    metrics = {"loss": losses.mean(), "plies": episodes.live.sum(axis=1).mean(), "epsilon": epsilon, "rate": rate}
    return State(network, optimizer, memory, key, sweep, state.games + config.lanes, state.rounds + 1), metrics
