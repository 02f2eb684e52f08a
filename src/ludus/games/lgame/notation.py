"""The L-Game in text. A position: rows from the top, `A` `B` the two L-pieces, `n` neutral, `.`, then the side to move.

A move: the L's four squares in order (columns a-d, then rows 1-4 from the bottom), then the neutral's from-to if one
moves: `a2b2c2c3+a4d1`.
"""

from __future__ import annotations

import functools
import re

from ludus.core.svg import LINE, MARK, WOOD, Picture
from ludus.core.text import bad_position, drawn_with, refuse_strangers, split_position

Square = tuple[int, int]  # column a-d as 0-3, row 1-4 as 0-3: the order in which a move names its squares
Pieces = dict[Square, str]  # 'A', 'B' or 'n'

SIDES = "AB"
GLYPHS = {"A": "▲", "B": "■", "n": "○", ".": "·"}
COLORS = {"A": "#b8442f", "B": "#2f5f9e", "n": "#4a4740"}


@functools.cache
def placements() -> tuple[tuple[Square, ...], ...]:
    """The 48 placements of an L: three squares in line and one beside an end."""
    found = set()
    for column in range(4):
        for row in range(4):
            for dx, dy in ((1, 0), (0, 1)):
                line = [(column + k * dx, row + k * dy) for k in range(3)]
                for end in (line[0], line[2]):
                    for side in (-1, 1):
                        foot = (end[0] + side * dy, end[1] + side * dx)
                        if all(0 <= x < 4 and 0 <= y < 4 for x, y in (*line, foot)):
                            found.add(tuple(sorted((*line, foot))))
    return tuple(sorted(found))


def name(square: Square) -> str:
    return f"{'abcd'[square[0]]}{square[1] + 1}"


def read(text: str) -> tuple[Pieces, int]:
    rows, mover = split_position("lgame", text, SIDES)
    if [len(row) for row in rows] != [4, 4, 4, 4]:
        raise bad_position("lgame", text, "it should have four rows of four squares")
    refuse_strangers("lgame", text, rows, "ABn.")
    board = {(c, 3 - r): letter for r, row in enumerate(rows) for c, letter in enumerate(row) if letter != "."}
    for side in SIDES:
        squares = tuple(sorted(square for square, letter in board.items() if letter == side))
        if squares not in placements():
            where = " ".join(map(name, squares)) or "no square"
            raise bad_position("lgame", text, f"{side} covers {where}, which is not an L of four squares")
    if (neutrals := list(board.values()).count("n")) != 2:
        raise bad_position("lgame", text, f"it has {neutrals} neutral pieces 'n' instead of two")
    return board, mover


def check(text: str, cap: int) -> None:
    """Refuse a position that cannot be read."""
    read(text)


def write(board: Pieces, mover: int) -> str:
    rows = ("".join(board.get((c, r), ".") for c in range(4)) for r in (3, 2, 1, 0))
    return f"{'/'.join(rows)} {SIDES[mover]}"


def tidy_move(text: str) -> str:
    """The move with the L's squares in order."""
    lay, plus, neutral = text.lower().partition("+")
    squares = sorted(lay[i : i + 2] for i in range(0, len(lay), 2))
    return "".join(squares) + plus + neutral


def why_not(board: Pieces, mover: int, move: str) -> str:
    """Why a move is not legal: the end of a sentence."""
    match = re.fullmatch(r"((?:[a-d][1-4]){4})(?:\+([a-d][1-4])([a-d][1-4]))?", move)
    if not match:
        return "a move is the L's four squares, then + and a neutral's from-to if one moves, like a2b2c2c3+a4d1"
    lay, *neutral = (_squares(part or "") for part in match.groups())
    if lay not in placements():
        return f"{' '.join(map(name, lay))} is not an L"
    own = SIDES[mover]
    for square in lay:
        if board.get(square, own) != own:
            return f"{name(square)} is taken by {board[square]}"
    if all(board.get(square) == own for square in lay):
        return "the L must change at least one square"
    (start,), (target,) = neutral
    if board.get(start) != "n":
        return f"no neutral piece stands on {name(start)}"
    return f"{name(target)} is not empty once the L lies there"


def _squares(text: str) -> tuple[Square, ...]:
    return tuple(("abcd".index(a), int(b) - 1) for a, b in zip(text[::2], text[1::2], strict=True))


def draw(board: Pieces, mover: int) -> str:
    drawn_with(GLYPHS)
    lines = [f"{r + 1} " + " ".join(GLYPHS[board.get((c, r), ".")] for c in range(4)) for r in (3, 2, 1, 0)]
    lines.append("  a b c d")
    own, other = SIDES[mover], SIDES[1 - mover]
    if _stuck(board, own):
        lines.append(f"{own} {GLYPHS[own]} cannot lay its L anywhere else, so {other} {GLYPHS[other]} has won")
    else:
        lines.append(f"{own} {GLYPHS[own]} to move; A is ▲, B is ■, neutral pieces are ○")
    return "\n".join(lines)


def _stuck(board: Pieces, own: str) -> bool:
    """Whether the L fits nowhere except where it lies."""
    return sum(all(board.get(square, own) == own for square in lay) for lay in placements()) == 1


def svg(board: Pieces, mover: int) -> str:
    size, edge = 60.0, 30.0
    picture = Picture(4 * size + 2 * edge, 4 * size + 2 * edge, write(board, mover))

    def corner(square: Square) -> tuple[float, float]:
        return edge + square[0] * size, edge + (3 - square[1]) * size

    for square in ((c, r) for c in range(4) for r in range(4)):
        picture.box(*corner(square), size, size, WOOD, LINE)
    for square, letter in sorted(board.items()):
        x, y = corner(square)
        if letter == "n":
            picture.disc(x + size / 2, y + size / 2, size * 0.32, COLORS["n"])
        else:
            picture.box(x + 3, y + 3, size - 6, size - 6, COLORS[letter])
            for dx, dy in ((1, 0), (0, -1)):  # close the gap to the next square of the same L
                if board.get((square[0] + dx, square[1] - dy)) == letter:
                    picture.box(x + 3 + dx * size / 2, y + 3 + dy * size / 2, size - 6, size - 6, COLORS[letter])
    for k in range(4):
        picture.text(edge + (k + 0.5) * size, edge + 4 * size + 14, "abcd"[k])
        picture.text(edge / 2, edge + (3.5 - k) * size, str(k + 1))
    picture.text(2 * size + edge, edge / 2, f"{SIDES[mover]} to move", 13, MARK)
    return str(picture)
