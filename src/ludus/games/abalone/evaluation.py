"""Evaluations of a position of Abalone for search: population counts of sets of marbles, and the same in JAX.

Rings are numbered from the centre, 0, to the rim, 4. A marble off the board counts as one ring further.

`centre` is the paper's: by how many rings the mover's marbles are nearer to the centre. `hand` counts in hundredths of
a marble: marbles; the rings on which they stand, the rim being worst; pairs of neighbours, because a group is hard to
push; and marbles that the mover, or the other side next, can push off the board. Its weights were chosen by matches of
the search against itself.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int64, UInt64

from ludus.core.bits import Bits
from ludus.core.game import Game
from ludus.games.abalone.rules import DIRECTIONS, NUM_WORDS, STRIDE, State, geometry
from ludus.games.abalone.twin import AbaloneBoard, tables
from ludus.search import words
from ludus.search.alphabeta.evaluation import Evaluation
from ludus.search.compiled import jit
from ludus.search.words import Steps, Word, behind

RINGS = 5
CENTRE = (4, 4)  # row and column
FORTH = range(0, len(DIRECTIONS), 2)  # one direction of each axis


def ring(place: int) -> int:
    """How many steps a cell, given by its bit in the rules, is from the centre."""
    row, column = place // STRIDE - CENTRE[0], place % STRIDE - CENTRE[1]
    return max(abs(row), abs(column), abs(row - column))


class Weights(NamedTuple):
    """Weights of the mover's features; the other side's count with the opposite sign."""

    marble: int
    rings: tuple[int, int, int, int, int]  # of a marble on each
    pair: int  # of neighbours
    attack: int  # a marble of the other side that the mover can push off now
    danger: int  # one of the mover's that the other side could push off


PAPER = Weights(marble=5, rings=(0, -1, -2, -3, -4), pair=0, attack=0, danger=0)
CHOSEN = Weights(marble=100, rings=(0, -10, -19, -27, -34), pair=4, attack=10, danger=-16)


class Parameters(NamedTuple):
    """The weights for compiled code."""

    masks: UInt64[np.ndarray, "5"]  # the cells of each ring
    marbles: Int64[np.ndarray, "5"]  # the total worth of a marble there
    others: Int64[np.ndarray, "3"]  # pair, attack, danger


def parameters(weights: Weights) -> Parameters:
    masks = [0] * RINGS
    for place, bit in zip(geometry().cells.tolist(), tables().bits.tolist(), strict=True):
        masks[ring(place)] |= 1 << bit
    return Parameters(
        masks=np.array(masks, np.uint64),
        marbles=np.array([weights.marble + worth for worth in weights.rings], np.int64),
        others=np.array([weights.pair, weights.attack, weights.danger], np.int64),
    )


@jit
def centre_score(board: AbaloneBoard, parameters: Parameters) -> int:
    """The marbles and their rings."""
    own, other = board.marbles[board.mover[0]], board.marbles[1 - board.mover[0]]
    total = 0
    for i in range(RINGS):
        mask = parameters.masks[i]
        total += parameters.marbles[i] * (words.count(own & mask) - words.count(other & mask))
    return total


@jit
def pairs(steps: Steps, side: Word) -> int:
    """Pairs of neighbours."""
    total = 0
    for axis in range(0, len(DIRECTIONS), 2):
        total += words.count(side & behind(steps, side, axis))
    return total


@jit
def exposed(steps: Steps, own: Word, other: Word) -> int:
    """How many of the other side's marbles can be pushed off, once for each direction."""
    total = 0
    for d in range(len(DIRECTIONS)):
        last = other & ~steps.inside[d]
        if last:
            next_ = behind(steps, last, d)
            second = own & behind(steps, own & next_, d)
            third = other & next_
            if third:
                for _ in range(3):
                    third = own & behind(steps, third, d)
            total += words.count(second | third)
    return total


@jit
def hand_score(board: AbaloneBoard, parameters: Parameters) -> int:
    """The sum over all weights."""
    steps = board.tables.steps
    own, other = board.marbles[board.mover[0]], board.marbles[1 - board.mover[0]]
    pair, attack, danger = parameters.others[0], parameters.others[1], parameters.others[2]
    total = centre_score(board, parameters) + pair * (pairs(steps, own) - pairs(steps, other))
    if attack:
        total += attack * exposed(steps, own, other)
    if danger:
        total += danger * exposed(steps, other, own)
    return total


def on_device(weights: Weights, game: Game, state: State) -> Float[Array, ""]:
    """The same for one state, in JAX."""
    del game
    own, other = state.own, state.other
    cells, board, _ = geometry()
    total = jnp.int32(0)
    for i, worth in enumerate(weights.rings):
        mask = Bits.of([place for place in cells.tolist() if ring(place) == i], NUM_WORDS)
        total = total + (weights.marble + worth) * ((own & mask).count() - (other & mask).count())
    for axis in (DIRECTIONS[d] for d in FORTH):
        total = total + weights.pair * ((own & (own >> axis)).count() - (other & (other >> axis)).count())
    for weight, ours, theirs in ((weights.attack, own, other), (weights.danger, other, own)):
        for d in DIRECTIONS if weight else ():
            last = theirs - (board >> d)
            second = ours & ((ours & (last >> d)) >> d)
            third = theirs & (last >> d)
            for _ in range(3):
                third = ours & (third >> d)
            total = total + weight * (second | third).count()
    return total.astype(jnp.float32)


def _evaluation(name: str, compiled: Any, weights: Weights, unit: int, counted: str) -> Evaluation:
    return Evaluation(name, compiled, parameters(weights), unit, functools.partial(on_device, weights), counted)


EVALUATIONS = {
    "hand": _evaluation("hand", hand_score, CHOSEN, CHOSEN.marble, "marbles"),
    "centre": replace(_evaluation("centre", centre_score, PAPER, 1, "rings"), minimax=True),
}
