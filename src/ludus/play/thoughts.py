"""What a player thinks of moves: values and probabilities, each in a field of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float

from ludus.core.game import Rules
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.games import part

#: `(weights, state) ->` a number for each action.
ActionRating = Callable[[Any, Any], Float[Array, "A"]]


class Considered(NamedTuple):
    """A player's rating of one move; None for what it does not know."""

    move: str
    value: float | None = None  # the expected result, from -1 to 1, or the score of its evaluation (in `unit`)
    probability: float | None = None  # that its policy plays the move
    words: str = ""  # the value in words, if a number does not say it: a win in so many plies
    line: tuple[str, ...] = ()  # the principal variation, this move first
    visits: int | None = None  # of a tree search
    proved: bool = False  # whether the value is certain


class Thoughts(NamedTuple):
    """A player's ratings of the legal moves, the best first, from the mover's side."""

    moves: tuple[Considered, ...]
    value: float | None = None  # of the position, in the same unit as the moves'
    unit: str = ""  # of the values, in the plural (e.g. pieces); empty: the expected result, from -1 to 1
    depth: int | None = None  # of the search, in plies

    @property
    def proved(self) -> bool:
        """Whether the value of the position is certain: a move wins, or all have a certain value."""
        best = self.moves[0] if self.moves else None
        if best is None or not best.proved or best.value is None:
            return False
        return best.value >= 1 or all(entry.proved for entry in self.moves)


def chance_to_win(game: Rules, value: float | None, unit: str = "") -> float | None:
    """The chance to win, from 0 to 1, that a value stands for, a draw counting as half; None if nobody knows.

    An expected result is a chance already, on another scale. What a lead in some unit is worth, the game's part
    `chance` says, `(lead, unit) ->` a chance or None: it was fitted to the results of games.
    """
    if value is None:
        return None
    if not unit:
        return (1.0 + min(1.0, max(-1.0, value))) / 2
    fitted = part(game, "chance")
    return None if fitted is None else fitted(value, unit)


def best_first(moves: Sequence[Considered], value: float | None = None, unit: str = "") -> Thoughts:
    """Sorted by probability if there is one, because that is what is played; else by value."""

    def rank(entry: Considered) -> float:
        return -(entry.value or 0.0) if entry.probability is None else -entry.probability

    ordered = tuple(sorted(moves, key=rank))
    return Thoughts(ordered, ordered[0].value if value is None and ordered else value, unit)


def rated_moves(name: str, rating: ActionRating, weights: Any, line: Line) -> list[tuple[str, float]]:
    """The legal moves in notation, each with its number; refuses a player, of this name, whose numbers are none."""
    actions = line.legal()
    numbers = np.asarray(_one_position(rating)(weights, line.state), np.float64)[actions]
    if not np.isfinite(numbers).all():
        raise BadInput(f"{name} has values that are not numbers: its training went wrong.")
    return [(line.game.format_move(line.state, a), n) for a, n in zip(actions, numbers.tolist(), strict=True)]


@functools.lru_cache(maxsize=32)
def _one_position(rating: ActionRating) -> ActionRating:
    return jax.jit(rating)
