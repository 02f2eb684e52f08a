"""The positions explored puzzle by puzzle, from the CSV, and intervals over puzzles and seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper.words import (
    BASELINE,
    CLOCKWISE,
    EIGHTY_SETS,
    FLOOR,
    FRESH_SETS,
    RANDOM,
    UNTRAINED,
)
from ludus.study.data import Data
from ludus.study.statistics import Estimate, estimate, estimate_both
from ludus.study.study import Lines

FIXED = (BASELINE, CLOCKWISE, RANDOM)  # orders that have no seeds
SETS = {"the eighty": EIGHTY_SETS, "fresh puzzles": FRESH_SETS}


def explored(data: Data, order: str, puzzles: str) -> Float[np.ndarray, "S N"]:
    """By seed and puzzle; a fixed order has one row. No rows if it was not run."""
    rows = {each.seed: each.values for each in data.counts if (each.order, each.puzzles) == (order, puzzles)}
    return np.stack([rows[seed] for seed in sorted(rows)]) if rows else np.zeros((0, 0))


def saved(data: Data, order: str, other: str, puzzles: str, of: int = 1) -> Estimate | None:
    """The share of the other order's positions that an order saves, on the same puzzles with the same seeds: one less
    the quotient of the means. The interval is over seeds and puzzles. None if one of them was not run.
    """
    ours, theirs = explored(data, order, puzzles), explored(data, other, puzzles)
    if not len(ours) or not len(theirs):
        return None
    if other not in FIXED:  # an arm of fewer seeds is compared on those
        seeds = min(len(ours), len(theirs))
        ours, theirs = ours[:seeds], theirs[:seeds]
    return estimate_both(theirs - ours, of, over=theirs)


def ratio(data: Data, order: str, puzzles: str) -> str:
    """Explored / floor, with an interval over puzzles and seeds; over puzzles for an order without seeds."""
    found = explored(data, order, puzzles)
    if not len(found):
        return "not run"
    values = found / explored(data, FLOOR, puzzles)
    return (estimate(values[0].tolist()) if len(values) == 1 else estimate_both(values)).plain()


def table(data: Data, arms: Sequence[str]) -> list[list[str]]:
    """Explored / floor by level: the orders that nobody learns, the untrained networks, and the arms."""
    rows = [["explored / floor", *LEVELS]]
    for words, sets in SETS.items():
        for order in (*FIXED, UNTRAINED, *arms):
            rows.append([f"{words}: {order}", *(ratio(data, order, name) for name in sets)])
    return rows


def levels_of(puzzles: str) -> Callable[[Data], Lines]:
    """Level lines for a picture, from the same CSV: what is explored without any learning."""

    def lines(data: Data) -> Lines:
        found = []
        for order in (BASELINE, RANDOM, UNTRAINED):
            values = explored(data, order, puzzles)
            if len(values):
                found.append((float((values / explored(data, FLOOR, puzzles)).mean()), order))
        return tuple(found)

    return lines
