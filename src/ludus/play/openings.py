"""Random openings: without them, two deterministic players would repeat the same two games. Each opening is played
twice, with the seats exchanged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from ludus.core.game import Game, compiled
from ludus.play import selfplay

SPARE = 8  # possible lines for each opening that is drawn, at least: then few are drawn twice
SHARE = 3  # an opening has at most 1/3 of the game's most plies: the rest is left to play


class Opening(NamedTuple):
    """The first moves of B games."""

    actions: Int[Array, "N B"]
    length: Int[Array, "B"]  # of each opening, at most N


def plies_for(game: Game, pairs: int) -> int:
    """The number of plies that makes most of so many openings different, from the number of moves at the start."""
    moves, most = int(compiled(game).num_legal(game.init())), max(1, game.max_plies // SHARE)
    return next((plies for plies in range(1, most) if moves**plies >= SPARE * pairs), most)


def draw(game: Game, key: Key[Array, ""], pairs: Int[Array, "B"], plies: int) -> Opening:
    """The opening of each of these pairs of games. A pair always gets the same one, and no opening ends a game."""

    def one(key: Key[Array, ""]) -> Opening:
        lanes = selfplay.fresh(game, 1)

        def keep(record: selfplay.PlyRecord) -> tuple[Any, Any]:
            return record.action, record.over

        _, (actions, over) = selfplay.stream(game, selfplay.random_policy(game), lanes, key, plies + 1, keep)
        # If a game is over after i plies, its opening is the first i - 1.
        length = jnp.where(over.any(), jnp.argmax(over[:, 0]) - 1, plies)
        return Opening(actions[:plies, 0], jnp.maximum(length, 0).astype(jnp.int32))

    return jax.vmap(one, out_axes=Opening(1, 0))(jax.vmap(jax.random.fold_in, (None, 0))(key, pairs))  # pyright: ignore[reportArgumentType]
