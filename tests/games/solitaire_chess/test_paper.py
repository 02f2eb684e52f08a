"""The paper's study: what is measured is what a search explores, and every verdict follows its rule."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.levels import make
from ludus.games.solitaire_chess.orders import BASELINE
from ludus.games.solitaire_chess.paper import STUDY, searches, verdicts
from ludus.games.solitaire_chess.paper.measures import PUZZLE, explored, strength
from ludus.games.solitaire_chess.paper.steps import by_order, side_by_side
from ludus.games.solitaire_chess.paper.verdicts import DQN
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.games.solitaire_chess.truth import truth
from ludus.search.puzzle.order import random_order
from ludus.study.data import Data, Runs, read_games, write_games
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED
from ludus.study.study import Finding

GAME = SolitaireChess()
SETS = [name for level in LEVELS for name in (level, f"80, {level}")]


def data(**ends: list[float]) -> Data:
    """Runs of as many seeds that end so."""
    count = len(next(iter(ends.values())))
    measured = {name: np.array([[0.0, value] for value in values]) for name, values in ends.items()}
    return Data.of([Runs("", DQN, tuple(range(count)), np.array([0, 100]), measured)], ())


def by_level(fresh: list[list[float]], eighty: list[list[float]]) -> Data:
    ends = {f"fewer, {level}": values for level, values in zip(LEVELS, fresh, strict=True)}
    ends |= {f"fewer, 80, {level}": values for level, values in zip(LEVELS, eighty, strict=True)}
    ends |= {f"fewer than chance, {level}": values for level, values in zip(LEVELS, fresh, strict=True)}
    return data(**ends, **{f"{kind}ratio, {name}": [1.5] * 5 for kind in ("", "baseline ", "random ") for name in SETS})


def decided(finding: Finding) -> list[str]:
    return [claim.verdict for claim in finding.claims]


GOOD, BAD, MIXED = [0.2, 0.3, 0.25, 0.2, 0.3], [-0.2, -0.1, -0.3, -0.2, -0.1], [-0.2, 0.2, 0.1, -0.1, 0.05]


@pytest.mark.parametrize(
    ("fresh", "verdict"),
    [([GOOD] * 4, HOLDS), ([GOOD, GOOD, BAD, GOOD], FAILS), ([MIXED, *[GOOD] * 3], UNDECIDED)],
)
def test_fewer_at_every_level_or_not(fresh: list[list[float]], verdict: str) -> None:
    assert decided(verdicts.fewer(by_level(fresh, [GOOD] * 4))) == [HOLDS, verdict]
    assert decided(verdicts.fewer(by_level([GOOD] * 4, fresh))) == [verdict, HOLDS]
    assert decided(verdicts.beats_chance(by_level(fresh, [GOOD] * 4))) == [verdict]


@pytest.mark.parametrize(("right", "verdict"), [([1.0] * 5, HOLDS), ([1.0, 1.0, 0.999], FAILS)])
def test_accuracy_is_all_or_nothing(right: list[float], verdict: str) -> None:
    assert decided(verdicts.accuracy(data(right=right))) == [verdict]


@pytest.mark.parametrize(("worse", "verdict"), [([0.0] * 5, HOLDS), ([0.0, 0.0125, 0.0], FAILS)])
def test_one_puzzle_is_enough_to_be_worse(worse: list[float], verdict: str) -> None:
    found = verdicts.never_worse(data(worse=worse, **{f"worse, {name}": worse for name in SETS}))
    assert decided(found) == [verdict]
    assert [row[0] for row in found.table] == ["more explored than by the baseline", "the eighty", "fresh puzzles"]


@pytest.mark.parametrize(("tied", "verdict"), [([0.1, 0.2], HOLDS), ([0.1, 0.0], FAILS)])
def test_there_is_a_tie_in_every_seed(tied: list[float], verdict: str) -> None:
    assert decided(verdicts.ties(data(tied=tied))) == [verdict]


@pytest.mark.parametrize(
    ("steps", "verdict"), [([4, 4, 5, 4, 6], HOLDS), ([12, 13, 14, 12, 12], FAILS), ([4, 20, 11, 8, 14], UNDECIDED)]
)
def test_one_tree_is_smaller(steps: list[float], verdict: str) -> None:
    assert decided(verdicts.one_tree(data(puzzle=steps))) == [verdict]


def test_the_puzzle_of_the_trees_is_like_the_papers() -> None:
    """The baseline tries pawn, bishop, knight and rook in this order, and explores 11 positions; the rook begins."""
    found = truth(GAME).solve(GAME.parse(PUZZLE), nodes=20)
    first = [found.found.tree.move[node] for node in range(11) if found.found.tree.parent[node] == 0]
    pieces = {"c1": "P", "a2": "B", "d3": "N", "c4": "R"}
    moved = [pieces[GAME.format_move(GAME.parse(PUZZLE), int(action))[:2]] for action in first]
    assert list(dict.fromkeys(moved)) == ["B", "N", "R"]  # the pawn has nothing to take
    assert (found.found.explored, found.moves[0]) == (verdicts.STEPS, "c4c1")


@pytest.mark.slow
def test_two_searches_of_a_puzzle_are_kept_step_by_step(tmp_path: Path) -> None:
    """What is written down is the search, move by move; it survives its file, and is drawn and listed from there."""
    recipe = STUDY.figures["fig3"].curves[0].recipe
    network = recipe.learner.weights(recipe.learner.init(recipe.config, GAME, jax.random.key(0)))
    agents = [(DQN, recipe, jax.tree.map(lambda leaf: np.asarray(leaf)[None], network))]
    steps = searches.one_puzzle(agents)
    write_games(tmp_path / "steps.csv", steps)
    assert read_games(tmp_path / "steps.csv") == steps
    seen = Data.of([], steps)
    orders = by_order(seen)
    assert list(orders) == ["baseline", DQN]
    assert len(orders["baseline"]) == verdicts.STEPS
    solved = truth(GAME).solve(GAME.parse(PUZZLE))
    assert orders["baseline"][-1].line == " ".join(solved.moves)
    head, *rows = side_by_side(seen)
    assert head == [PUZZLE, "baseline", DQN]
    assert rows[0] == ["1", "start", "start"]
    assert len(rows) == max(map(len, orders.values()))
    assert searches.trees(seen).count("<rect") == len(steps) + 1
    tied = by_order(Data.of([], searches.a_tie(agents)))
    assert len({len(each) for each in tied.values()}) <= 1
    assert searches.trees(Data.of([], [])).count("<rect") == 1


@pytest.mark.slow
def test_the_baseline_is_as_good_as_itself() -> None:
    found = strength(truth(GAME), BASELINE, 8)
    assert (found["right"], found["worse"], found["tied"], found["puzzle"]) == (1, 0, 1, 11)
    assert all(found[f"fewer, {level}"] == 0 for level in LEVELS)
    other = strength(truth(GAME), random_order(1), 8)
    assert other["right"] == 1
    assert 0 < other["worse"] < 1


@pytest.mark.slow
def test_what_is_explored_is_what_a_search_explores() -> None:
    known, puzzles = truth(GAME), make(GAME, "intermediate", 10, 0)
    found = explored(known, BASELINE, puzzles)
    assert found.ours.tolist() == found.baseline.tolist() == [puzzle.explored for puzzle in puzzles]
    assert found.floor.tolist() == [puzzle.pieces for puzzle in puzzles]
    assert found.right.all()
