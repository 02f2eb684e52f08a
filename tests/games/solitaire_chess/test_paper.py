"""The paper's study: what is measured is what a search explores, and every verdict follows its rule."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ludus.games.solitaire_chess import LEVELS, notation, reference
from ludus.games.solitaire_chess.levels import benchmark
from ludus.games.solitaire_chess.orders import BASELINE, CLOCKWISE
from ludus.games.solitaire_chess.paper import STUDY, basics, counts, measures, searches, setups, verdicts, words
from ludus.games.solitaire_chess.paper.puzzles import known, search, sets
from ludus.games.solitaire_chess.paper.steps import board_after, by_order, side_by_side
from ludus.games.solitaire_chess.paper.words import (
    BOARDS,
    DQN,
    EIGHTY,
    EIGHTY_SETS,
    FIG3,
    FIG5,
    FIGURE_3,
    FIGURE_5,
    FLOOR,
    FRESH_SETS,
    MORE,
    ONE_3,
    ONE_5,
    PRINTED,
    RANDOM,
    TARGET,
    UNTRAINED,
)
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners import find_learner
from ludus.search.puzzle.order import random_order
from ludus.study.data import Counts, Data, Runs, read_games, write_games
from ludus.study.life import judged
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, UNJUDGED
from ludus.study.study import Finding

GAME = SolitaireChess()
FEW = 8  # fresh puzzles of each level
SETS = (*FRESH_SETS, *EIGHTY_SETS)
PUZZLES, SEEDS = 40, 10


def runs(label: str, **ends: list[float]) -> Runs:
    """Runs of as many seeds that begin at 0 and end so."""
    count = len(next(iter(ends.values())))
    measured = {name: np.array([[0.0, value] for value in values]) for name, values in ends.items()}
    return Runs("", label, tuple(range(count)), np.array([0, 100]), measured)


def searched(better: dict[str, float], seeds: int = SEEDS) -> Data:
    """What every order explores: 20 positions in the mean, or by order that many times as many, with noise."""
    chance, rows = np.random.default_rng(0), []
    for name in SETS:
        hard = chance.uniform(10, 30, PUZZLES)
        rows.append(Counts.of(0, FLOOR, name, np.full(PUZZLES, 5)))
        rows += [Counts.of(0, each, name, hard * better.get(each, 1)) for each in counts.FIXED]
        for order in (UNTRAINED, *verdicts.ARMS):
            for seed in range(seeds):
                noise = chance.uniform(0.95, 1.05, PUZZLES)
                rows.append(
                    Counts.of(seed, order, name, hard * noise * better.get(f"{order}, {name}", better.get(order, 1)))
                )
    return Data.of([runs(arm, right=[1.0] * seeds) for arm in verdicts.ARMS], rows)


def decided(finding: Finding) -> list[str]:
    return [claim.verdict for claim in finding.claims]


# --- comparisons -------------------------------------------------------------------------------------------------


def test_an_order_explores_fewer_than_another_at_every_level_or_not() -> None:
    """On the two sets of puzzles, and for the arm that begins at the eighty."""
    less = {DQN: 0.8, EIGHTY: 0.8}
    assert decided(verdicts.baseline(searched(less))) == [HOLDS] * 3
    assert decided(verdicts.baseline(searched(less | {f"{DQN}, expert": 1.3}))) == [HOLDS, FAILS, HOLDS]
    assert decided(verdicts.baseline(searched(less | {f"{DQN}, 80, expert": 1.0}))) == [UNDECIDED, HOLDS, HOLDS]
    assert decided(verdicts.chance(searched(less))) == [HOLDS, HOLDS, HOLDS, UNDECIDED, UNDECIDED]
    assert decided(verdicts.untrained(searched(less | {UNTRAINED: 0.7}))) == [FAILS] * 5
    assert decided(verdicts.untrained(searched({UNTRAINED: 1.4}))) == [HOLDS] * 5
    assert decided(verdicts.other_arms(searched({MORE: 0.7, TARGET: 1.2}))) == [HOLDS, FAILS, UNDECIDED]


def test_what_is_saved_is_of_the_other_orders_mean_on_the_same_puzzles() -> None:
    """Puzzles are drawn again too: a doubt that comes from them alone makes the interval wide."""
    one_hard = [1.0] * 19 + [500.0]
    rows = [Counts.of(0, RANDOM, "beginner", [10.0] * 20)]
    rows += [Counts.of(seed, DQN, "beginner", one_hard) for seed in range(SEEDS)]
    share = counts.saved(Data.of([], rows), DQN, RANDOM, "beginner")
    assert share is not None
    assert share.mean == pytest.approx(1 - sum(one_hard) / 200)
    assert share.low < -5  # without the puzzle it is .9, and with it thrice -6
    assert share.high > 0.5
    assert counts.saved(Data.of([], rows), DQN, UNTRAINED, "beginner") is None


def test_an_arm_of_fewer_seeds_is_compared_on_those() -> None:
    rows = [Counts.of(seed, DQN, "beginner", [10.0 + 10 * (seed > 4), 10.0]) for seed in range(SEEDS)]
    rows += [Counts.of(seed, MORE, "beginner", [5.0, 5.0]) for seed in range(5)]
    share = counts.saved(Data.of([], rows), MORE, DQN, "beginner")
    assert share is not None
    assert (share.mean, share.count) == (0.5, 5)


def test_the_table_begins_with_what_nobody_learned() -> None:
    """And the picture has the same numbers as level lines."""
    seen = searched({})
    head, *rows = verdicts.baseline(seen).table
    assert head == ["explored / floor", *LEVELS]
    order = [*counts.FIXED, UNTRAINED, *verdicts.ARMS]
    assert [row[0] for row in rows] == [f"{place}: {name}" for place in counts.SETS for name in order]
    assert all(len(row) == len(head) and all("[" in cell for cell in row[1:]) for row in rows)
    lines = STUDY.words["ratio, expert"].lines(seen)
    assert [name for _, name in lines] == ["baseline", "random", "untrained"]
    assert {f"{level:.3f}" for level, _ in lines} == {
        row[-1].split()[0] for row in rows[len(order) :] if row[0].split(": ")[1] in {name for _, name in lines}
    }


def test_a_claim_over_dead_networks_cannot_be_judged() -> None:
    """Ten networks of which four order all moves as before they learned."""
    seen = searched({DQN: 0.8, EIGHTY: 0.8})
    ranks = np.array([[1.0, 1.0 if seed < 4 else 0.5] for seed in range(SEEDS)])
    dead = [Runs("", DQN, tuple(range(SEEDS)), np.array([0, 100]), {"rank": ranks}), *seen.curves[1:]]
    found = judged(verdicts.baseline(seen), Data(dead, counts=seen.counts))
    assert decided(found) == [UNJUDGED, UNJUDGED, HOLDS]


# --- single claims -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "verdict"), [([1.0] * 5, HOLDS), ([1.0, 1.0, 0.999], FAILS)])
def test_accuracy_is_all_or_nothing(right: list[float], verdict: str) -> None:
    assert decided(basics.accuracy(Data([runs(DQN, right=right)]))) == [verdict]


@pytest.mark.parametrize(("worse", "verdict"), [([0.0] * SEEDS, HOLDS), ([0.0] * 9 + [0.0125], FAILS)])
def test_one_puzzle_is_enough_to_be_worse(worse: list[float], verdict: str) -> None:
    seen = Data([runs(DQN, worse=worse), runs(EIGHTY, worse=[0.0] * SEEDS)], counts=searched({}).counts)
    found = basics.never_worse(seen)
    assert decided(found) == [verdict, HOLDS]
    assert [row[0] for row in found.table[1:3]] == ["the eighty: untrained", "fresh puzzles: untrained"]


@pytest.mark.parametrize(("tied", "verdict"), [([0.1, 0.2], HOLDS), ([0.1, 0.0], FAILS)])
def test_there_is_a_tie_in_every_seed(tied: list[float], verdict: str) -> None:
    assert decided(basics.ties(Data([runs(DQN, tied=tied)]))) == [verdict]


@pytest.mark.parametrize(
    ("steps", "verdict"), [([4, 4, 5, 4, 6], HOLDS), ([12, 13, 14, 12, 12], FAILS), ([4, 20, 11, 8, 14], UNDECIDED)]
)
def test_one_tree_is_smaller(steps: list[float], verdict: str) -> None:
    curves = [runs(label, **{FIG3: steps}) for label in (DQN, ONE_3)]
    shown = searches.steps_of(FIGURE_3, BASELINE)
    assert decided(basics.one_tree(Data(curves, steps=shown))) == [verdict] * 2


def test_the_printed_code_counts_alike_or_not() -> None:
    def seen(last: list[float]) -> Data:
        rows = [Counts.of(0, words.BASELINE, name, [3, 4]) for name in EIGHTY_SETS]
        for label in PRINTED.values():
            rows += [Counts.of(0, label, name, [7, 9]) for name in EIGHTY_SETS[1:]]
        return Data.of(
            [],
            [
                *rows,
                *(
                    Counts.of(0, label, EIGHTY_SETS[0], values)
                    for label, values in zip(PRINTED.values(), ([7, 9], [7, 9], last), strict=True)
                ),
            ],
        )

    assert decided(basics.printed_code(seen([7, 9]))) == [FAILS]
    assert decided(basics.printed_code(seen([7, 8]))) == [HOLDS]


# --- the puzzles of the figures ----------------------------------------------------------------------------------


def test_the_puzzle_of_the_trees_is_like_the_papers() -> None:
    """The baseline tries pawn, bishop, knight and rook in this order, and explores 11 positions; the rook begins."""
    found = known().solve(GAME.parse(FIGURE_3), nodes=20)
    first = [found.found.tree.move[node] for node in range(11) if found.found.tree.parent[node] == 0]
    pieces = {"c1": "P", "a2": "B", "d3": "N", "c4": "R"}
    moved = [pieces[GAME.format_move(GAME.parse(FIGURE_3), int(action))[:2]] for action in first]
    assert list(dict.fromkeys(moved)) == ["B", "N", "R"]  # the pawn has nothing to take
    assert (found.found.explored, found.moves[0]) == (words.BASELINE_STEPS[FIG3], "c4c1")


def entered(text: str, rank: Any) -> list[str]:
    """The positions that the paper's recursion enters up to a solution, by the slow rules."""
    seen = [text]
    for move in rank(reference.moves(text)):
        seen += entered(reference.play(text, move), rank)
        if reference.result(seen[-1]) == (1.0,):
            break
    return seen


