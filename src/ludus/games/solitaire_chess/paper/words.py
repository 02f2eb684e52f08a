"""The names of the arms, of the sets of puzzles and of the orders, as they stand in the CSVs; and the two puzzles of
the paper's figures. For judges and measures alike, without JAX.
"""

from __future__ import annotations

from ludus.games.solitaire_chess import LEVELS

#: Arms.
DQN = "the paper's DQN"
MORE = "8 times the steps"
TARGET = "a target network"
EIGHTY = "games begin at the eighty"
ONE_3, ONE_5 = "games begin at figure 3's puzzle", "games begin at figure 5's puzzle"
#: Orders that nobody learns.
FLOOR, BASELINE, CLOCKWISE, RANDOM, UNTRAINED = "floor", "baseline", "clockwise", "random", "untrained"
#: The code of figure 2, which goes on after a solution, in these orders.
PRINTED = {name: f"figure 2's code, {name}" for name in (BASELINE, CLOCKWISE, RANDOM)}
SOLUTIONS = "a solution"

FIG3, FIG5 = "figure 3", "figure 5"  # sets of one puzzle
#: Like the paper's second: pawn, bishop, knight and rook in this order, 11 positions; it is solved if the rook begins.
FIGURE_3 = "2R1/3N/B3/2P1"
FIGURE_5 = "B3/R2N/1N2/4"  # the paper's fifth, from the boards that it prints

BASELINE_STEPS = {FIG3: 11, FIG5: 10}  # that the baseline takes there
#: The boards of figure 5 in the order of the paper, which writes G for a knight.
BOARDS = (
    *(FIGURE_5, "N3/R2N/4/4", "N3/3R/4/4", "R3/3N/4/4"),
    *(FIGURE_5, "B3/R2N/4/4", "B3/3R/4/4", "R3/3N/4/4"),
    *(FIGURE_5, "B3/R2N/4/4", "B3/R3/1N2/4", "N3/R3/4/4", "R3/4/4/4"),
)


def eighty(level: str) -> str:
    """The set of the benchmark's puzzles of a level."""
    return f"80, {level}"


FRESH_SETS, EIGHTY_SETS = LEVELS, tuple(eighty(level) for level in LEVELS)
