"""Counts of legal lines: as recorded in perft/*.txt, and as the slow reference counts them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.batched import unstack
from helpers.cases import Reference, reference_of
from helpers.playthroughs import game_of
from helpers.positions import STUCK, random_positions

from ludus.games import make_game, names
from ludus.play.perft import perft, successors

REFERENCE_DEPTH = 3


class Line(NamedTuple):
    game: str
    position: str
    counts: dict[int, int]
    mark: str

    @property
    def label(self) -> str:
        return f"{self.game}:{self.position[:40]}"


def lines() -> list[Line]:
    """`game and options | position | depth:count ...`, and `| slow` or `| campaign` where it is."""
    found = []
    for path in sorted((Path(__file__).parents[1] / "perft").glob("*.txt")):
        for text in path.read_text().splitlines():
            if text and not text.startswith("#"):
                game, position, counts, *mark = text.split(" | ")
                pairs = (pair.split(":") for pair in counts.split())
                counted = {int(depth): int(count) for depth, count in pairs}
                found.append(Line(game, position, counted, *mark or [""]))
    return found


each_line = pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, id=line.label, marks=[getattr(pytest.mark, line.mark)] if line.mark else [])
        for line in lines()
    ],
)


def slow_perft(reference: Reference, position: str, depth: int) -> int:
    moves = reference.moves(position)
    if depth == 1:
        return len(moves)
    return sum(slow_perft(reference, reference.play(position, move), depth - 1) for move in moves)


@each_line
def test_counts_are_as_recorded(line: Line) -> None:
    game = game_of(line.game)
    state = game.parse(line.position)
    assert {depth: perft(game, state, depth) for depth in line.counts} == line.counts


@pytest.mark.slow
@each_line
def test_recorded_counts_are_those_of_the_reference(line: Line) -> None:
    reference = reference_of(game_of(line.game))
    counts = {depth: count for depth, count in line.counts.items() if depth <= REFERENCE_DEPTH}
    assert {depth: slow_perft(reference, line.position, depth) for depth in counts} == counts


@pytest.mark.parametrize("size", [2, 3, 4, 5, 11])
def test_hex_counts_are_falling_factorials_until_a_side_can_have_won(size: int) -> None:
    """A side needs n stones: with black's n-th, at ply 2n - 1, some lines end, and the count of the next ply drops."""
    recorded = next(line.counts for line in lines() if line.game in (f"hex size={size}", "hex" if size == 11 else ""))
    for depth, count in recorded.items():
        whole = math.perm(size * size, depth)
        assert count == whole if depth <= 2 * size - 1 else count < whole


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("lgame", "B.n./BBBn/AAA./..A. B"),
        ("hex size=3", "BW./BW./B.. w"),
        ("hex size=3 swap=True", "WWW/BB./B.. b"),
        ("abalone", STUCK),
        ("abalone", "...../w...../w....../bw....../bww....../bb....../bbbw.../bbbb../bbbw. w"),
        ("solitaire-chess", "4/1N2/1P2/4"),
        ("solitaire-chess rules=solo", "2N1/4/1P2/4 c4=2"),
    ],
    ids=lambda text: f"{text}:",
)
def test_a_finished_game_has_no_line_but_the_empty_one(game: str, position: str) -> None:
    rules = game_of(game)
    assert reference_of(rules).moves(position) == []
    assert [perft(rules, rules.parse(position), depth) for depth in range(4)] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "count", [pytest.param(125, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.campaign)]
)
@pytest.mark.parametrize("name", names())
def test_midgame_counts_are_those_of_the_reference(name: str, count: int) -> None:
    """Random positions to depth 2; the slow reference counts its last ply without playing it."""
    game = make_game(name)
    reference = reference_of(game)
    checked = 0
    for seed in range(count // 125):
        states = random_positions(game, 125, seed, ends=False)
        for i in range(125):
            state = unstack(states, i)
            text = game.format(state)
            assert perft(game, state, 2) == slow_perft(reference, text, 2), text
            checked += 1
    assert checked == count


def test_successors_are_in_order_and_complete() -> None:
    game = make_game("hex", size=3)
    states = random_positions(game, 8, ends=False)
    reference = reference_of(game)
    texts = [game.format(unstack(states, i)) for i in range(8)]
    cells = [f"{column}{row}" for row in (1, 2, 3) for column in "abc"]
    expected = [reference.play(text, move) for text in texts for move in sorted(reference.moves(text), key=cells.index)]
    after = successors(game, states)
    assert [game.format(unstack(after, i)) for i in range(len(expected))] == expected
