"""The inputs of Abalearn's networks: the board itself (1.0), counts by zone (1.1), and some more numbers (1.2).

They rate a position after a move, as seen by the player who has just moved: "own" marbles are those of the side that
does NOT move now. The paper's figure of the zones is lost. We read the board's five rings as

    centre   the middle cell and the ring around it      7 cells, three pushes or more from the edge's
    middle   the next two rings                         30 cells
    border   the outermost ring                         24 cells, the only ones that a marble is pushed off from

because then each zone means something to a player. Counts of marbles are divided by the 14 of a side at the start,
marbles off the board by the 6 that lose the game, so all inputs lie between -1 and 1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from ludus.core import bits
from ludus.core.bits import Bits
from ludus.core.svg import BLACK, INK, LINE, MARK, WHITE, Picture, hexagon
from ludus.games.abalone import notation
from ludus.games.abalone.rules import DIRECTIONS, NUM_WORDS, STRIDE, Abalone, State, geometry

ZONES = {"centre": (0, 1), "middle": (2, 3), "border": (4,)}  # each with its rings
LOSING = notation.MARBLES - notation.LOST_AT  # marbles off the board


def ring(cell: int) -> int:
    """How many steps a cell is from the middle of the board."""
    row, column = divmod(cell, STRIDE)
    up, right = row - 4, column - 4
    return max(abs(up), abs(right), abs(up - right))  # a step may go up and right at once


@functools.cache
def rings() -> tuple[Bits, ...]:
    """The cells of each ring, the middle first."""
    cells = geometry().cells.tolist()
    return tuple(Bits.of([cell for cell in cells if ring(cell) == r], NUM_WORDS) for r in range(5))


def sides(state: State) -> tuple[Bits, Bits]:
    """The marbles of the player who has just moved, and of the other, who is to move."""
    return state.other, state.own


def first_view(game: Abalone, state: State) -> State:
    """The same marbles as if black had just moved: what every feature then calls "own" is black's."""
    white_moved = state.mover == 0
    return State(
        bits.where(white_moved, state.other, state.own),
        bits.where(white_moved, state.own, state.other),
        jnp.ones_like(state.mover),
    )


def zones(side: Bits) -> tuple[Int[Array, ""], ...]:
    """How many marbles stand in the centre, in the middle and on the border."""
    masks = (functools.reduce(Bits.__or__, (rings()[r] for r in members)) for members in ZONES.values())
    return tuple((side & mask).count() for mask in masks)


def off(side: Bits) -> Int[Array, ""]:
    """How many marbles were pushed off the board."""
    return notation.MARBLES - side.count()


def protection(side: Bits) -> Float[Array, ""]:
    """How many own marbles a marble has beside it, as a mean: 0 to 6. The paper does not define protection; we take the
    neighbours, because they make longer lines, which are harder to push.
    """
    pairs = sum(((side & (side >> d)).count() for d in DIRECTIONS), jnp.int32(0))
    return _mean(pairs, side)


def distance(side: Bits) -> Float[Array, ""]:
    """The mean number of steps from a marble to the middle cell: 0 to 4."""
    return _mean(sum((r * (side & cells).count() for r, cells in enumerate(rings())), jnp.int32(0)), side)


def threatened(side: Bits, other: Bits) -> Bits:
    """The marbles of a side that the other side could push off the board now. Each stands at the edge; behind it in
    line are two of the other's, or one of its own and then three of the other's.
    """
    found = Bits.of([], NUM_WORDS)
    for d in DIRECTIONS:  # of the push; `<< d` asks each cell about the one behind it
        pair = other & (other << d)
        trio = pair & (pair << d)
        at_the_edge = side - (geometry().board >> d)
        found = found | (at_the_edge & ((pair << d) | ((side << d) & (trio << 2 * d))))
    return found


def _mean(total: Int[Array, ""], side: Bits) -> Float[Array, ""]:
    return total.astype(jnp.float32) / jnp.maximum(side.count(), 1).astype(jnp.float32)


def board(game: Abalone, state: State) -> Float[Array, "63"]:
    """Abalearn 1.0: every cell from a1 on, 1 for an own marble and -1 for the other's; then own marbles off the board
    and the other's.
    """
    own, other = sides(state)
    cells = [side.plane(geometry().cells).astype(jnp.float32) for side in (own, other)]
    return jnp.concatenate([cells[0] - cells[1], _row(off(own) / LOSING, off(other) / LOSING)])


def counts(game: Abalone, state: State) -> Float[Array, "8"]:
    """Abalearn 1.1: own marbles in the centre, in the middle, on the border and off the board; then the other's."""
    return _row(*(share for side in sides(state) for share in (*_in_zones(side), off(side) / LOSING)))


