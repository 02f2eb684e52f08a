"""Hex in its text protocol (HTP), as MoHex and HexGui speak it. Colours and cells are ours: black moves first and joins
top and bottom, a letter is the column, a number the row from the top. To swap is `swap-pieces`, which puts white's
stone on the mirror cell, as here; `swap-sides`, which leaves the stone where it is, is another rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from ludus.core.dialect import Dialect, Said
from ludus.games.hex.notation import COLUMNS, SIDES, Stones, name

if TYPE_CHECKING:
    from ludus.games.hex.rules import Hex, State

SWAP = "swap-pieces"
BLACK, WHITE = 0, 1


def way(game: Hex, state: State, before: Sequence[Said]) -> list[Said]:
    """Stones may be put down in any order: no part of a game that goes on is a game that is over. So those of `before`
    come first if they stand there, and then the others by turns.
    """
    stones, mover, _ = game.position(state)
    first = (mover + len(stones)) % 2  # who began, if no one swapped
    begin: list[Said] = []
    if first == WHITE and game.swap and stones:  # white has taken over a stone; which of them does not matter
        row, column = min(cell for cell, side in stones.items() if side == SIDES[WHITE])
        begin = [(BLACK, name((column, row))), (WHITE, SWAP)]
    for start in (list(before), begin) if before else (begin,):
        rest = _by_turns(stones, _stones(start), 1 - start[-1][0] if start else first, mover)
        if rest is not None:
            return start + rest
    raise AssertionError("every position can be put down by turns")


def _stones(moves: Sequence[Said]) -> Stones:
    """What stands where after these moves."""
    down: Stones = {}
    for seat, word in moves:
        if word == SWAP:
            ((row, column),) = down
            down = {(column, row): SIDES[seat]}
        else:
            down[int(word[1:]) - 1, COLUMNS.index(word[0])] = SIDES[seat]
    return down


def _by_turns(stones: Stones, down: Stones, turn: int, mover: int) -> list[Said] | None:
    """The stones that are not down yet, one side after the other; None where that does not lead there."""
    if not down.items() <= stones.items():
        return None
    left = [
        [(seat, name(cell)) for cell in sorted(stones.keys() - down) if stones[cell] == SIDES[seat]] for seat in (0, 1)
    ]
    own, other = left[turn], left[1 - turn]
    if len(own) - len(other) != (turn != mover):
        return None
    return [move for pair in zip_longest(own, other) for move in pair if move is not None]


def begun_by(game: Hex, seat: int) -> State:
    """The protocol lets either side begin; with the swap rule only white may swap, so that then nobody can."""
    start = game.init()
    return start._replace(mover=start.mover + seat)


DIALECT = Dialect(
    size="size",
    colours=(("black", "b"), ("white", "w")),
    scores=("B+", "W+"),
    way=way,
    words={"swap": SWAP},
    begun_by=begun_by,
    silent=("hexgui-analyze_commands",),
)
