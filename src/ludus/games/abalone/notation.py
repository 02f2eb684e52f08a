"""Abalone in text. A position: rows I (top) to A, `b` `w` `.`, then the side to move.

A move: in line, the rear marble's from-to `a1b2`; sideways, both ends and the first one's new cell `c6c7d6`.
"""

from __future__ import annotations

import functools
import re

from ludus.core.svg import BLACK, LINE, WHITE, WOOD, Picture, hexagon
from ludus.core.text import bad_position, drawn_with, refuse_strangers, split_position

Cell = tuple[int, int]  # row A-I as 0-8, diagonal 1-9 as 0-8
Marbles = dict[Cell, str]  # 'b' or 'w'

SIDES, NAMES = "bw", ("black", "white")
MARBLES = 14
LOST_AT = 8  # six of fourteen are off
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1))
GLYPHS = {"b": "●", "w": "○", ".": "·"}


@functools.cache
def row_cells(row: int) -> tuple[Cell, ...]:
    """The cells of a row; none for a row that the board does not have."""
    if not 0 <= row <= 8:
        return ()
    return tuple((row, diagonal) for diagonal in range(max(0, row - 4), min(8, row + 4) + 1))


def name(cell: Cell) -> str:
    return f"{'abcdefghi'[cell[0]]}{cell[1] + 1}"


def read(text: str) -> tuple[Marbles, int]:
    rows, mover = split_position("abalone", text, SIDES)
    if [len(row) for row in rows] != [5, 6, 7, 8, 9, 8, 7, 6, 5]:
        raise bad_position("abalone", text, "it should have nine rows of 5, 6, 7, 8, 9, 8, 7, 6 and 5 cells")
    refuse_strangers("abalone", text, rows, "bw.")
    counts = {side: sum(row.count(side) for row in rows) for side in SIDES}
    for side, count in counts.items():
        if count > MARBLES:
            raise bad_position("abalone", text, f"it has {count} marbles '{side}', and {MARBLES} are the most")
    if max(counts.values()) <= LOST_AT:
        raise bad_position("abalone", text, f"both sides have {LOST_AT} marbles or fewer, so both would have lost")
    placed = {
        cell: letter
        for row, letters in zip(range(8, -1, -1), rows, strict=True)
        for cell, letter in zip(row_cells(row), letters, strict=True)
        if letter != "."
    }
    return placed, mover


def check(text: str, layout: str, cap: int) -> None:
    """Refuse a position that cannot be read."""
    read(text)


def write(marbles: Marbles, mover: int) -> str:
    rows = ("".join(marbles.get(cell, ".") for cell in row_cells(row)) for row in range(8, -1, -1))
    return f"{'/'.join(rows)} {SIDES[mover]}"


def why_not(marbles: Marbles, mover: int, move: str) -> str:
    """Why a move is not legal: the end of a sentence."""
    if not re.fullmatch(r"([a-i][1-9]){2,3}", move):
        return "a move is two or three cells, like a1b2 in line or c6c7d6 sideways"
    cells = [("abcdefghi".index(a), int(b) - 1) for a, b in zip(move[::2], move[1::2], strict=True)]
    for cell in cells:
        if cell not in row_cells(cell[0]):
            return f"there is no cell {name(cell)} on the board"
    own = SIDES[mover]
    for cell in cells[: len(cells) - 1 if len(cells) == 3 else 1]:
        if marbles.get(cell) != own:
            return f"no marble of the side to move ('{own}') stands on {name(cell)}"
    if len(cells) == 3:
        return _why_not_sideways(marbles, own, *cells)
    return _why_not_in_line(marbles, own, *cells)


def _why_not_in_line(marbles: Marbles, own: str, start: Cell, target: Cell) -> str:
    step = (target[0] - start[0], target[1] - start[1])
    if step not in STEPS:
        return f"{name(target)} is not next to {name(start)}"
    ours, theirs, _ = _column(marbles, own, start, step)
    if ours > 3:
        return f"{ours} marbles stand in line there, and at most three may move at once"
    if theirs == 0:
        return "it would push an own marble off the board"
    if theirs >= ours:
        return f"{ours} cannot push {theirs}: the side that pushes must be the longer one"
    return "an own marble stands behind the ones it would push"


