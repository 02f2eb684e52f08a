"""Evaluation: the score of a leaf of the search.

A room's part `evaluation` is a dict of these by name, the default first. A game without this part is searched by its
result alone: the score if the game stopped at the leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Array, Float

from ludus import games
from ludus.core.game import Game, Rules
from ludus.errors import BadInput, shorten


@dataclass(frozen=True)
class Evaluation:
    """A score for every position, for the mover, as compiled code for a twin's board."""

    name: str
    compiled: Callable | None  # (board, parameters) -> int64, made by `search.compiled.jit`; None: the result
    parameters: Any = ()  # a NamedTuple of NumPy arrays that it reads, or an empty tuple
    unit: int = 100  # the score of one unit (one piece, for example); scores are shown in units
    #: `(game, state) ->` the same score in JAX, of one state.
    on_device: Callable[[Any, Any], Float[Array, ""]] | None = None
    counted: str = ""  # the plural of a unit, for people
    minimax: bool = False  # whether the game's `minimax` players use this one instead of the first


@dataclass(frozen=True)
class Oracle:
    """An evaluation in Python (of a trained agent): called one ply before the leaves, for all moves at once."""

    name: str
    rate: Callable[[Any], Float[np.ndarray, "A"]]  # of one state: a value for every action, for the mover
    unit: int = 1000  # the integer score that stands for the value 1
    counted: str = ""  # no unit: the value 1 is a won game


RESULT = Evaluation("result", None, unit=1)


def evaluations(game: Game) -> dict[str, Evaluation]:
    """The evaluations that a game has, the default first."""
    return games.part(game, "evaluation") or {RESULT.name: RESULT}


def evaluation(game: Game, name: str | None = None) -> Evaluation:
    """An evaluation of the game by its name, or the first."""
    known = evaluations(game)
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise BadInput(f"{game.name} has no evaluation '{shorten(name)}'; there are {', '.join(known)}.")
    return known[name]


def minimax_evaluation(game: Rules) -> Evaluation | None:
    """The evaluation that the game sets for its `minimax` players, if any."""
    return next((found for found in (games.part(game, "evaluation") or {}).values() if found.minimax), None)
