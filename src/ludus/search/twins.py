"""Tree search in Numba, on twins of the rules in `ludus.games`.

A twin is the same game once more, for one position at a time and in place: no batch, no copies, no allocation. It
reads the geometry of the game it doubles, its moves have the same numbers, and all twins are used alike:

    board = from_state(game, state)    a position to work on, one for each thread
    count = moves(board, out)          fills `out` with the legal actions, smallest first: none once the game is over
    undo = make(board, action)         plays a legal action
    unmake(board, undo)                takes it back
    score(board)                       the result for the first seat, if the game were stopped here
    key(board)                         a uint64 that tells positions apart, the mover included, all its bits well mixed
    state = to_state(game, board)
    perft(game, state, depth)          as `ludus.perft.perft`, and far faster

`moves`, `make`, `unmake`, `score` and `key` are compiled, for compiled code to call. Nothing is checked there: `out`
must have room for `game.max_legal` actions, and an action must be legal. What `make` gives is a tuple of whole numbers
of one type. Two more, compiled too, may be there:

    over(board)                        whether `moves` would find none, if that can be told faster
    count = forcing(board, out)        of a game that is not over, the moves that a search looks at beyond its depth,
                                       smallest first: captures for instance. No line of them may go on for ever

And of a puzzle for one, compiled again, the first for any search of it and the others for networks inside one:

    ending(board)                      of a solved puzzle, a whole number from 0 for what is left, whatever led there
    observe(board, out)                writes what the game's `observe` gives, flat
    planes(board)                      how many numbers that is
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Int16

from ludus.core.game import Game
from ludus.search.compiled import jit


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
