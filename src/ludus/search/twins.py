"""Twins: the rules of a game once more, in Numba, for tree search.

A twin plays one position at a time, in place: no batch, no copies, no allocation. It reads the same geometry as the
rules in JAX and numbers the moves alike. It is a module (a room's part `twin`) with these functions:

    board = from_state(game, state)    a position to work on, one for each thread
    count = moves(board, out)          fills `out` with the legal actions, smallest first: none once the game is over
    undo = make(board, action)         plays a legal action
    unmake(board, undo)                takes it back
    score(board)                       the result for the first seat, if the game were stopped here
    key(board)                         a uint64 that tells positions apart, the mover included, all its bits well mixed
    state = to_state(game, board)
    perft(game, state, depth)          as `ludus.play.perft.perft`, and far faster

`moves`, `make`, `unmake`, `score` and `key` are compiled, for compiled code to call. Nothing is checked there: `out`
must have room for `game.max_legal` actions, and an action must be legal. What `make` gives is a tuple of whole numbers
of one type. A game for two (`SearchTwin`) has two more, compiled too:

    over(board)                        whether `moves` would find none
    count = forcing(board, out)        of a game that is not over, the moves for quiescence search, smallest first:
                                       captures for instance. No line of them may go on for ever. A game without
                                       such moves has `forcing = no_forcing`

And a puzzle for one (`PuzzleTwin`), compiled too; `observe` and `planes` are for networks alone:

    ending(board)                      of a solved puzzle, a whole number from 0 for what is left, whatever led there
    observe(board, out)                writes what the game's `observe` gives, flat
    planes(board)                      how many numbers that is
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int16

from ludus.core.game import Game
from ludus.search.compiled import jit


@runtime_checkable
class Twin(Protocol):
    """What every twin has; the module's docstring says what each function does."""

    from_state: Callable[[Any, Any], Any]
    to_state: Callable[[Any, Any], Any]
    moves: Callable[[Any, Any], int]
    make: Callable[[Any, int], Any]
    unmake: Callable[[Any, Any], None]
    score: Callable[[Any], int]
    key: Callable[[Any], Any]
    perft: Callable[[Any, Any, int], int]


@runtime_checkable
class SearchTwin(Twin, Protocol):
    """A twin for alpha-beta."""

    over: Callable[[Any], bool]
    forcing: Callable[[Any, Any], int]


@runtime_checkable
class PuzzleTwin(Twin, Protocol):
    """A twin for backtracking."""

    ending: Callable[[Any], int]


@jit
def no_forcing(board: Any, out: Int16[np.ndarray, "M"]) -> int:
    """`forcing` of a game without such moves."""
    return 0


def room(game: Game, depth: int) -> Int16[np.ndarray, "depth M"]:
    """Space for the moves of every position on a line so many moves long."""
    return np.empty((depth, game.max_legal), np.int16)


def perft_of(from_state: Callable, moves: Callable, make: Callable, unmake: Callable) -> Callable[[Any, Any, int], int]:
    """A twin's `perft`, made of its other functions."""

    @functools.partial(jit, keep=False)  # it calls itself
    def count_lines(board: Any, depth: int, space: Int16[np.ndarray, "depth M"]) -> int:
        out = space[depth - 1]
        count = moves(board, out)
        if depth == 1:  # the last moves are counted, not played
            return count
        total = 0
        for i in range(count):
            undo = make(board, out[i])
            total += count_lines(board, depth - 1, space)
            unmake(board, undo)
        return total

    def perft(game: Game, state: Any, depth: int) -> int:
        """The number of lines of exactly `depth` legal moves; a finished game has none but the empty one."""
        return count_lines(from_state(game, state), depth, room(game, depth)) if depth else 1

    return perft
