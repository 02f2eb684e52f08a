"""Hex for the web page: a board of hexagons to put stones on."""

from __future__ import annotations

import math

from ludus.core.board import BoardGeometry, Cell, Rim, Shown, Way
from ludus.games.hex import notation
from ludus.games.hex.rules import Hex

HIGH = math.sqrt(3) / 2  # distance between rows; a hexagon is one wide and stands on a corner
PIECES = {"B": "black stone", "W": "white stone"}
MARGIN = 1.1
CORNER = 1 / math.sqrt(3)  # from the middle of a cell to its upper corner


def geometry(game: Hex) -> BoardGeometry:
    #  a b c
    # 1 . . .
    #  2 . . .     a row lies half a cell to the right of the one above
    #   3 . . .
    size = game.size
    cells = tuple(Cell(notation.name((r, c)), *_centre(r, c)) for r in range(size) for c in range(size))
    # A letter stands above its column's first cell, a number to the left of its row's.
    above = tuple((_centre(-1, c)[0] + 0.5, _centre(0, c)[1] - 0.95, notation.COLUMNS[c]) for c in range(size))
    beside = tuple((_centre(r, 0)[0] - 0.95, _centre(r, 0)[1], str(r + 1)) for r in range(size))
    width, height = _centre(size - 1, size - 1)
    return BoardGeometry(
        "stones",
        "hexagon",
        width + MARGIN,
        height + 0.95,
        cells,
        PIECES,
        {"B": 0, "W": 1},
        above + beside,
        _rims(size),
    )


def _centre(row: float, column: float) -> tuple[float, float]:
    return MARGIN + column + row / 2, MARGIN + row * HIGH


def _rims(size: int) -> tuple[Rim, ...]:
    """The corners of the cells along each edge, in drawing order."""
    last = size - 1

    def corner(row: int, column: int, at: int) -> tuple[float, float]:
        x, y = _centre(row, column)  # corners from the top, clockwise
        turn = math.pi / 3 * at
        return x + CORNER * math.sin(turn), y - CORNER * math.cos(turn)

    top = [corner(0, c, at) for c in range(size) for at in (5, 0)] + [corner(0, last, 1)]
    bottom = [corner(last, c, at) for c in range(size) for at in (4, 3)] + [corner(last, last, 2)]
    left = [corner(r, 0, at) for r in range(size) for at in (5, 4)] + [corner(last, 0, 3)]
    right = [corner(0, last, 0)] + [corner(r, last, at) for r in range(size) for at in (1, 2)]
    return Rim(0, tuple(top)), Rim(0, tuple(bottom)), Rim(1, tuple(left)), Rim(1, tuple(right))


def show(game: Hex, position: str) -> Shown:
    stones, _ = notation.read(position, game.size)
    chain = _chain(stones, 0, game.size) or _chain(stones, 1, game.size)
    return Shown({notation.name(cell): letter for cell, letter in stones.items()}, chain)


def _chain(stones: notation.Stones, seat: int, size: int) -> tuple[str, ...]:
    """A shortest chain of this side's stones that joins its edges; empty if there is none."""
    own = {cell for cell, side in stones.items() if side == notation.SIDES[seat]}
    came: dict[notation.Cell, notation.Cell | None] = {cell: None for cell in sorted(own) if cell[seat] == 0}
    fresh = list(came)
    while fresh:
        for cell in fresh:
            if cell[seat] == size - 1:
                names, at = [], cell
                while at is not None:
                    names.append(notation.name(at))
                    at = came[at]
                return tuple(reversed(names))
        around = [((r + dr, c + dc), (r, c)) for r, c in fresh for dr, dc in notation.NEIGHBOURS]
        fresh = []
        for cell, before in around:
            if cell in own and cell not in came:
                came[cell] = before
                fresh.append(cell)
    return ()


def way(game: Hex, position: str, move: str) -> Way:
    return Way("swap: take over the first stone") if move == "swap" else Way(move, put=(move,))
