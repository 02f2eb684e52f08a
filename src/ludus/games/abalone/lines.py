"""The lines of the board as patterns: the content of a line, cell by cell, is one number.

There are 27 lines, nine along each axis, of five to nine cells. A push and a pair of neighbours lie on one line, so a
sum over the patterns of all lines can count marbles, places, groups and threats. Lines of equal length share their
weights, and so does a line read backwards, so all twelve images of a position have the same sum.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Int16, Int32

from ludus.core.bits import ONE, WORD
from ludus.games.abalone import twin
from ludus.games.abalone.rules import STRIDE, Abalone, State, geometry
from ludus.games.abalone.twin import AbaloneBoard
from ludus.networks.patterns import Patterns, PatternTables
from ludus.search.alphabeta.evaluation import Evaluation
from ludus.search.compiled import jit
from ludus.search.words import ONE as LOWEST
from ludus.search.words import lowest

AXES = (1, STRIDE, STRIDE + 1)
LENGTHS = range(5, 10)


@functools.cache
def lines() -> tuple[tuple[int, ...], ...]:
    """The cells of every line, as the rules number them."""
    cells = geometry().cells.tolist()
    found = []
    for axis in AXES:
        for first in (cell for cell in cells if cell - axis not in cells):
            line = [first]
            while line[-1] + axis in cells:
                line.append(line[-1] + axis)
            found.append(tuple(line))
    return tuple(found)


#: The first pattern number of each length. A cell is a digit to base 3: empty 0, the mover's marble 1, the other's 2.
FIRST = dict(zip(LENGTHS, np.cumsum([0, *(3**length for length in LENGTHS)]).tolist(), strict=False))


def numbers(game: Abalone, state: State) -> Int[Array, "27"]:
    """The pattern of each line, seen by the mover."""
    del game

    def at(cell: int) -> Any:
        word, shift = cell // WORD, np.uint32(cell % WORD)
        own, other = ((jnp.asarray(side.words[word]) >> shift) & ONE for side in (state.own, state.other))
        return own + other + other

    found = []
    for line in lines():
        number = jnp.uint32(0)
        for cell in reversed(line):
            number = number * np.uint32(3) + at(cell)
        found.append(number.astype(jnp.int32) + FIRST[len(line)])
    return jnp.stack(found)


@functools.cache
def tie() -> Int[np.ndarray, "29403"]:
    """The weight of each pattern: a pattern and its reverse share one."""
    smaller = []
    for length in LENGTHS:
        digits = np.arange(3**length)[:, None] // 3 ** np.arange(length) % 3
        backwards = digits[:, ::-1] @ 3 ** np.arange(length)
        smaller.append(FIRST[length] + np.minimum(np.arange(3**length), backwards))
    return np.unique(np.concatenate(smaller), return_inverse=True)[1].astype(np.int32)


class QuantizedLines(NamedTuple):
    """The weights as whole numbers, for the compiled sum."""

    straight: Int32[np.ndarray, "29403"]
    hidden: Int16[np.ndarray, "29403 H"]
    bias: Int32[np.ndarray, "H"]
    out: Int32[np.ndarray, "H"]
    line: Int16[np.ndarray, "61 3"]  # by bit of the twin: the lines through a cell
    power: Int32[np.ndarray, "61 3"]  # the place value of the cell on each of them
    first: Int32[np.ndarray, "27"]
    patterns: Int32[np.ndarray, "27"]  # scratch arrays, so one copy for each thread
    sums: Int32[np.ndarray, "H"]


UNIT = 1000  # a marble
FINE = 1024  # 1.0 of a hidden unit


def quantized(tables: PatternTables) -> QuantizedLines:
    place = {cell: int(bit) for cell, bit in zip(geometry().cells.tolist(), twin.tables().bits, strict=True)}
    line, power = np.zeros((61, 3), np.int16), np.zeros((61, 3), np.int32)
    for number, cells in enumerate(lines()):
        for k, cell in enumerate(cells):
            axis = number // 9
            line[place[cell], axis], power[place[cell], axis] = number, 3**k

    def whole(values: Float[np.ndarray, "..."], unit: int, kind: type = np.int32) -> Any:
        most = np.iinfo(kind).max
        return np.rint(np.clip(np.asarray(values, np.float64) * unit, -most, most)).astype(kind)

    return QuantizedLines(
        straight=whole(tables.straight, UNIT),
        hidden=np.ascontiguousarray(whole(tables.hidden, FINE, np.int16)),
        bias=whole(tables.bias, FINE),
        out=whole(tables.out, UNIT),
        line=line,
        power=power,
        first=np.array([FIRST[len(cells)] for cells in lines()], np.int32),
        patterns=np.zeros(27, np.int32),
        sums=np.zeros(len(tables.bias), np.int32),
    )


@jit
def total(board: AbaloneBoard, given: QuantizedLines) -> Any:
    """The mover's lead in marbles, and what it is expected to gain yet."""
    mover = board.mover[0]
    own, other = board.marbles[mover], board.marbles[1 - mover]
    patterns, sums = given.patterns, given.sums
    for number in range(27):
        patterns[number] = given.first[number]
    lead = 0
    while own:
        cell = lowest(own)
        for axis in range(3):
            patterns[given.line[cell, axis]] += given.power[cell, axis]
        lead += 1
        own &= own - LOWEST
    while other:
        cell = lowest(other)
        for axis in range(3):
            patterns[given.line[cell, axis]] += 2 * given.power[cell, axis]
        lead -= 1
        other &= other - LOWEST
    found = lead * UNIT
    for number in range(27):
        found += given.straight[patterns[number]]
    width = len(sums)
    if width:
        for unit in range(width):
            sums[unit] = given.bias[unit]
        for number in range(27):
            pattern = patterns[number]
            for unit in range(width):
                sums[unit] += given.hidden[pattern, unit]
        fine = 0
        for unit in range(width):
            fine += max(sums[unit], 0) * given.out[unit]
        found += fine // FINE
    return found


def evaluation(tables: PatternTables, name: str) -> Evaluation:
    return Evaluation(name, total, quantized(tables), UNIT, counted="marbles")


PATTERNS = Patterns(numbers, tie(), evaluation)