def numbers(game: Abalone, state: State) -> Float[Array, "13"]:
    """Abalearn 1.2: own marbles in the centre, in the middle and on the border, and the other's; the lead in marbles,
    in sixths; then, own and the other's in turn, protection (in sixths), mean distance from the middle (in quarters)
    and marbles threatened (in sixths).
    """
    own, other = sides(state)
    pairs = (
        *(protection(side) / 6 for side in (own, other)),
        *(distance(side) / 4 for side in (own, other)),
        *(threatened(*both).count() / LOSING for both in ((own, other), (other, own))),
    )
    return _row(*_in_zones(own), *_in_zones(other), (own.count() - other.count()) / LOSING, *pairs)


def _in_zones(side: Bits) -> list[Float[Array, ""]]:
    return [number / notation.MARBLES for number in zones(side)]


def _row(*values: Float[Array, ""]) -> Float[Array, "N"]:
    return jnp.stack([value.astype(jnp.float32) for value in values])


FEATURES: dict[str, Callable[[Abalone, State], Float[Array, "N"]]] = {
    "abalearn-1.0": board,
    "abalearn-1.1": counts,
    "abalearn-1.2": numbers,
}


# --- a picture ----------------------------------------------------------------------------------------------

TINTS = {"centre": "#d9b779", "middle": "#e9dcc0", "border": "#cfc8b8"}
EXAMPLE = "wwwbb/..b.../..b.b../..wbb.../.wwb..wwb/..ww..../.ww..b./..bb../.bw.. b"
STEP, HEIGHT, TOP = 44.0, 38.0, 54.0
NUMBERS = ("centre", "middle", "border", "off the board", "neighbours", "distance", "threatened")


def picture(game: Abalone, state: State) -> str:
    """A position with its features: the three zones, the threatened marbles, and all numbers before scaling, for the
    player who has just moved and for the other.
    """
    marbles, mover = game.position(state)
    own, other = sides(state)
    struck = {*threatened(own, other).cells(), *threatened(other, own).cells()}
    drawn = Picture(9 * STEP + 400, 9 * HEIGHT + 2 * TOP, notation.write(marbles, mover))
    for cell in geometry().cells.tolist():
        row, column = divmod(cell, STRIDE)
        x, y = 30 + STEP / 2 + (column - row / 2 + 2) * STEP, TOP + HEIGHT / 2 + (8 - row) * HEIGHT
        zone = next(name for name, members in ZONES.items() if ring(cell) in members)
        drawn.polygon(hexagon(x, y, 25.4), TINTS[zone])
        if side := marbles.get((row, column)):
            fill, ink = (BLACK, WHITE) if side == "b" else (WHITE, BLACK)
            drawn.disc(x, y, 17, fill)
            if cell in struck:
                drawn.disc(x, y, 11, fill, MARK)
                drawn.text(x, y, "!", 16, MARK)
            else:
                drawn.text(x, y, str(ring(cell)), 11, ink)
    left, names = 9 * STEP + 130, (notation.NAMES[1 - mover], notation.NAMES[mover])
    drawn.text(9 * STEP / 2 + 30, TOP / 2, f"{names[0]} has just moved", 15, INK)
    for column, text in enumerate(("", *names)):
        drawn.text(left + 95 * column, TOP + 12, text, 13, INK)
    for line, (name, *values) in enumerate(zip(NUMBERS, _unscaled(own, other), _unscaled(other, own), strict=True)):
        y = TOP + 44 + 28 * line
        drawn.text(left, y, name, 13, INK)
        for column, number in enumerate(values, start=1):
            drawn.text(left + 95 * column, y, f"{number:.4g}", 13, INK)
    for line, (name, members) in enumerate(ZONES.items()):
        y = TOP + 264 + 24 * line
        drawn.box(left - 45, y - 8, 16, 16, TINTS[name], LINE)
        drawn.text(left + 60, y, f"{name}: ring{'s' * (len(members) > 1)} {' and '.join(map(str, members))}", 12, INK)
    return str(drawn)


def example() -> str:
    """The picture of a position in which every feature occurs."""
    return picture(Abalone(), Abalone().parse(EXAMPLE))


@jax.jit
def _numbers(side: Bits, against: Bits) -> tuple[Array, ...]:
    return (*zones(side), off(side), protection(side), distance(side), threatened(side, against).count())


def _unscaled(side: Bits, against: Bits) -> list[float]:
    return [float(number) for number in _numbers(side, against)]
