"""One game of temporal-difference learning with eligibility traces, as Abalearn learns (`td` has the equations)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from ludus.core.arrays import select
from ludus.core.game import Rules
from ludus.games import part
from ludus.learners import valuation
from ludus.learners.configs import TdConfig as Config
from ludus.learners.valuation import Network, Seating, inputs_of, value
from ludus.play import selfplay


def chi(difference: Float[Array, ""], kappa: Float[Array, ""] | float) -> Float[Array, ""]:
    """A temporal difference, weighted by the learner's sensitivity to risk."""
    return jnp.where(difference > 0, 1 - kappa, 1 + kappa) * difference


class StepSize(NamedTuple):
    """How far the weights move."""

    alpha: Float[Array, ""]
    trace: Float[Array, ""]  # lambda
    kappa: Float[Array, ""]


def learn(
    step: StepSize,
    worth: Callable[[Any], Float[Array, ""]],
    weights: PyTree,
    trace: PyTree,
    target: Float[Array, ""],
) -> tuple[PyTree, PyTree, Float[Array, ""]]:
    """One TD(lambda) update. `worth` gives the last position's value under some weights; it moves towards the target,
    and the trace moves the values of earlier positions. Returns the new weights, the new trace and the difference.
    """
    before, gradient = jax.value_and_grad(worth)(weights)
    difference = target - before
    trace = jax.tree.map(lambda e, g: step.trace * e + g, trace, gradient)
    far = step.alpha * chi(difference, step.kappa)
    return jax.tree.map(lambda w, e: w + far * e, weights, trace), trace, difference


class GameRates(NamedTuple):
    """What stays the same throughout a game."""

    step: StepSize
    gamma: Float[Array, ""]
    seating: Seating


class TrailMemory(NamedTuple):
    """What is remembered of a trail, a sequence of afterstates. In the view "mover" each seat has its own, of its own
    moves; in the view "first" there is one, of all moves, and all gains are the first player's.
    """

    inputs: Float[Array, "In"]  # its latest position
    moved: Bool[Array, ""]  # whether there is one
    gained: Float[Array, ""]  # since then
    trace: Network


def trails(config: Config, game: Rules) -> int:
    return 1 if config.view == "first" else game.num_players


def _trail_of(config: Config, game: Rules, mover: Int[Array, ""]) -> Bool[Array, "T"]:
    """To which trail a mover's afterstates belong; before the first move to none."""
    return (mover >= 0)[None] if config.view == "first" else jnp.arange(game.num_players) == mover


def _learned(config: Config, game: Rules, seating: Seating) -> Bool[Array, "T"]:
    """Which trails are learned from: the learner's seats; with one trail it, whoever plays."""
    return jnp.ones(1, bool) if config.view == "first" else seating.learns(jnp.arange(game.num_players))


class Learning(NamedTuple):
    """The network, and what its next updates need."""

    network: Network
    memories: TrailMemory  # every leaf [T, ...]
    lead: Float[Array, "P"]  # each seat's gains in all, less the gains against it
    differences: Int[Array, ""]
    error: Float[Array, ""]  # the sum of their sizes
    values: Float[Array, ""]  # the sum of J, over all positions but the last


class GameUnderWay(NamedTuple):
    lanes: selfplay.Lanes  # one
    learning: Learning
    mover: Int[Array, ""]  # who has just moved; -1 at the start
    choices: Int[Array, ""]  # legal moves, in all positions that a move was made in
    key: Key[Array, ""]
    over: Bool[Array, ""]
    returns: Float[Array, "P"]


def begin(config: Config, game: Rules, network: Network, key: Key[Array, ""]) -> GameUnderWay:
    """The start of a game: no moves to remember."""
    players, count, dtype = game.num_players, trails(config, game), network.hidden.dtype
    memories = TrailMemory(
        inputs=jnp.zeros((count, len(network.hidden)), dtype),
        moved=jnp.zeros(count, bool),
        gained=jnp.zeros(count, dtype),
        trace=jax.tree.map(lambda leaf: jnp.zeros((count, *leaf.shape), dtype), network),
    )
    zero = jnp.zeros((), dtype)
    learning = Learning(network, memories, jnp.zeros(players, dtype), jnp.int32(0), zero, zero)
    lanes, returns = selfplay.fresh(game, 1, ties=config.repetition == "ends"), jnp.zeros(players, jnp.float32)
    return GameUnderWay(lanes, learning, jnp.int32(-1), jnp.int32(0), key, jnp.array(False), returns)


