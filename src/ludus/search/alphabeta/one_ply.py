"""One-ply search with an evaluation, on the device, for thousands of games at once."""

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

Rate = Callable[[Game, Any], Float[Array, ""]]  # the score of a position, for the mover


def rate_of(evaluation: Evaluation) -> Rate | None:
    """The evaluation as a function for the device, if it has one."""
    return _result if evaluation.compiled is None else evaluation.on_device


def _result(game: Game, state: Any) -> Float[Array, ""]:
    """The mover's result, if the game stopped here."""
    return game.returns(state)[game.player(state)]


def best_moves(game: Game, rate: Rate, state: Any) -> tuple[Int[Array, "M"], Bool[Array, "M"]]:
    """The legal moves of one position, padded, and which are the best. The end of a game counts more than any
    evaluation.
    """

    def worth(reached: Any) -> Float[Array, ""]:
        value = jnp.where(game.done(reached), MATE * _result(game, reached), rate(game, reached).astype(jnp.float32))
        return -value  # two players who alternate

    moves = each_move(game, state, worth)
    values = jnp.where(moves.valid, moves.said, -jnp.inf)
    return moves.actions, moves.valid & (values == values.max())


@functools.lru_cache(maxsize=16)
def policy(game: Game, rate: Rate) -> selfplay.Policy:
    """The policy that plays each best move with equal probability."""

    def move(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        actions, best = jax.vmap(lambda state: best_moves(game, rate, state))(states)
        place = choose(key, best, best, 0.0)
        return jnp.take_along_axis(actions, place[:, None], axis=1)[:, 0]

    return move


@functools.lru_cache(maxsize=16)
def choices(game: Game, rate: Rate) -> Callable[[Any, Any], Float[Array, "A"]]:
    """The probability of each action in this policy; the argument for weights is ignored."""

    def choose(_: Any, state: Any) -> Float[Array, "A"]:
        actions, best = best_moves(game, rate, state)
        share = jnp.zeros(game.num_actions, jnp.float32).at[actions].max(best.astype(jnp.float32))
        return share / jnp.maximum(share.sum(), 1)

    return choose
