"""A board as something to look at and to touch: plain data, for whoever draws it. A room says it in its part `board`:

    geometry(game) -> BoardGeometry        where each cell is; what kind of board it is
    show(game, position) -> Shown     what stands where, of a position as text
    way(game, position, move) -> Way  how a hand makes a legal move

The unit is a cell's width. Whoever draws knows a few kinds of board, and no game:

    lay      squares; a piece of several squares is laid, then another may be carried elsewhere
    stones   a stone is put on a cell
    marbles  some marbles in a line are taken, and go in a direction
    pieces   a piece is taken, and put somewhere
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
    pieces: Mapping[str, str]  # what the letter of a piece stands for, in words
    sides: Mapping[str, int]  # whose a piece is, of one that belongs to a seat
    notes: tuple[tuple[float, float, str], ...] = ()  # coordinates at the edge
    rims: tuple[Rim, ...] = ()

    def to_json(self) -> dict[str, Any]:
        cells, rims = [cell._asdict() for cell in self.cells], [rim._asdict() for rim in self.rims]
        return self._asdict() | {"cells": cells, "rims": rims}


class Shown(NamedTuple):
    pieces: Mapping[str, str]  # by cell, the letter of what stands there
    chain: tuple[str, ...] = ()  # cells that decided the game
    counts: Mapping[str, int] = {}  # by cell, a small number beside the piece
    lost: Mapping[str, int] = {}  # by letter, how many pieces are off the board


class Way(NamedTuple):
    """A move by hand. No two legal moves of a position have `take`, `put`, `then` and `at` all alike."""

    words: str  # for those who hear it
    take: tuple[str, ...] = ()  # what is taken first
    put: tuple[str, ...] = ()  # cells where something is laid
    then: tuple[str, ...] = ()  # and after that, from where to where another piece is carried
    goes: tuple[tuple[str, str | None], ...] = ()  # where everything that moves goes; None is off the board
    at: Point | None = None  # where a direction is pointed to