def ply(config: Config, game: Rules, rates: GameRates, now: GameUnderWay) -> GameUnderWay:
    """Learn from the last move, then make the next one; or notice that the last one ended the game."""
    key, key_move = jax.random.split(now.key)
    learning = _arrive(config, game, rates, now)
    move = valuation.training_policy(config, game, learning.network, rates.seating)
    lanes, record = selfplay.advance(game, move, now.lanes, key_move)
    over, mover, before = record.over[0], record.player[0], _one(record.state)
    learning = _gain(config, game, learning, mover, before, _one(lanes.state))
    choices = now.choices + jnp.where(over, 0, game.num_legal(before))
    # No position follows the last move of a game: what it gained is learned with the result (`finish`).
    return GameUnderWay(lanes, select(over, now.learning, learning), mover, choices, key, over, record.returns[0])


def _one(states: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[0], states)


def _arrive(config: Config, game: Rules, rates: GameRates, now: GameUnderWay) -> Learning:
    """The last mover's trail learns from the position that it moved into, and remembers it."""
    own = _trail_of(config, game, now.mover)
    inputs = inputs_of(config, game, _one(now.lanes.state)).astype(now.learning.memories.inputs.dtype)
    there = value(config, now.learning.network, inputs)
    learning = _settle(config, game, rates, now.learning, own, rates.gamma * there)
    memories = learning.memories._replace(
        inputs=jnp.where(own[:, None], inputs[None], learning.memories.inputs),
        moved=learning.memories.moved | own,
        gained=jnp.where(own, 0, learning.memories.gained),
    )
    return learning._replace(memories=memories, values=learning.values + jnp.where(own.any(), there, 0))


def _gain(config: Config, game: Rules, learning: Learning, mover: Int[Array, ""], before: Any, after: Any) -> Learning:
    """Add a move's reward for its mover, and against all others."""
    rewards = part(game, "rewards")
    if rewards is None:
        return learning
    gain = rewards(game, before, after).astype(learning.lead.dtype)
    gains = jnp.where(jnp.arange(game.num_players) == mover, gain, -gain)
    memories = learning.memories._replace(gained=learning.memories.gained + gains[: trails(config, game)])
    return learning._replace(lead=learning.lead + gains, memories=memories)


def finish(config: Config, game: Rules, rates: GameRates, now: GameUnderWay) -> Learning:
    """Each trail learns from the result: in the view "first", the first player's."""
    learning, returns = now.learning, now.returns.astype(now.learning.lead.dtype)
    count = trails(config, game)
    for seat in range(count):
        learning = _settle(config, game, rates, learning, jnp.arange(count) == seat, returns[seat])
    return learning


def _settle(
    config: Config,
    game: Rules,
    rates: GameRates,
    learning: Learning,
    own: Bool[Array, "T"],
    following: Float[Array, ""],
) -> Learning:
    """One trail (or none) learns from its gains since its latest position and from what follows. Nothing changes if the
    trail is not the learner's, or has no position yet.
    """
    own = own & _learned(config, game, rates.seating) & learning.memories.moved
    learned, memories = own.any(), learning.memories
    memory = jax.tree.map(lambda leaf: leaf[jnp.argmax(own)], memories)
    network, trace, difference = learn(
        rates.step,
        lambda network: value(config, network, memory.inputs),
        learning.network,
        memory.trace,
        memory.gained + following,
    )
    network = select(learned, network, learning.network)
    traces = jax.tree.map(
        lambda new, old: jnp.where(own.reshape(-1, *[1] * new.ndim), new[None], old), trace, memories.trace
    )
    return learning._replace(
        network=network,
        memories=memories._replace(trace=traces),
        differences=learning.differences + learned.astype(jnp.int32),
        error=learning.error + jnp.where(learned, jnp.abs(difference), 0),
    )


def play_through(config: Config, game: Rules, rates: GameRates, network: Network, key: Key[Array, ""]) -> GameUnderWay:
    """A whole game, up to its end; what is learned from the result is left to `finish`."""
    return jax.lax.while_loop(
        lambda now: ~now.over, lambda now: ply(config, game, rates, now), begin(config, game, network, key)
    )