def signature(board: str) -> list[tuple[int, str]]:
    """The pieces of a board with their ranks: what our text of the paper shows beyond doubt; files it shows roughly."""
    return sorted((rank, piece) for (_, rank), piece in notation.read(board, 4, False)[0].items())


def test_the_boards_of_figure_5_fix_its_puzzle() -> None:
    """Of all places for the four pieces on their ranks, one alone gives the boards, if pieces come in the paper's order
    and the moves of a piece in any one.
    """
    without = basics.without_redrawn(BOARDS, [board for place, board in enumerate(BOARDS) if place not in (4, 8, 9)])
    wanted, found = [signature(board) for board in without], set()
    assert len(without) == 10
    for files in itertools.product(range(4), repeat=4):
        squares: list[notation.Square] = list(zip(files, (3, 2, 2, 1), strict=True))
        pieces = dict(zip(squares, "BRNN", strict=True))
        if len(pieces) < 4:
            continue
        text = notation.write(pieces, {}, 4)
        for turned in itertools.product((1, -1), repeat=2):  # the knight's moves and the rook's, in either order

            def rank(moves: list[str], turned: tuple[int, ...] = turned) -> list[str]:
                def key(move: str) -> tuple[int, int, int]:
                    across, up = ord(move[2]) - ord(move[0]), int(move[3]) - int(move[1])
                    return int(move[1]), -ord(move[0]), turned[0 if across and up else 1] * across

                return sorted(moves, key=key)

            boards = entered(text, rank)
            if [signature(board) for board in boards] == wanted:
                found.add(text)
    assert found == {FIGURE_5}


