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


class SeatMemory(NamedTuple):
    """What a player remembers of its moves so far."""

    inputs: Float[Array, "In"]  # the position it last moved into
    moved: Bool[Array, ""]  # whether there is one
    gained: Float[Array, ""]  # since it was there
    trace: Network


class Learning(NamedTuple):
    """The network, and what its next updates need."""

    network: Network
    memories: SeatMemory  # every leaf [P, ...]
    lead: Float[Array, "P"]  # each seat's gains in all, less the gains against it
    differences: Int[Array, ""]
    error: Float[Array, ""]  # the sum of their sizes
    values: Float[Array, ""]  # the sum of J, over all positions but the last


class GameUnderWay(NamedTuple):
    lanes: selfplay.Lanes  # one
    learning: Learning
    mover: Int[Array, ""]  # who has just moved; -1 at the start
    key: Key[Array, ""]
    over: Bool[Array, ""]
    returns: Float[Array, "P"]


def begin(game: Rules, network: Network, key: Key[Array, ""]) -> GameUnderWay:
    """The start of a game: no moves to remember."""
    players, dtype = game.num_players, network.hidden.dtype
    memories = SeatMemory(
        inputs=jnp.zeros((players, len(network.hidden)), dtype),
        moved=jnp.zeros(players, bool),
        gained=jnp.zeros(players, dtype),
        trace=jax.tree.map(lambda leaf: jnp.zeros((players, *leaf.shape), dtype), network),
    )
    zero = jnp.zeros((), dtype)
    learning = Learning(network, memories, jnp.zeros(players, dtype), jnp.int32(0), zero, zero)
    returns = jnp.zeros(players, jnp.float32)
    return GameUnderWay(selfplay.fresh(game, 1), learning, jnp.int32(-1), key, jnp.array(False), returns)


def ply(config: Config, game: Rules, rates: GameRates, now: GameUnderWay) -> GameUnderWay:
    """Learn from the last move, then make the next one; or notice that the last one ended the game."""
    key, key_move = jax.random.split(now.key)
    learning = _arrive(config, game, rates, now)
    move = valuation.training_policy(config, game, learning.network, rates.seating)
    lanes, record = selfplay.advance(game, move, now.lanes, key_move)
    over, mover = record.over[0], record.player[0]
    learning = _gain(game, learning, mover, _one(record.state), _one(lanes.state))
    # No position follows the last move of a game: what it gained is learned with the result (`finish`).
    return GameUnderWay(lanes, select(over, now.learning, learning), mover, key, over, record.returns[0])


def _one(states: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[0], states)


def _arrive(config: Config, game: Rules, rates: GameRates, now: GameUnderWay) -> Learning:
    """The last mover learns from the position it moved into, and remembers it."""
    own = jnp.arange(game.num_players) == now.mover
    inputs = inputs_of(config, game, _one(now.lanes.state)).astype(now.learning.memories.inputs.dtype)
    there = value(config, now.learning.network, inputs)
    learning = _settle(config, rates, now.learning, own, rates.gamma * there)
    memories = learning.memories._replace(
        inputs=jnp.where(own[:, None], inputs[None], learning.memories.inputs),
        moved=learning.memories.moved | own,
        gained=jnp.where(own, 0, learning.memories.gained),
    )
    return learning._replace(memories=memories, values=learning.values + jnp.where(own.any(), there, 0))


def _gain(game: Rules, learning: Learning, mover: Int[Array, ""], before: Any, after: Any) -> Learning:
    """Add a move's reward for its mover, and against all others."""
    rewards = part(game, "rewards")
    if rewards is None:
        return learning
    gain = rewards(game, before, after).astype(learning.lead.dtype)
    gains = jnp.where(jnp.arange(game.num_players) == mover, gain, -gain)
    memories = learning.memories._replace(gained=learning.memories.gained + gains)
    return learning._replace(lead=learning.lead + gains, memories=memories)


def finish(config: Config, game: Rules, rates: GameRates, now: GameUnderWay) -> Learning:
    """Each player learns from the result."""
    learning, returns = now.learning, now.returns.astype(now.learning.lead.dtype)
    for seat in range(game.num_players):
        learning = _settle(config, rates, learning, jnp.arange(game.num_players) == seat, returns[seat])
    return learning


def _settle(
    config: Config, rates: GameRates, learning: Learning, own: Bool[Array, "P"], following: Float[Array, ""]
) -> Learning:
    """One seat (or none) learns from its gains since its last move and from what follows. Nothing changes if the seat
    is not the learner's, or has not moved yet.
    """
    own = own & rates.seating.learns(jnp.arange(len(own))) & learning.memories.moved
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
        lambda now: ~now.over, lambda now: ply(config, game, rates, now), begin(game, network, key)
    )
