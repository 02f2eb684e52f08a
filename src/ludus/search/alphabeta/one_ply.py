"""Players that look one ply ahead by an evaluation, on the device: so they can sit in thousands of games at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.game import Game, each_move
from ludus.play import selfplay
from ludus.play.policies import choose
from ludus.search.alphabeta.evaluation import Evaluation
from ludus.search.alphabeta.nodes import MATE

Rate = Callable[[Game, Any], Float[Array, ""]]  # a position in the mover's favour


def rate_of(evaluation: Evaluation) -> Rate | None:
    """An evaluation on the device, if it is at home there."""
    return _result if evaluation.compiled is None else evaluation.on_device


def _result(game: Game, state: Any) -> Float[Array, ""]:
    """If the game were stopped here."""
    return game.returns(state)[game.player(state)]


def best_moves(game: Game, rate: Rate, state: Any) -> tuple[Int[Array, "M"], Bool[Array, "M"]]:
    """The legal moves of one position, padded, and which of them leave the other side worst off; an end is worth more
    than any evaluation.
    """

    def worth(reached: Any) -> Float[Array, ""]:
        value = jnp.where(game.done(reached), MATE * _result(game, reached), rate(game, reached).astype(jnp.float32))
        return -value  # for two players, who move by turns

    moves = each_move(game, state, worth)
    values = jnp.where(moves.valid, moves.said, -jnp.inf)
    return moves.actions, moves.valid & (values == values.max())


@functools.lru_cache(maxsize=16)
def policy(game: Game, rate: Rate) -> selfplay.Policy:
    """Any of the best moves alike."""

    def move(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        actions, best = jax.vmap(lambda state: best_moves(game, rate, state))(states)
        place = choose(key, best, best, 0.0)
        return jnp.take_along_axis(actions, place[:, None], axis=1)[:, 0]

    return move


@functools.lru_cache(maxsize=16)
def choices(game: Game, rate: Rate) -> Callable[[Any, Any], Float[Array, "A"]]:
    """How likely each action of one position is; there are no weights to go by."""

    def choose(_: Any, state: Any) -> Float[Array, "A"]:
        actions, best = best_moves(game, rate, state)
        share = jnp.zeros(game.num_actions, jnp.float32).at[actions].max(best.astype(jnp.float32))
        return share / jnp.maximum(share.sum(), 1)

    return choose