def test_figure_5_in_the_order_clockwise_and_its_two_ends() -> None:
    """The paper's boards, in its order; our baseline's list has two of them the other way round."""
    curves = [runs(label, **{FIG5: [10.0] * SEEDS}) for label in (DQN, ONE_5)]
    shown = searches.steps_of(FIGURE_5, CLOCKWISE) + searches.steps_of(FIGURE_5, BASELINE)
    lines = known().solve(GAME.parse(FIGURE_5), every=True).every or ()
    assert len(lines) == 3
    shown += [searches.SearchStep(0, words.SOLUTIONS, FIGURE_5, 0, -1, -1, " ".join(line)) for line in lines]
    found = basics.the_boards(Data(curves, steps=shown))
    assert decided(found) == [HOLDS, FAILS, HOLDS, HOLDS]
    assert "3 boards drawn again; in our baseline's list they come in another order" in found.claims[0].found
    assert "N3/4/4/4 and R3/4/4/4" in found.claims[1].found
    renamed = [replace(step, order=CLOCKWISE.name) for step in shown if step.order == BASELINE.name]
    others = [step for step in shown if step.order != CLOCKWISE.name]
    assert decided(basics.the_boards(Data(curves, steps=renamed + others)))[0] == FAILS
    assert [row[1] for row in found.table[1:]] == list(BOARDS)