def _column(marbles: Marbles, own: str, start: Cell, step: Cell) -> tuple[int, int, Cell]:
    """From a marble on in one direction: how many own ones, how many of the others, and the cell after them."""
    counts = []
    cell = start
    for side in (own, SIDES[1 - SIDES.index(own)]):
        counts.append(0)
        while marbles.get(cell) == side:
            counts[-1] += 1
            cell = (cell[0] + step[0], cell[1] + step[1])
    return counts[0], counts[1], cell


def _why_not_sideways(marbles: Marbles, own: str, first: Cell, last: Cell, target: Cell) -> str:
    across = (last[0] - first[0], last[1] - first[1])
    length = max(abs(across[0]), abs(across[1]))
    if length == 0 or across not in [(length * r, length * d) for r, d in STEPS]:
        return f"{name(first)} and {name(last)} are not the ends of a line"
    if length > 2:
        return f"{length + 1} marbles stand in that line, and at most three may move at once"
    axis = (across[0] // length, across[1] // length)
    if marbles.get((first[0] + axis[0], first[1] + axis[1])) != own:
        return f"the line from {name(first)} to {name(last)} has a gap"
    step = (target[0] - first[0], target[1] - first[1])
    if step not in STEPS:
        return f"{name(target)} is not next to {name(first)}"
    if step in (axis, (-axis[0], -axis[1])):
        return f"that is along the line; in line, write the rear marble's from-to, like {name(last)}{name(first)}"
    for k in range(length + 1):
        cell = (target[0] + k * axis[0], target[1] + k * axis[1])
        if cell not in row_cells(cell[0]):
            return "it would leave the board"
        if cell in marbles:
            return f"{name(cell)} is not empty"
    return f"name the lower end first, like {name(min(first, last))}{name(max(first, last))}"


def draw(marbles: Marbles, mover: int) -> str:
    drawn_with(GLYPHS)
    lines = []
    for row in range(8, -1, -1):
        cells = " ".join(GLYPHS[marbles.get(cell, ".")] for cell in row_cells(row))
        edge = f" {row + 6}" if row < 4 else ""
        lines.append(f"{' ' * abs(row - 4)}{'ABCDEFGHI'[row]} {cells}{edge}")
    lines.append(" " * 7 + "1 2 3 4 5")
    left = [list(marbles.values()).count(side) for side in SIDES]
    if min(left) > LOST_AT and _can_move(marbles, SIDES[mover]):
        state = f"{NAMES[mover]} {GLYPHS[SIDES[mover]]} to move"
    elif left[0] == left[1]:
        state = "a tie"
    else:
        winner = left.index(max(left))
        state = f"{NAMES[winner]} {GLYPHS[SIDES[winner]]} has won"
    lines.append(f"{state}; lost: ● {MARBLES - left[0]}, ○ {MARBLES - left[1]}")
    return "\n".join(lines)


def _can_move(marbles: Marbles, own: str) -> bool:
    """Whether a side has a move; if it can only go sideways, one marble alone can go there too."""
    for start in (cell for cell, side in marbles.items() if side == own):
        for step in STEPS:
            ours, theirs, end = _column(marbles, own, start, step)
            on_board = end in row_cells(end[0])
            if ours <= 3 and theirs < ours and (on_board or theirs) and not (on_board and end in marbles):
                return True
    return False


def svg(marbles: Marbles, mover: int) -> str:
    step, height = 44.0, 38.0
    picture = Picture(9 * step + 60, 9 * height + 70, write(marbles, mover))
    for row in range(9):
        for cell in row_cells(row):
            x = 30 + step / 2 + (cell[1] - row / 2 + 2) * step
            y = 35 + height / 2 + (8 - row) * height
            picture.polygon(hexagon(x, y, 25.4), WOOD)
            side = marbles.get(cell)
            if side:
                picture.disc(x, y, 17, BLACK if side == "b" else WHITE)
            else:
                picture.text(x, y, name(cell), 10, LINE)
    return str(picture)
