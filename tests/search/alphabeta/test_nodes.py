"""The steps of the alpha-beta search on numbers written down here: what follows from a child's value, what is kept of a
node, and which moves are tried early from then on.
"""

from __future__ import annotations

import numpy as np
import pytest

from ludus.games import make_game
from ludus.search.alphabeta.nodes import AGAIN, CUT, MORE, NARROW, REDUCED, WHOLE, close, weigh
from ludus.search.alphabeta.transpositions import EXACT, LOWER, UPPER, bound_of, look, move_of
from ludus.search.alphabeta.workspace import PLIES, SearchSettings, Workspace, workspace_of

PLY, CHILD = 2, 3
SETUP = SearchSettings(
    table=True,
    ordering=True,
    reductions=True,
    quiescence=False,
    ties=False,
    asks=False,
    seat=1,
    tie=0,
    search=1,
    hint=-1,
)


@pytest.fixture(scope="module")
def memory() -> Workspace:
    return workspace_of(make_game("hex", size=4), np.zeros((PLIES, 1), np.int64), entries=1)


def node(memory: Workspace, alpha: int, beta: int, best: int, stage: int = WHOLE) -> None:
    """An open node with six plies left, whose second move of three, 8, has just been looked at a ply less deep."""
    memory.alpha[PLY], memory.beta[PLY], memory.floor[PLY], memory.best[PLY] = alpha, beta, alpha, best
    memory.depth[PLY], memory.depth[CHILD], memory.stage[PLY] = 6, 4, stage
    memory.moves[PLY, :3], memory.number[PLY], memory.at[PLY] = (7, 8, 9), 3, 2
    memory.loop[PLY], memory.loop[CHILD], memory.length[CHILD] = PLIES, PLIES, 0


@pytest.mark.parametrize(("best", "bound"), [(-6, UPPER), (-5, UPPER), (-4, EXACT), (4, EXACT), (5, LOWER), (6, LOWER)])
def test_a_value_is_kept_as_a_bound_where_the_window_cut_it_off(memory: Workspace, best: int, bound: int) -> None:
    """In a window from -5 to 5: a value of -5 was shown to be no higher, and may be lower."""
    node(memory, -5, 5, best)
    memory.keys[PLY], memory.chosen[PLY] = np.uint64(77 + best), 8
    assert close(memory, SETUP, PLY) == best
    found = np.uint64(look(memory.table, memory.keys[PLY], SETUP.search))
    assert (bound_of(found), move_of(found)) == (bound, 8)


@pytest.mark.parametrize(
    ("stage", "value", "follows", "then", "depth", "window"),
    [
        (REDUCED, 3, AGAIN, NARROW, 5, (-3, -2)),  # better after all: as deep as the others, still in a narrow window
        (REDUCED, 2, MORE, REDUCED, 4, None),
        (NARROW, 3, AGAIN, WHOLE, 4, (-9, -2)),  # and then in the whole of it
        (NARROW, 9, CUT, NARROW, 4, None),
        (WHOLE, 5, MORE, WHOLE, 4, None),
        (WHOLE, 9, CUT, WHOLE, 4, None),
    ],
)
def test_a_move_that_looks_better_than_it_was_asked_to_be_is_looked_at_again(
    memory: Workspace, stage: int, value: int, follows: int, then: int, depth: int, window: tuple[int, int] | None
) -> None:
    """At a node between 2 and 9."""
    node(memory, 2, 9, 2, stage)
    memory.alpha[CHILD], memory.beta[CHILD] = untouched = (-70, 70)
    assert weigh(memory, PLY, value) == follows
    assert (memory.stage[PLY], memory.depth[CHILD]) == (then, depth)
    assert (memory.alpha[CHILD], memory.beta[CHILD]) == (window or untouched)
    raised = follows != AGAIN and value > 2
    assert memory.alpha[PLY] == memory.best[PLY] == (value if raised else 2)
    assert memory.line[PLY, : memory.length[PLY]].tolist() == ([8] if raised else [])


def test_what_was_too_good_is_tried_early_and_what_was_tried_before_it_late(memory: Workspace) -> None:
    """Six plies deep that counts 36, less what was there already times 36 / 16,384, rounded down."""
    memory.history[:], memory.killers[:] = 0, -1
    for best, chosen, history, killers in (
        (9, 8, (-36, 36, 0), (8, -1)),
        (9, 8, (-71, 72, 0), (8, -1)),
        (9, 7, (-34, 36, 0), (7, 8)),
        (4, 8, (-34, 36, 0), (7, 8)),  # no cut: nothing is learned of moves
    ):
        node(memory, 2, 9, best)
        memory.chosen[PLY] = chosen
        close(memory, SETUP, PLY)
        assert memory.history[1, 7:10].tolist() == list(history)  # of the seat that is to move at an even ply
        assert not memory.history[0].any()
        assert memory.killers[PLY].tolist() == list(killers)
