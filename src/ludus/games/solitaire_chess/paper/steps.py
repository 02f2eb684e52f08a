"""The steps of searches, from the CSV, and a table of them side by side."""

from __future__ import annotations

from ludus.study.data import Data, SearchStep


def by_order(data: Data) -> dict[str, list[SearchStep]]:
    found: dict[str, list[SearchStep]] = {}
    for step in data.steps:
        found.setdefault(step.order, []).append(step)
    return found


def side_by_side(data: Data) -> list[list[str]]:
    """A table: for each step and order, the moves that lead to the entered position."""
    found = by_order(data)
    longest = max((len(steps) for steps in found.values()), default=0)
    rows = [
        [str(number + 1), *((steps[number].line or "start") if number < len(steps) else "" for steps in found.values())]
        for number in range(longest)
    ]
    head = [data.steps[0].puzzle, *found] if found else ["no tie"]
    return [head, *rows]
