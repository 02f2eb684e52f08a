"""Random openings: two players without chance would play the same two games over and over, so a few plies are made for
them. Each opening is played twice, with the seats exchanged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from ludus.core.game import Game, compiled
from ludus.play import selfplay

SPARE = 8  # lines of play that there should be for each opening that is wanted: then few are drawn twice
SHARE = 3  # of a game's longest line, openings are at most the third part: else little is left to play


class Opening(NamedTuple):
    """The first moves of B games."""

    actions: Int[Array, "N B"]
    length: Int[Array, "B"]  # how many of them are made


def plies_for(game: Game, pairs: int) -> int:
    """How many plies make so many openings differ, by the number of moves at the start."""
    moves, most = int(compiled(game).num_legal(game.init())), max(1, game.max_plies // SHARE)
    return next((plies for plies in range(1, most) if moves**plies >= SPARE * pairs), most)


def draw(game: Game, key: Key[Array, ""], pairs: Int[Array, "B"], plies: int) -> Opening:
    """The opening of each of these pairs of games: the same whenever a pair is asked for, and never a game's end."""

    def one(key: Key[Array, ""]) -> Opening:
        lanes = selfplay.fresh(game, 1)

        def keep(record: selfplay.PlyRecord) -> tuple[Any, Any]:
            return record.action, record.over

        _, (actions, over) = selfplay.stream(game, selfplay.random_policy(game), lanes, key, plies + 1, keep)
        # Where a game is over after i plies, i - 1 of them leave a move to make.
        length = jnp.where(over.any(), jnp.argmax(over[:, 0]) - 1, plies)
        return Opening(actions[:plies, 0], jnp.maximum(length, 0).astype(jnp.int32))

    return jax.vmap(one, out_axes=Opening(1, 0))(jax.vmap(jax.random.fold_in, (None, 0))(key, pairs))  # pyright: ignore[reportArgumentType]
