"""Puzzles solved a second on one core: the hardest level, by the order of the room's paper and by that of each shipped
agent. Only the search is timed, after it was compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ludus.agents.find import find_player
from ludus.core.game import Game
from ludus.games import shipped
from ludus.search.puzzle.order import Order, orders
from ludus.truth import truth_of
from ludus.truth.puzzle import PuzzleTruth, order_of, unseen_puzzles

COUNT = 1000


class SolveSpeed(NamedTuple):
    how: str  # the agent, and the search
    rate: float  # puzzles a second
    explored: float  # positions a puzzle


def measure(game: Game, agents: list[str] | None = None) -> Iterator[SolveSpeed]:
    """The room's own order first."""
    truth = truth_of(game)
    if not isinstance(truth, PuzzleTruth):
        return
    states = [puzzle.state for puzzle in unseen_puzzles(game, game.entry.levels[-1], COUNT)]
    known = orders(game)
    for name, order in known.items():
        yield _solved(f"order {name}", truth, states, order)
    for name in agents if agents is not None else shipped(game.name):
        order = order_of(find_player(name, game), game)
        if isinstance(order, Order):
            yield _solved(f"order {name}", truth, states, order)
            if order.likely:
                yield _solved(f"order {name}, likeliest line first", truth, states, order, True)


def _solved(how: str, truth: PuzzleTruth, states: list[Any], order: Order, likeliest: bool = False) -> SolveSpeed:
    search = truth.solver.likeliest if likeliest else truth.solver.first
    search(states[0], order)  # compiles it
    found = [search(state, order) for state in states]
    return SolveSpeed(
        how, len(found) / sum(each.seconds for each in found), sum(each.explored for each in found) / len(found)
    )
