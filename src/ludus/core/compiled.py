"""The rules of a game compiled for one position: what the host uses."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

if TYPE_CHECKING:
    from ludus.core.game import Game


class Compiled(NamedTuple):
    """A game's methods compiled for one state: what the host uses."""

    step: Any
    legal: Any
    done: Any
    returns: Any
    player: Any
    num_legal: Any


@functools.cache
def compiled(game: Game) -> Compiled:
    return Compiled(*(jax.jit(getattr(game, name)) for name in Compiled._fields))


def legal_actions(game: Game, state: Any) -> list[int]:
    """On the host: the legal actions of a position, none once the game is over."""
    if bool(compiled(game).done(state)):
        return []
    return np.flatnonzero(np.asarray(compiled(game).legal(state))).tolist()
