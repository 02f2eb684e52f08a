"""What the laws know of single games, in text. A game that is not named here is held to all the other laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from helpers.positions import STUCK
from ludus.core.game import Game

#: Positions that random play hardly ever shows.
HAND_PICKED: dict[str, Callable[[Game], list[str]]] = {
    "abalone": lambda game: [STUCK],
    "hex": lambda game: [_top_row(game, "W", "b"), _top_row(game, "BW", "w")],  # after a swap, and after a stone more
}


def _top_row(game: Game, stones: str, mover: str) -> str:
    size = int(game.num_actions**0.5)  # with or without the swap
    return "/".join([stones.ljust(size, "."), *["." * size] * (size - 1)]) + f" {mover}"


#: How many images a position has; with the swap rule the seats of Hex differ, and half of them are none.
NUM_SYMMETRIES = {"lgame": 8, "hex": 4, "hex with swap": 2, "abalone": 12, "solitaire-chess": 2}


def _transposed(text: str) -> str:
    board, mover = text.split()
    rows = ("".join(column) for column in zip(*board.split("/"), strict=True))
    return f"{'/'.join(rows)} {mover}"


#: The same position with the seats exchanged, made in text.
OTHER_SIDE: dict[str, Callable[[str], str]] = {
    "lgame": lambda text: text.translate(str.maketrans("AB", "BA")),
    "hex": lambda text: _transposed(text).translate(str.maketrans("BWbw", "WBwb")),
    "abalone": lambda text: text.translate(str.maketrans("bw", "wb")),
}


def pieces(text: str) -> Counter[str]:
    """How often each letter stands on the board."""
    return Counter(letter for letter in text.split()[0] if letter.isalpha())


def _hex_adds_a_stone(before: Counter[str], after: Counter[str], mover: int, move: str) -> bool:
    if move == "swap":
        return (before, after) == ({"B": 1}, {"W": 1})
    return after == before + Counter("BW"[mover])


def _abalone_pushes_one_at_most(before: Counter[str], after: Counter[str], mover: int, move: str) -> bool:
    own, other = "bw"[mover], "bw"[1 - mover]
    pushed = before[other] - after[other]
    return before[own] == after[own] and pushed in ((0, 1) if len(move) == 4 else (0,))


def _solitaire_chess_loses_one(before: Counter[str], after: Counter[str], mover: int, move: str) -> bool:
    lost = before - after
    return lost.total() == 1 and not after - before and "K" not in lost


#: `(pieces before, pieces after, mover, move)`: whether the move may do that.
CONSERVED: dict[str, Callable[[Counter[str], Counter[str], int, str], bool]] = {
    "lgame": lambda before, after, mover, move: before == after == {"A": 4, "B": 4, "n": 2},
    "hex": _hex_adds_a_stone,
    "abalone": _abalone_pushes_one_at_most,
    "solitaire-chess": _solitaire_chess_loses_one,
}
