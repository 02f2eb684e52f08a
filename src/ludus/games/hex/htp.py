"""The Hex text protocol (HTP), as MoHex and HexGui speak it. Colours and cells are the same as here: black moves first
and joins top and bottom, a letter is the column, a number the row from the top. A swap is `swap-pieces`, which puts
white's stone on the mirror cell, as here. `swap-sides`, which leaves the stone in place, is a different rule.
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
    """Moves that lead to a position. In an unfinished game stones may be placed in any order, because no part of it is
    a finished game. So the moves of `before` come first, if they fit, and then the other stones by turns.
    """
    stones, mover, _ = game.position(state)
    first = (mover + len(stones)) % 2  # who began, if nobody swapped
    begin: list[Said] = []
    if first == WHITE and game.swap and stones:  # white has swapped; any of its stones may be the one
        row, column = min(cell for cell, side in stones.items() if side == SIDES[WHITE])
        begin = [(BLACK, name((column, row))), (WHITE, SWAP)]
    for start in (list(before), begin) if before else (begin,):
        rest = _by_turns(stones, _stones(start), 1 - start[-1][0] if start else first, mover)
        if rest is not None:
            return start + rest
    raise AssertionError("every position can be put down by turns")


def _stones(moves: Sequence[Said]) -> Stones:
    """The stones on the board after these moves."""
    down: Stones = {}
    for seat, word in moves:
        if word == SWAP:
            ((row, column),) = down
            down = {(column, row): SIDES[seat]}
        else:
            down[int(word[1:]) - 1, COLUMNS.index(word[0])] = SIDES[seat]
    return down


def _by_turns(stones: Stones, down: Stones, turn: int, mover: int) -> list[Said] | None:
    """The missing stones by turns; None if that does not lead to the position."""
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
    """The protocol lets either side begin. If white begins nobody can swap, since only white's first move can."""
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
