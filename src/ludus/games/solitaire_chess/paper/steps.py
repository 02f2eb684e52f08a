"""The steps of searches, from the CSV, and tables of them side by side."""

from __future__ import annotations

from ludus.games.solitaire_chess import reference
from ludus.games.solitaire_chess.paper.words import SOLUTIONS
from ludus.study.data import Data, SearchStep


def by_order(data: Data) -> dict[str, list[SearchStep]]:
    found: dict[str, list[SearchStep]] = {}
    for step in data.steps:
        if step.order != SOLUTIONS:
            found.setdefault(step.order, []).append(step)
    return found


def side_by_side(data: Data) -> list[list[str]]:
    """A table: for each step and order, the moves that lead to the entered position."""
    found = by_order(data)
    longest = max(len(steps) for steps in found.values())
    rows = [
        [str(number + 1), *((steps[number].line or "start") if number < len(steps) else "" for steps in found.values())]
        for number in range(longest)
    ]
    return [[data.steps[0].puzzle, *found], *rows]


def board_after(step: SearchStep) -> str:
    """The position that a step enters, by the slow rules."""
    position = step.puzzle
    for move in step.line.split():
        position = reference.play(position, move)
    return position
