"""Twins: the rules of a game once more, in Numba, for tree search.

A twin plays one position at a time, in place: no batch, no copies, no allocation. It uses the same geometry and the
same action numbers as the rules in JAX. It is a module (a room's part `twin`) with these functions:

    board = from_state(game, state)    a mutable position, one for each thread
    count = moves(board, out)          fills `out` with the legal actions, smallest first; 0 once the game is over
    undo = make(board, action)         plays a legal action
    unmake(board, undo)                takes it back
    score(board)                       the result for the first seat, if the game stopped here
    key(board)                         a 64-bit hash of the position and the mover, with all bits well mixed
    state = to_state(game, board)
    perft(game, state, depth)          as `ludus.play.perft.perft`, and much faster

`moves`, `make`, `unmake`, `score` and `key` are compiled, and called by compiled code. They check nothing: `out` must
have room for `game.max_legal` actions, and an action must be legal. `make` returns a tuple of integers of one type. A
game for two (`SearchTwin`) has two more functions, compiled too:

    over(board)                        whether `moves` would find none
    count = forcing(board, out)        the moves for quiescence search (captures, for example), smallest first, of a
                                       game that is not over. Every line of such moves must end. A game without such
                                       moves has `forcing = no_forcing`

A puzzle for one (`PuzzleTwin`) has these, compiled too; only networks need `observe` and `planes`:

    ending(board)                      for a solved puzzle, a number (0 or more) of its final position
    observe(board, out)                writes the game's `observe`, flat
    planes(board)                      the length of that
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
    """The functions of every twin; see the module's docstring."""

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
    """Space for the moves of every position on a line of `depth` moves."""
    return np.empty((depth, game.max_legal), np.int16)


def perft_of(from_state: Callable, moves: Callable, make: Callable, unmake: Callable) -> Callable[[Any, Any, int], int]:
    """A twin's `perft`, made of its other functions."""

    @functools.partial(jit, keep=False)  # it is recursive
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
        """The number of lines of exactly `depth` legal moves; a finished game has none of depth 1 or more."""
        return count_lines(from_state(game, state), depth, room(game, depth)) if depth else 1

    return perft
