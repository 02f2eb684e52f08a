"""Hex as text. A position: rows from the top, `B` (joins top and bottom, moves first), `W` (joins left and right) and
`.`; then `b` or `w`, the side to move. A move: column letter and row number from the top, `b2`; or `swap`.
"""

from __future__ import annotations

import math
import re

from ludus.core.svg import BLACK, LINE, WHITE, WOOD, Picture, hexagon
from ludus.core.text import bad_position, drawn_with, refuse_strangers, split_position

Cell = tuple[int, int]  # row from the top, column from the left
Stones = dict[Cell, str]  # 'B' or 'W'

SIDES, NAMES = "BW", ("black", "white")
NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
GLYPHS = {"B": "●", "W": "○", ".": "·"}
COLUMNS = "abcdefghijklmnopqrs"


def name(cell: Cell) -> str:
    return f"{COLUMNS[cell[1]]}{cell[0] + 1}"


def read(text: str, size: int) -> tuple[Stones, int]:
    rows, mover = split_position("hex", text, "bw")
    if len(rows) != size or any(len(row) != size for row in rows):
        raise bad_position("hex", text, f"it should have {size} rows of {size} cells (or give another size)")
    refuse_strangers("hex", text, rows, "BW.")
    stones = {(r, c): letter for r, row in enumerate(rows) for c, letter in enumerate(row) if letter != "."}
    own, other = (list(stones.values()).count(SIDES[side]) for side in (mover, 1 - mover))
    if other - own not in (0, 1):
        why = f"the side to move has {own} stones and the other {other}; it should have as many, or one fewer"
        raise bad_position("hex", text, why)
    return stones, mover


def check(text: str, size: int, swap: bool) -> None:
    """Refuse a position that cannot be read."""
    read(text, size)


def write(stones: Stones, mover: int, size: int) -> str:
    rows = ("".join(stones.get((r, c), ".") for c in range(size)) for r in range(size))
    return f"{'/'.join(rows)} {'bw'[mover]}"


def why_not(stones: Stones, size: int, move: str) -> str:
    """Why a move is illegal: the end of a sentence."""
    if move == "swap":
        return "white may swap only as its first move, and only where the game has the swap rule"
    match = re.fullmatch(r"([a-z])(0|[1-9][0-9]?)", move)
    if not match:
        return "a move is a column letter and a row number, like b2"
    row, column = int(match[2]) - 1, ord(match[1]) - ord("a")
    if not (0 <= row < size and column < size):
        return f"the {size} x {size} board goes from a1 to {name((size - 1, size - 1))}"
    return f"a stone stands on {move} already" if (row, column) in stones else "the game is over"


def draw(stones: Stones, mover: int, size: int) -> str:
    drawn_with(GLYPHS)
    lines = ["    " + " ".join(COLUMNS[:size])]
    for r in range(size):
        cells = " ".join(GLYPHS[stones.get((r, c), ".")] for c in range(size))
        lines.append(f"{' ' * r}{r + 1:>3} {cells} {r + 1}")
    won = next((seat for seat in (0, 1) if _joined(stones, seat, size)), None)
    if won is None:
        lines.append(f"{NAMES[mover]} {GLYPHS[SIDES[mover]]} to move; ● joins top and bottom, ○ left and right")
    else:
        edges = ("top and bottom", "left and right")[won]
        lines.append(f"{NAMES[won]} {GLYPHS[SIDES[won]]} has joined {edges}")
    return "\n".join(lines)


def _joined(stones: Stones, seat: int, size: int) -> bool:
    """Whether a side has joined its edges."""
    own = {cell for cell, side in stones.items() if side == SIDES[seat]}
    reached = {cell for cell in own if cell[seat] == 0}  # black from its first row, white from its first column
    fresh = reached
    while fresh:
        fresh = {(r + dr, c + dc) for r, c in fresh for dr, dc in NEIGHBOURS} & own - reached
        reached = reached | fresh
    return any(cell[seat] == size - 1 for cell in reached)


def svg(stones: Stones, mover: int, size: int) -> str:
    radius = 20.0
    width, height = radius * math.sqrt(3), radius * 1.5

    def centre(r: float, c: float) -> tuple[float, float]:
        return 50 + width * (c + r / 2), 50 + height * r

    picture = Picture(100 + width * (1.5 * size - 1.5), 100 + height * (size - 1), write(stones, mover, size))
    last = size - 1
    for low, high, color in (
        (centre(-1, 0.5), centre(-1, last + 0.5), BLACK),
        (centre(size, -0.5), centre(size, last - 0.5), BLACK),
    ):
        picture.line(low, high, color, 8)
    for low, high in ((centre(0, -1), centre(last, -1)), (centre(0, size), centre(last, size))):
        picture.line(low, high, LINE, 9)
        picture.line(low, high, WHITE, 7)
    for r in range(size):
        for c in range(size):
            x, y = centre(r, c)
            picture.polygon(hexagon(x, y, radius), WOOD)
            side = stones.get((r, c))
            if side:
                picture.disc(x, y, radius * 0.66, BLACK if side == "B" else WHITE)
            else:
                picture.text(x, y, name((r, c)), 10)
    return str(picture)
