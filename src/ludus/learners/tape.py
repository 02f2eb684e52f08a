"""The replay buffer of `alphazero`: the last plies of many games side by side, with each position's search result, and
the targets made from them. The value's target is the game's result, once that is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.arrays import below
from ludus.core.game import Rules
from ludus.learners.configs import AlphaZeroConfig as Config
from ludus.play import selfplay


class Tape(NamedTuple):
    """The last T plies of B lanes, the oldest first."""

    state: Any
    player: Int[Array, "T B"]
    over: Bool[Array, "T B"]
    returns: Float[Array, "T B P"]
    likely: Int[Array, "T B K"]  # the moves with the largest weights in the search
    weights: Float[Array, "T B K"]  # their weights, in 16 bits
    searched: Bool[Array, "T B"]  # the search chose the move; it is not a random one


def moves_kept(config: Config, game: Rules) -> int:
    """How many moves of each position are stored."""
    return min(config.kept or game.num_actions, game.num_actions)


def length_of(config: Config, game: Rules) -> int:
    """Plies of the tape, in whole rounds: as the config says, or those of the longest possible game."""
    return -(-(config.tape or game.max_plies + 1) // config.plies) * config.plies


def blank(config: Config, game: Rules, lanes: selfplay.Lanes) -> Tape:
    """An empty tape: all games over, so there is nothing to learn."""
    shape, kept = (length_of(config, game), config.lanes), moves_kept(config, game)
    return Tape(
        jax.tree.map(lambda leaf: jnp.zeros((*shape, *leaf.shape[1:]), leaf.dtype), lanes.state),
        jnp.zeros(shape, jnp.int8),
        jnp.ones(shape, bool),
        jnp.zeros((*shape, game.num_players), jnp.float32),
        jnp.zeros((*shape, kept), jnp.int16),
        jnp.zeros((*shape, kept), jnp.float16),
        jnp.zeros(shape, bool),
    )


class Lesson(NamedTuple):
    """The targets of each position of the tape."""

    result: Float[Array, "T B"]  # of its game, to the mover
    known: Bool[Array, "T B"]  # whether the game has ended, with no random move between here and there
    live: Bool[Array, "T B"]  # whether the position has a move


def lessons(tape: Tape) -> Lesson:
    """Hand each game's result back to all its plies, from the end of the tape to its beginning."""

    def back(following: Any, row: tuple) -> Any:
        returns, known = following
        over, ended, searched, player = row
        returns = jnp.where(over[:, None], ended, returns)
        known = over | (known & searched)
        result = jnp.take_along_axis(returns, player[:, None].astype(jnp.int32), axis=1)[:, 0]
        return (returns, known), (result, known)

    none = jnp.zeros_like(tape.returns[0]), jnp.zeros_like(tape.over[0])
    _, (result, known) = jax.lax.scan(back, none, (tape.over, tape.returns, tape.searched, tape.player), reverse=True)
    return Lesson(result, known, ~tape.over)


class Sample(NamedTuple):
    """One position to learn from."""

    state: Any
    wanted: Float[Array, "A"]  # the policy's target
    result: Float[Array, ""]
    known: Bool[Array, ""]
    live: Bool[Array, ""]


def image(game: Rules, key: Key[Array, ""], sample: Sample) -> Sample:
    """The sample in a random symmetry of the board."""
    images, becomes = game.symmetries(sample.state)
    which = jax.random.randint(key, (), 0, len(becomes))
    state = jax.tree.map(lambda leaf: leaf[which], images)
    wanted = jnp.zeros_like(sample.wanted).at[becomes[which]].set(sample.wanted)
    return sample._replace(state=state, wanted=wanted)


def draw(
    config: Config, game: Rules, tape: Tape, lesson: Lesson, filled: Int[Array, ""], key: Key[Array, ""]
) -> Sample:
    """A batch of random positions of the tape, each in a random symmetry."""
    key_ply, key_lane, key_image = jax.random.split(key, 3)
    last = tape.over.shape[0] - 1
    ply = last - below(jax.random.bits(key_ply, (config.batch,)), jnp.full(config.batch, filled))
    lane = jax.random.randint(key_lane, (config.batch,), 0, config.lanes)
    picked, told = jax.tree.map(lambda leaf: leaf[ply, lane], (tape, lesson))
    wanted = jax.vmap(lambda k, w: jnp.zeros(game.num_actions).at[k].set(w))(
        picked.likely.astype(jnp.int32), picked.weights.astype(jnp.float32)
    )
    keys = jax.random.split(key_image, config.batch)
    return jax.vmap(lambda key, sample: image(game, key, sample))(keys, Sample(picked.state, wanted, *told))
