"""Abalone's board for people: a hexagon of 61 cells, and marbles to push."""

from __future__ import annotations

import functools
import math

from ludus.core.board import BoardGeometry, Cell, Shown, Way
from ludus.games.abalone import notation
from ludus.games.abalone.rules import Abalone

HIGH = math.sqrt(3) / 2
PIECES = {"b": "black marble", "w": "white marble"}
MARGIN = 1.2


def geometry(game: Abalone) -> BoardGeometry:
    #     I . . . . .
    #    H . . . . . .        rows A to I from below, diagonals 1 to 9
    #   G . . . . . . .
    #   ...
    cells = [cell for row in range(8, -1, -1) for cell in notation.row_cells(row)]
    rows = [notation.row_cells(row) for row in range(9)]
    left = tuple((_at(row[0])[0] - 0.9, _at(row[0])[1], "ABCDEFGHI"[row[0][0]]) for row in rows)
    ends = [notation.row_cells(row)[-1] for row in range(5)]
    below = [(0, diagonal) for diagonal in range(5)]
    right = [(_at(cell)[0] + 0.55, _at(cell)[1] + 0.75, str(cell[1] + 1)) for cell in ends[1:]]
    foot = [(_at(cell)[0] + 0.4, _at(cell)[1] + 0.85, str(cell[1] + 1)) for cell in below]
    width, height = _at((4, 8))[0] + MARGIN, _at((0, 0))[1] + 1.2
    drawn = tuple(Cell(notation.name(cell), *_at(cell)) for cell in cells)
    notes = (*left, *foot, *right)
    return BoardGeometry("marbles", "round", width, height, drawn, PIECES, {"b": 0, "w": 1}, notes)


def _at(cell: notation.Cell) -> tuple[float, float]:
    row, diagonal = cell
    return MARGIN + diagonal - row / 2 + 2, 0.8 + (8 - row) * HIGH


def show(game: Abalone, position: str) -> Shown:
    marbles, _ = notation.read(position)
    left = {side: list(marbles.values()).count(side) for side in notation.SIDES}
    lost = {side: notation.MARBLES - count for side, count in left.items()}
    return Shown({notation.name(cell): side for cell, side in marbles.items()}, lost=lost)


_read = functools.lru_cache(maxsize=256)(notation.read)  # all moves of a position are described one after the other


def way(game: Abalone, position: str, move: str) -> Way:
    marbles, mover = _read(position)
    cells = [("abcdefghi".index(a), int(b) - 1) for a, b in zip(move[::2], move[1::2], strict=True)]
    if len(cells) == 2:
        return _in_line(marbles, notation.SIDES[mover], *cells)
    first, last, target = cells
    count = max(abs(last[0] - first[0]), abs(last[1] - first[1])) + 1
    axis = (last[0] - first[0]) // (count - 1), (last[1] - first[1]) // (count - 1)
    taken = [_step(first, axis, k) for k in range(count)]
    step = target[0] - first[0], target[1] - first[1]
    return _way(taken, [], step, _middle([_step(cell, step) for cell in taken]))


def _in_line(marbles: notation.Marbles, own: str, start: notation.Cell, target: notation.Cell) -> Way:
    step, at, taken, pushed = (target[0] - start[0], target[1] - start[1]), start, [], []
    while marbles.get(at) == own:
        taken.append(at)
        at = _step(at, step)
    front = at
    while at in marbles:
        pushed.append(at)
        at = _step(at, step)
    return _way(taken, pushed, step, _at(front))


def _way(
    taken: list[notation.Cell], pushed: list[notation.Cell], step: notation.Cell, point: tuple[float, float]
) -> Way:
    goes = tuple((notation.name(cell), _name(_step(cell, step))) for cell in (*taken, *pushed))
    names = tuple(notation.name(cell) for cell in taken)
    words = f"{' '.join(names)} to {' '.join(str(to) for _, to in goes[: len(taken)])}"
    if pushed:
        off = " off the board" if goes[-1][1] is None else ""
        words += f", pushing {' '.join(notation.name(cell) for cell in pushed)}{off}"
    return Way(words, take=tuple(sorted(names)), goes=goes, at=point)


def _step(cell: notation.Cell, step: notation.Cell, times: int = 1) -> notation.Cell:
    return cell[0] + times * step[0], cell[1] + times * step[1]


def _name(cell: notation.Cell) -> str | None:
    return notation.name(cell) if cell in notation.row_cells(cell[0]) else None


def _middle(cells: list[notation.Cell]) -> tuple[float, float]:
    points = [_at(cell) for cell in cells]
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
