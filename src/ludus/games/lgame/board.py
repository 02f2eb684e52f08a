"""The L-Game's board for people: squares, and an L of four squares to lay."""

from __future__ import annotations

from ludus.core.board import BoardGeometry, Cell, Shown, Way
from ludus.games.lgame import notation
from ludus.games.lgame.rules import LGame

PIECES = {"A": "A's L", "B": "B's L", "n": "neutral piece"}


def geometry(game: LGame) -> BoardGeometry:
    # 4  . . . .
    # 3  . . . .     y grows downwards
    # 2  . . . .
    # 1  . . . .
    #    a b c d
    squares = [(column, row) for row in (3, 2, 1, 0) for column in range(4)]
    cells = tuple(Cell(notation.name(square), square[0] + 1, 3.5 - square[1]) for square in squares)
    columns = tuple((column + 1.0, 4.25, "abcd"[column]) for column in range(4))
    rows = tuple((0.25, 3.5 - row, str(row + 1)) for row in range(4))
    return BoardGeometry("lay", "square", 4.75, 4.5, cells, PIECES, {"A": 0, "B": 1}, columns + rows)


def show(game: LGame, position: str) -> Shown:
    board, _ = notation.read(position)
    return Shown({notation.name(square): letter for square, letter in board.items()})


def way(game: LGame, position: str, move: str) -> Way:
    laid, _, carried = move.partition("+")
    put, then = _cells(laid), _cells(carried)
    words = f"L on {' '.join(put)}" + (f", neutral piece from {then[0]} to {then[1]}" if then else "")
    return Way(words, put=put, then=then)


def _cells(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + 2] for at in range(0, len(text), 2))