# --- measuring ---------------------------------------------------------------------------------------------------


@functools.cache
def untrained_agents() -> list[tuple[str, Any, Any]]:
    recipe = STUDY.figures["fig3"].curves[0].recipe
    return [(DQN, *measures.untrained([("", recipe, {"any": np.zeros(2)})])[1:])]


@pytest.mark.slow
def test_searches_of_a_puzzle_are_kept_step_by_step(tmp_path: Path) -> None:
    """What is written down is the search, move by move; it survives its file, and is drawn and listed from there."""
    steps = searches.one_puzzle(untrained_agents())
    write_games(tmp_path / "steps.csv", steps)
    assert read_games(tmp_path / "steps.csv") == steps
    seen = Data.of([], steps)
    orders = by_order(seen)
    assert list(orders) == ["baseline", UNTRAINED, DQN]
    assert [step.line for step in orders[UNTRAINED]] == [step.line for step in orders[DQN]]  # it has learned nothing
    assert len(orders["baseline"]) == words.BASELINE_STEPS[FIG3]
    solved = known().solve(GAME.parse(FIGURE_3))
    assert orders["baseline"][-1].line == " ".join(solved.moves)
    assert solved.final is not None
    assert board_after(orders["baseline"][-1]).count(solved.final[0]) == 1
    head, *rows = side_by_side(seen)
    assert head == [FIGURE_3, "baseline", UNTRAINED, DQN]
    assert rows[0] == ["1", "start", "start", "start"]
    assert len(rows) == max(map(len, orders.values()))
    assert searches.trees(seen).count("<rect") == len(steps) + 1


@pytest.mark.slow
def test_the_baseline_is_as_good_as_itself() -> None:
    found = measures.strength(BASELINE, FEW)
    assert (found["right"], found["worse"], found["tied"]) == (1, 0, 1)
    assert (found[FIG3], found[FIG5]) == (11, 10)
    for puzzles in sets(FEW).values():
        assert search(puzzles, BASELINE).positions.tolist() == puzzles.baseline.tolist()
    other = measures.strength(random_order(1), FEW)
    assert other["right"] == 1
    assert 0 < other["worse"] < 1


@pytest.mark.slow
def test_every_puzzle_is_counted_for_every_order(tmp_path: Path) -> None:
    """The rows are what is measured along the curve too, puzzle by puzzle; and they survive their file."""
    agents = untrained_agents()
    rows = measures.each_puzzle(agents, FEW)
    write_games(tmp_path / "counts.csv", rows)
    assert read_games(tmp_path / "counts.csv") == rows
    seen = Data.of([], rows)
    (order, *_), among = measures.orders(agents[0][1].learner, agents[0][1].config, agents[0][2]), sets(FEW)
    along = measures.strength(order, FEW)
    for name in SETS:
        puzzles = counts.explored(seen, DQN, name)
        assert puzzles.shape == (2, len(among[name].states))
        np.testing.assert_array_equal(puzzles, counts.explored(seen, UNTRAINED, name))
        assert (puzzles[0] / among[name].floor).mean() == pytest.approx(along[f"ratio, {name}"])
        np.testing.assert_allclose(counts.explored(seen, RANDOM, name)[0], among[name].at_random, rtol=1e-4)
    assert decided(basics.printed_code(seen)) == [FAILS]


@pytest.mark.slow
def test_an_arm_begins_at_the_puzzles_on_which_it_is_judged() -> None:
    keys = jax.random.split(jax.random.key(0), 2)

    def texts(setup: Any) -> list[str]:
        made = jax.tree.map(np.asarray, setup(find_learner("dqn"), None, GAME, keys))
        assert all(len(leaf) == 2 and np.array_equal(leaf[0], leaf[1]) for leaf in jax.tree.leaves(made))
        return [GAME.format(jax.tree.map(lambda leaf, row=row: leaf[0, row], made)) for row in range(80)]

    assert texts(setups.eighty) == benchmark()
    assert set(texts(setups.figure_3)) == {FIGURE_3}
    assert set(texts(setups.figure_5)) == {FIGURE_5}
