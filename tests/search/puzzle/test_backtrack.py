"""Backtracking against the paper's recursion on the slow rules: the same positions explored, in any order of moves."""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.cases import Reference, reference_of

from ludus.core.game import compiled
from ludus.games import entry, make_game
from ludus.games.solitaire_chess.orders import BASELINE, CLOCKWISE
from ludus.search.puzzle.backtrack import sort
from ludus.search.puzzle.order import PythonOrder, order, orders, random_order
from ludus.search.puzzle.solver import PuzzleSolver

PUZZLES = ("N3/1B2/P3/4", "4/P3/4/B1NR", "2R1/N2K/2RQ/PB2", "RRQP/4/2N1/2N1", "1N2/2R1/4/RNP1", "2RR/4/4/4")
HOPELESS = ("K2B/4/4/P3", "4/1BB1/1PB1/P2N")
MANY_ORDERS = "2R1/N2K/2RQ/PB2"  # eleven moves have forty million orders
GAME = make_game("solitaire-chess")
Rank = Callable[[str, list[str]], list[str]]


def baseline(_: str, moves: list[str]) -> list[str]:
    """By the paper's text: rows from the bottom, columns from the right, a piece's moves from the end of our list."""
    ways = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)]
    ways += [(-1, 2), (1, 2), (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)]

    def way(move: str) -> int:
        across, up = ord(move[2]) - ord(move[0]), int(move[3]) - int(move[1])
        far = 1 if (across, up) in ways else max(abs(across), abs(up))
        return ways.index((across // far, up // far))

    return sorted(moves, key=lambda move: (int(move[1]), -ord(move[0]), -way(move)))


def explored(reference: Reference, text: str, rank: Rank, stop: bool = True) -> tuple[int, list[str] | None]:
    """Calls of the recursion, and its first solution. As printed in the paper it never stops: there `stop` is False."""
    calls = 0

    def recurse(text: str, line: list[str]) -> list[str] | None:
        nonlocal calls
        calls += 1
        moves, best = reference.moves(text), None
        if not moves:
            return line if reference.result(text) == (1.0,) else None
        for move in rank(text, moves):
            found = recurse(reference.play(text, move), [*line, move])
            if found is not None and best is None:
                best = found
                if stop:
                    return best
        return best

    found = recurse(text, [])
    return calls, found


def names(game: Any, state: Any, actions: tuple[int, ...]) -> list[str]:
    texts = []
    for action in actions:
        texts.append(game.format_move(state, action))
        state = compiled(game).step(state, action)
    return texts


@pytest.fixture(scope="module")
def solver() -> PuzzleSolver:
    return PuzzleSolver(GAME)


@pytest.mark.parametrize("text", [*PUZZLES, *HOPELESS])
def test_the_baseline_is_the_papers_to_the_letter(solver: PuzzleSolver, text: str) -> None:
    state = GAME.parse(text)
    calls, line = explored(reference_of(GAME), text, baseline)
    found = solver.first(state, BASELINE)
    assert (found.explored, found.solved) == (calls, line is not None)
    assert names(GAME, state, found.actions) == (line or [])


@pytest.mark.parametrize("text", PUZZLES[2:5])
def test_as_printed_it_explores_as_much_in_any_order(solver: PuzzleSolver, text: str) -> None:
    """The code of the paper goes on after a solution: its count is that of the whole tree, and no order changes it."""
    reference = reference_of(GAME)
    counts = {explored(reference, text, rank, stop=False)[0] for rank in (baseline, lambda _, moves: moves[::-1])}
    census = solver.census(GAME.parse(text))
    assert census is not None
    ours = [solver.first(GAME.parse(text), by, stops=False) for by in (BASELINE, CLOCKWISE, random_order(3))]
    assert counts == {census.calls} == {each.explored for each in ours}
    assert {each.solved for each in ours} == {None}
    assert explored(reference, text, baseline)[0] < census.calls


@pytest.mark.parametrize("text", [*PUZZLES, *HOPELESS])
def test_clockwise_lists_the_moves_of_a_piece_from_straight_up(solver: PuzzleSolver, text: str) -> None:
    """As a hand goes round a clock, the last of them first; the pieces are those of the baseline, in its order."""
    hours = [(0, 1), (1, 2), (1, 1), (2, 1), (1, 0), (2, -1), (1, -1), (1, -2)]
    hours += [(-across, -up) for across, up in hours]

    def hour(move: str) -> int:
        across, up = ord(move[2]) - ord(move[0]), int(move[3]) - int(move[1])
        far = 1 if (across, up) in hours else max(abs(across), abs(up))
        return hours.index((across // far, up // far))

    def rank(_: str, moves: list[str]) -> list[str]:
        return sorted(moves, key=lambda move: (int(move[1]), -ord(move[0]), -hour(move)))

    calls, line = explored(reference_of(GAME), text, rank)
    found = solver.first(GAME.parse(text), CLOCKWISE)
    assert (found.explored, names(GAME, GAME.parse(text), found.actions)) == (calls, line or [])


def test_the_names_of_the_orders_are_in_the_entry() -> None:
    assert tuple(orders(GAME)) == entry("solitaire-chess").order_names


@functools.cache
def at_random(reference: Reference, text: str) -> float:
    """The mean over all orders of the moves, each of them tried: what the search explores in random order."""

    def tried(moves: tuple[str, ...]) -> float:
        spent = 1.0
        for move in moves:
            after = reference.play(text, move)
            spent += at_random(reference, after)
            if any(below(reference, after)[after]):
                break
        return spent

    return statistics.fmean(tried(moves) for moves in itertools.permutations(reference.moves(text)))


@pytest.mark.parametrize("text", sorted({*PUZZLES, *HOPELESS} - {MANY_ORDERS}))
def test_the_mean_of_a_random_order_is_exact(solver: PuzzleSolver, text: str) -> None:
    census = solver.census(GAME.parse(text))
    assert census is not None
    assert census.at_random == pytest.approx(at_random(reference_of(GAME), text), rel=1e-12)
    assert at_random(reference_of(GAME), text) <= census.calls


@functools.cache
def below(reference: Reference, text: str) -> dict[str, frozenset[str]]:
    """Every position below one, and how its solutions end, by the slow rules."""
    known: dict[str, frozenset[str]] = {}

    def visit(text: str) -> frozenset[str]:
        if text not in known:
            moves = reference.moves(text)
            ends = [visit(reference.play(text, move)) for move in moves]
            solved = not moves and reference.result(text) == (1.0,)
            known[text] = frozenset([text.split()[0]]) if solved else frozenset().union(*ends)
        return known[text]

    visit(text)
    return known


@pytest.mark.parametrize("text", [*PUZZLES, *HOPELESS])
def test_the_census_counts_positions_solutions_and_ends(solver: PuzzleSolver, text: str) -> None:
    reference, state = reference_of(GAME), GAME.parse(text)
    known, census = below(reference, text), solver.census(state)
    assert census is not None
    assert (census.positions, census.solvable, census.unique) == (len(known), bool(known[text]), len(known[text]) == 1)
    lines = solver.solutions(state, 10_000)
    assert len(lines) == len(set(lines)) == census.solutions
    for line in lines[:20]:
        ended = text
        for move in names(GAME, state, line):
            ended = reference.play(ended, move)
        assert reference.result(ended) == (1.0,)
    found = {GAME.format_move(state, action): after for action, after in (solver.moves(state) or {}).items()}
    assert found == {move: bool(known[reference.play(text, move)]) for move in reference.moves(text)}


@pytest.mark.parametrize("text", PUZZLES)
def test_a_walk_meets_every_position_that_can_be_solved(solver: PuzzleSolver, text: str) -> None:
    reference, known = reference_of(GAME), below(reference_of(GAME), text)
    live = [position for position, ends in known.items() if ends and reference.moves(position)]
    pairs = [(position, reference.play(position, move)) for position in live for move in reference.moves(position)]
    greedy = [reference.play(position, baseline(position, reference.moves(position))[0]) for position in live]
    walked = solver.walk(GAME.parse(text), BASELINE)
    kept, losing = sum(bool(known[after]) for after in greedy), sum(not known[after] for _, after in pairs)
    assert walked == (len(live), kept, len(pairs), losing)


def test_under_solo_the_final_piece_is_the_same_whatever_it_has_captured() -> None:
    game = make_game("solitaire-chess", rules="solo")
    solver, reference = PuzzleSolver(game), reference_of(game)
    for text in (*PUZZLES, "2N1/4/1P2/R3 c4=2"):
        known, census = below(reference, text), solver.census(game.parse(text))
        assert census is not None
        assert (census.positions, census.unique) == (len(known), len(known[text]) == 1)


@pytest.mark.parametrize("text", [*PUZZLES, *HOPELESS])
def test_a_table_finds_the_same_with_less(solver: PuzzleSolver, text: str) -> None:
    state = GAME.parse(text)
    without, with_table = (solver.first(state, BASELINE, table=table) for table in (False, True))
    assert (without.solved, without.actions) == (with_table.solved, with_table.actions)
    assert with_table.explored <= without.explored
    assert with_table.explored <= len(below(reference_of(GAME), text))


@pytest.mark.parametrize("text", ["2R1/N2K/2RQ/PB2", HOPELESS[1]])
def test_an_order_asked_in_python_is_the_same_order(solver: PuzzleSolver, text: str) -> None:
    def rate(state: Any) -> np.ndarray:
        legal = np.flatnonzero(np.asarray(GAME.legal(state)))
        ranked = baseline("", [GAME.format_move(state, int(action)) for action in legal])
        rates = np.full(GAME.num_actions, np.nan, np.float32)
        for action in legal:
            rates[action] = -ranked.index(GAME.format_move(state, int(action)))
        return rates

    state, asked = GAME.parse(text), PythonOrder("asked", rate)
    for table in (False, True):
        ours, theirs = (solver.first(state, by, table=table, nodes=50) for by in (BASELINE, asked))
        assert (ours.solved, ours.actions, ours.explored) == (theirs.solved, theirs.actions, theirs.explored)
        assert np.array_equal(ours.tree.parent, theirs.tree.parent)
        assert np.array_equal(ours.tree.move, theirs.tree.move)
    assert solver.walk(state, BASELINE) == solver.walk(state, asked)


def test_moves_are_tried_by_rate_and_of_those_alike_in_order() -> None:
    """What is no number comes last: an order may have nothing to say of a move."""
    moves, rates = np.arange(6, dtype=np.int16), np.array([np.nan, 1, np.nan, 2, 1, -np.inf], np.float32)
    sort(moves, rates, 6)
    assert moves.tolist() == [3, 1, 4, 5, 0, 2]
    np.testing.assert_array_equal(rates, np.array([2, 1, 1, -np.inf, np.nan, np.nan], np.float32))


def test_chance_is_the_same_for_the_same_seed_and_tries_every_order(solver: PuzzleSolver) -> None:
    state = GAME.parse("2R1/N2K/2RQ/PB2")
    counts = [solver.first(state, random_order(seed)).explored for seed in range(40)]
    assert counts == [solver.first(state, random_order(seed)).explored for seed in range(40)]
    assert min(counts) == 7
    assert len(set(counts)) > 10


def test_a_search_that_stops_goes_on_where_it_was(solver: PuzzleSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    state = GAME.parse("RRQP/4/2N1/2N1")
    whole = solver.first(state, BASELINE)
    monkeypatch.setattr("ludus.search.puzzle.solver.SLICE", 7)
    told: list[int] = []
    again = solver.first(state, BASELINE, watch=lambda explored, _: told.append(explored))
    assert (again.actions, again.explored) == (whole.actions, whole.explored)
    assert told == list(range(7, whole.explored, 7))
    given_up = solver.first(state, BASELINE, seconds=-1)
    assert (given_up.solved, given_up.explored) == (None, 7)


def test_a_name_that_is_no_orders_is_refused() -> None:
    with pytest.raises(Exception, match=r"no order 'best'; there are baseline, clockwise, random\."):
        order(GAME, "best")
