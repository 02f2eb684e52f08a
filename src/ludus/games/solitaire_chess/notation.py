"""Solitaire Chess in text. A position: FEN placement on an n x n board, either case read, capitals written
(`N3/1B2/P3/4`), or all squares from the top in one string (`pb......br..p..p`). Under the rules `solo` a second field
names the pieces that have captured already: `2N1/4/4/P3 a1=1,c4=2`. A move: `a2b3`, shown as `Pa2xb3`.
"""

from __future__ import annotations

import re

from ludus.core.svg import INK, LINE, MARK, WOOD, Picture
from ludus.core.text import bad_position, drawn_with
from ludus.errors import shorten

Square = tuple[int, int]  # file a.. as 0.., rank 1.. as 0..
Pieces = dict[Square, str]
Captures = dict[Square, int]  # how often each piece has captured, where the rules count it

LETTERS = "KQRBNP"
MOST_CAPTURES = 2  # under the rules `solo`
FILES = "abcdefgh"
MOVE = re.compile(rf"([{LETTERS}]?)([a-z][0-9])[x-]?([a-z][0-9])", re.ASCII | re.IGNORECASE)
GLYPHS = dict(zip("KQRBNP", "♚♛♜♝♞♟", strict=True))


def name(square: Square) -> str:
    return f"{FILES[square[0]]}{square[1] + 1}"


def read(text: str, size: int, counts_captures: bool) -> tuple[Pieces, Captures]:
    placement, *rest = text.split() or [""]
    pieces = _read_pieces(text, placement, size)
    if not pieces:
        raise bad_position("solitaire-chess", text, "there is no piece on the board")
    if (kings := list(pieces.values()).count("K")) > 1:
        raise bad_position(
            "solitaire-chess", text, f"it has {kings} kings, and as none is ever captured one is the most"
        )
    if len(rest) > int(counts_captures):
        allowed = "captures used like a1=1,c4=2" if counts_captures else "nothing"
        raise bad_position(
            "solitaire-chess", text, f"after the board there may be {allowed}, not '{shorten(rest[-1])}'"
        )
    captures: Captures = {}
    for entry in rest[0].split(",") if rest else []:
        match = re.fullmatch(r"([a-h])([1-8])=([12])", entry)
        square = (FILES.index(match[1]), int(match[2]) - 1) if match else None
        if not match or square not in pieces or square in captures:
            raise bad_position(
                "solitaire-chess", text, f"'{shorten(entry)}' is not a piece's captures, 1 or 2, like a1=1"
            )
        captures[square] = int(match[3])
    return pieces, captures


def _read_pieces(text: str, placement: str, size: int) -> Pieces:
    if "/" in placement:
        digits = "".join(str(k) for k in range(1, size + 1))
        rows = [re.sub(f"[{digits}]", lambda run: "." * int(run[0]), row) for row in placement.split("/")]
    else:
        rows = [placement[i : i + size] for i in range(0, len(placement), size)]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise bad_position(
            "solitaire-chess", text, f"it should have {size} rows of {size} squares (or give another size)"
        )
    pieces = {(f, size - 1 - r): row[f].upper() for r, row in enumerate(rows) for f in range(size) if row[f] != "."}
    for letter in pieces.values():
        if letter not in LETTERS:
            raise bad_position("solitaire-chess", text, f"'{letter}' is none of {' '.join(LETTERS)}")
    return pieces


def check(text: str, size: int, rules: str, pieces: int) -> None:
    """Refuse a position that cannot be read."""
    read(text, size, rules == "solo")


def write(pieces: Pieces, captures: Captures, size: int) -> str:
    rows = ("".join(pieces.get((f, r), ".") for f in range(size)) for r in range(size - 1, -1, -1))
    placement = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
    used = ",".join(f"{name(square)}={count}" for square, count in sorted(captures.items()) if count)
    return f"{placement} {used}" if used else placement


def tidy_move(text: str) -> str:
    """`Pa2xb3`, `a2-b3` and `A2B3` become `a2b3`; other text stays as it is."""
    match = MOVE.fullmatch(text)
    return (match[2] + match[3]).lower() if match else text


def wrong_letter(pieces: Pieces, text: str) -> str:
    """The end of a sentence about a wrong letter before a move; empty if there is none."""
    match = MOVE.fullmatch(text)
    if not match or not match[1]:
        return ""
    start, letter = match[2].lower(), match[1].upper()
    piece = {name(square): piece for square, piece in pieces.items()}.get(start, letter)
    return "" if piece == letter else f"the piece on {start} is a {piece}"


def why_not(pieces: Pieces, captures: Captures, size: int, move: str) -> str:
    """Why a move is not legal: the end of a sentence."""
    match = re.fullmatch(r"([a-z])([0-9])([a-z])([0-9])", move)
    if not match:
        return "a move is the square of a piece and the square it captures on, like a2b3"
    squares = [(ord(match[k]) - ord("a"), int(match[k + 1]) - 1) for k in (1, 3)]
    for square, text in zip(squares, (move[:2], move[2:]), strict=True):
        if not all(0 <= part < size for part in square):
            return f"there is no square {text} on a {size} x {size} board"
        if square not in pieces:
            return f"there is no piece on {text}" + (", and every move captures one" if square == squares[1] else "")
    start, target = squares
    if captures.get(start, 0) >= MOST_CAPTURES:
        return f"the piece on {name(start)} has captured twice already"
    if pieces[target] == "K":
        return "a king is never captured"
    return f"a {pieces[start]} on {name(start)} cannot capture on {name(target)}"


def draw(pieces: Pieces, captures: Captures, size: int) -> str:
    drawn_with({".": "·"})
    lines = [f"{r + 1} " + " ".join(pieces.get((f, r), "·") for f in range(size)) for r in range(size - 1, -1, -1)]
    lines.append("  " + " ".join(FILES[:size]))
    used = ", ".join(f"{name(square)} {count}" for square, count in sorted(captures.items()))
    lines.append(f"{len(pieces)} piece{'s' if len(pieces) > 1 else ''}" + (f"; captures used: {used}" if used else ""))
    return "\n".join(lines)


def svg(pieces: Pieces, captures: Captures, size: int) -> str:
    side, edge = 56.0, 26.0
    picture = Picture(size * side + 2 * edge, size * side + 2 * edge, write(pieces, captures, size))
    for f in range(size):
        for r in range(size):
            x, y = edge + f * side, edge + (size - 1 - r) * side
            picture.box(x, y, side, side, WOOD if (f + r) % 2 else "#b99b6b")
            if (f, r) in pieces:
                picture.text(x + side / 2, y + side / 2, GLYPHS[pieces[f, r]], 42, INK)
            if captures.get((f, r)):
                picture.text(x + side - 9, y + 11, str(captures[f, r]), 12, MARK)
        picture.text(edge + (f + 0.5) * side, edge + size * side + 13, FILES[f])
        picture.text(edge / 2, edge + (size - f - 0.5) * side, str(f + 1), 13, LINE)
    return str(picture)
