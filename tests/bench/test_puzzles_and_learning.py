"""What is timed when puzzles are solved, and when a recipe learns, is what is said."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import bench
from ludus.bench import learning
from ludus.bench import puzzles as puzzle_bench
from ludus.games import make_game
from ludus.learners.learner import Span
from ludus.learners.recipe import Recipe
from ludus.learners.recipes import find_recipe
from ludus.truth.puzzle import unseen_puzzles

GAME = make_game("solitaire-chess")


@pytest.mark.slow
def test_the_hardest_puzzles_are_solved_in_each_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_bench, "COUNT", 6)
    found = {each.how: each for each in puzzle_bench.measure(GAME, ["solitaire-chess/best"])}
    assert list(found) == [
        "order baseline",
        "order clockwise",
        "order solitaire-chess/best",
        "order solitaire-chess/best, likeliest line first",
    ]
    puzzles = unseen_puzzles(GAME, "expert", 6)
    assert found["order baseline"].explored == np.mean([puzzle.explored for puzzle in puzzles])
    assert (
        np.mean([puzzle.pieces for puzzle in puzzles])
        <= found[list(found)[3]].explored
        <= found[list(found)[2]].explored
    )
    assert all(each.rate > 0 for each in found.values())
    assert list(puzzle_bench.measure(make_game("hex", size=3))) == []


def test_rows_have_the_papers_order_as_their_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [puzzle_bench.SolveSpeed("order baseline", 50.0, 900.0), puzzle_bench.SolveSpeed("order a", 200.0, 9.0)]
    monkeypatch.setattr(puzzle_bench, "measure", lambda game: iter(found))
    first, second = bench._solved(GAME)
    assert (first["peer"], second["peer"], second["ratio"]) == (None, 50.0, 4.0)
    assert second["what"].endswith("expert puzzles solved in order a (9.0 explored)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "game", "recipe"),
    [
        ("games", make_game("hex", size=3), Recipe.of("tiny", "td", games=100)),
        ("moves", make_game("hex", size=3), Recipe.of("tiny", "online", algorithm="q")),
    ],
)
def test_a_pace_is_what_was_played(name: str, game, recipe: Recipe) -> None:
    times = iter(range(100))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ludus.bench.learning.time.perf_counter", lambda: next(times))
        pace = learning.measure(game, recipe, 3.0)
    span: Span = recipe.learner.span(recipe.config)
    assert (pace.unit, pace.recipe) == (span.unit, "tiny") == (name, "tiny")
    assert pace.rate == pytest.approx(3 * span.size / 4)  # three rounds until three seconds are over, and a last look


def test_the_recipes_are_the_rooms_own() -> None:
    abalone = make_game("abalone")
    names = [recipe.name for recipe in learning.own_recipes(abalone)]
    assert names == ["best", "small", "alphazero", "abalearn-1.0", "abalearn-1.1", "abalearn-1.2"]
    assert find_recipe(abalone, "sarsa").name not in names
