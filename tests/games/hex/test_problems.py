"""The puzzles of Hex: every line is a position with one winning move, and the solver says so too."""

from __future__ import annotations

import random

import pytest

from ludus.games import entry
from ludus.games.hex import reference
from ludus.games.hex.problems import problem, problems
from ludus.games.hex.rules import Hex
from ludus.games.hex.solver import grid
from ludus.games.hex.solver.prover import shared_prover
from ludus.play.puzzles import Problem, rating_of

ALL = [each for level in problems().values() for each in level]


def turned(position: str) -> str:
    placement, mover = position.split()
    return f"{placement[::-1]} {mover}"


def wins(position: str, options: dict[str, int]) -> list[str]:
    """The winning moves, by the prover."""
    game = Hex(options["size"])
    state = game.parse(position)
    found, size = shared_prover(options["size"]).solve(*grid.masks(game, state)), options["size"]
    cells = [divmod(cell, size) for cell in range(size**2) if found.winning >> cell & 1]
    names = ["abcdefg"[column] + str(row + 1) for row, column in cells]
    return names if position.endswith("b") else ["abcdefg"[row] + str(column + 1) for row, column in cells]


def test_every_puzzle_is_a_position_of_its_own_with_one_answer() -> None:
    assert all(len(level) >= 50 for level in problems().values())
    seen = {each.position for each in ALL}
    assert len(seen) == len(ALL)
    assert not any(turned(position) in seen - {position} for position in seen)
    for each in ALL:
        legal = reference.moves(each.position)
        assert sorted([*each.answers, *each.replies]) == legal
        (answer,) = each.answers
        after = reference.play(each.position, answer)
        assert reference.result(after) is None, "that would be no puzzle"
        for move, reply in each.replies.items():
            assert reply in reference.moves(reference.play(each.position, move))
        assert ("Black" if each.position.endswith("b") else "White") in each.goal


@pytest.mark.slow
def test_the_solver_agrees() -> None:
    """On some of each level: the answer alone wins, and every reply wins against its move."""
    chance = random.Random(1)
    for level in problems().values():
        for each in chance.sample(level, 3):
            assert wins(each.position, dict(each.options)) == list(each.answers)
            for move in chance.sample(sorted(each.replies), 2):
                after = reference.play(each.position, move)
                assert each.replies[move] in wins(after, dict(each.options))


def test_harder_levels_have_higher_ratings_and_seeds_go_through_all() -> None:
    levels = entry("hex").levels
    highest = [max(rating_of(each.explored) for each in problems()[level]) for level in levels]
    lowest = [min(rating_of(each.explored) for each in problems()[level]) for level in levels]
    assert all(low > high for low, high in zip(lowest[1:], highest, strict=False))
    some: set[Problem | str] = {problem("expert", seed).position for seed in range(len(problems()["expert"]))}
    assert some == {each.position for each in problems()["expert"]}


def test_a_rating_rises_by_a_hundred_with_each_doubling() -> None:
    assert [rating_of(explored) for explored in (0, 1, 2, 4, 1024)] == [600, 600, 700, 800, 1600]
