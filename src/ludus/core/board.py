"""The board for a user interface, as plain data: a game gives it in its part `board`.

    geometry(game) -> BoardGeometry   the kind of board, and where each cell is
    show(game, position) -> Shown     the pieces on the cells, for a position as text
    way(game, position, move) -> Way  how a legal move is made by hand

The unit is a cell's width. User interfaces know these kinds of board, and no game:

    lay      squares; the player lays a piece of several squares, then may move another one
    stones   the player puts a stone on a cell
    marbles  the player takes some marbles in a line, then points in a direction
    pieces   the player takes a piece, then puts it somewhere
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Point = tuple[float, float]


class Cell(NamedTuple):
    name: str
    x: float  # of its middle
    y: float
    dark: bool = False


class Rim(NamedTuple):
    """A line along an edge that belongs to a seat."""

    seat: int
    points: tuple[Point, ...]


class BoardGeometry(NamedTuple):
    kind: str
    shape: str  # of a cell: square, hexagon or round
    width: float
    height: float
    cells: tuple[Cell, ...]
    pieces: Mapping[str, str]  # the letter of each piece, and its name
    sides: Mapping[str, int]  # the seat that each piece belongs to, if it does
    notes: tuple[tuple[float, float, str], ...] = ()  # coordinates at the edge
    rims: tuple[Rim, ...] = ()

    def to_json(self) -> dict[str, Any]:
        cells, rims = [cell._asdict() for cell in self.cells], [rim._asdict() for rim in self.rims]
        return self._asdict() | {"cells": cells, "rims": rims}


class Shown(NamedTuple):
    pieces: Mapping[str, str]  # by cell, the letter of its piece
    chain: tuple[str, ...] = ()  # the winning chain of cells
    counts: Mapping[str, int] = {}  # by cell, a small number beside the piece
    lost: Mapping[str, int] = {}  # by letter, the number of pieces off the board


class Way(NamedTuple):
    """A move by hand. No two legal moves of a position have the same `take`, `put`, `then` and `at`."""

    words: str  # the move in words, for screen readers
    take: tuple[str, ...] = ()  # cells of the pieces to take first
    put: tuple[str, ...] = ()  # cells to put a piece on
    then: tuple[str, ...] = ()  # then another piece moves: from, to
    goes: tuple[tuple[str, str | None], ...] = ()  # from and to of every piece that moves; None is off the board
    at: Point | None = None  # the point that shows the direction
