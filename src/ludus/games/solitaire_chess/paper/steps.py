"""The steps of searches, from the CSV, and tables of them side by side."""

from __future__ import annotations

from ludus.games.solitaire_chess import reference
from ludus.games.solitaire_chess.paper.words import BOARDS, FIGURE_5, SOLUTIONS
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


def with_boards(data: Data) -> list[list[str]]:
    """The paper's boards of figure 5, and beside them the searches with the position that each step enters."""
    found = by_order(data)
    longest = max(len(BOARDS), *(len(steps) for steps in found.values()))
    rows = []
    for number in range(longest):
        cells = (steps[number] if number < len(steps) else None for steps in found.values())
        said = ("" if step is None else f"{step.line or 'start'}: {board_after(step)}" for step in cells)
        rows.append([str(number + 1), BOARDS[number] if number < len(BOARDS) else "", *said])
    return [[FIGURE_5, "the paper's boards", *found], *rows]


def board_after(step: SearchStep) -> str:
    """The position that a step enters, by the slow rules."""
    position = step.puzzle
    for move in step.line.split():
        position = reference.play(position, move)
    return position
