"""Puzzles by level: one final piece and square by the slow rules, of their level, and no two alike."""

from __future__ import annotations

import datetime
import itertools

import numpy as np
import pytest
from helpers.cases import reference_of

from ludus.errors import BadInput
from ludus.games import make_game, part
from ludus.games.solitaire_chess import LEVELS, levels, notation
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.play.puzzles import seed_of
from ludus.search.puzzle.solver import PuzzleSolver

pytestmark = pytest.mark.slow  # Numba compiles for ten seconds before the first of them


def ends(game: SolitaireChess, text: str) -> set[tuple[str, str]]:
    """The last pieces and squares of all solutions, by the slow rules."""
    reference, known = reference_of(game), {}

    def visit(text: str) -> set[tuple[str, str]]:
        if text not in known:
            moves = reference.moves(text)
            known[text] = set().union(*(visit(reference.play(text, move)) for move in moves))
            if not moves and reference.result(text) == (1.0,):
                pieces, _ = notation.read(text, game.size, True)
                ((square, letter),) = pieces.items()
                known[text] = {(letter, notation.name(square))}
        return known[text]

    return visit(text)


@pytest.mark.parametrize("rules", ["paper", "solo"])
@pytest.mark.parametrize("level", LEVELS)
def test_every_puzzle_has_one_final_piece_and_square(level: str, rules: str) -> None:
    game = SolitaireChess(rules=rules)
    for puzzle in levels.make(game, level, 12 if level == "expert" else 40, 7):
        assert ends(game, puzzle.position) == {puzzle.final}
        assert puzzle.level == level
        assert puzzle.pieces == sum(letter.isalpha() for letter in puzzle.position)


def test_none_is_a_repeat_or_a_mirror_image() -> None:
    made = [puzzle.position for puzzle in levels.make(SolitaireChess(size=3), "beginner", 600, 1)]
    turned = {levels.mirrored(text, 3) for text in made}
    assert len(set(made)) == 600
    assert len(set(made) | turned) == 1200 - sum(levels.mirrored(text, 3) == text for text in made)


@pytest.mark.parametrize(
    ("text", "turned"),
    [("N3/1B2/P3/4", "3N/2B1/3P/4"), ("2N1/4/4/P3 a1=1,c4=2", "1N2/4/4/3P b4=2,d1=1"), ("1NN1/4/4/4", "1NN1/4/4/4")],
)
def test_a_mirror_image(text: str, turned: str) -> None:
    assert levels.mirrored(text, 4) == turned


def test_a_seed_makes_the_same_puzzles_on_any_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    game = SolitaireChess()
    made = levels.make(game, "intermediate", 100, 3)
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert levels.make(game, "intermediate", 100, 3) == made
    assert levels.make(game, "intermediate", 100, 4) != made


@pytest.mark.parametrize(
    ("level", "first"),
    [("beginner", "1N2/2R1/B3/4"), ("intermediate", "4/1P2/1N2/PBNR"), ("advanced", "2N1/1P2/1B2/PBNR")],
)
def test_a_seed_means_the_same_puzzle_to_everybody(level: str, first: str) -> None:
    """Written down once: who changes how puzzles are drawn changes every puzzle that somebody told another of by its
    number, and the day's.
    """
    assert levels.make(SolitaireChess(), level, 1, 1)[0].position == first
    assert seed_of(datetime.date(2026, 1, 31)) == 2344567214


def test_a_level_is_what_was_measured() -> None:
    game = SolitaireChess()
    for level in LEVELS:
        for puzzle in levels.make(game, level, 20, 11):
            found = levels.measure(game, game.parse(puzzle.position))
            assert found == puzzle
            walked = PuzzleSolver(game).walk(game.parse(puzzle.position), part(game, "orders")["baseline"])
            assert walked is not None
            assert puzzle.losing == walked.losing / walked.moves
            break


def test_levels_get_harder() -> None:
    made = [levels.make(SolitaireChess(), level, 64, 2) for level in LEVELS]
    for easy, hard in itertools.pairwise(made):
        for measure in ("pieces", "explored", "losing"):
            assert np.mean([getattr(p, measure) for p in easy]) < np.mean([getattr(p, measure) for p in hard])


def test_the_box_is_not_emptied_twice() -> None:
    for puzzle in levels.make(SolitaireChess(), "expert", 40, 5):
        letters = [letter for letter in puzzle.position if letter.isalpha()]
        assert all(letters.count(letter) <= most for letter, most in zip("KQRBNP", (1, 1, 2, 2, 2, 2), strict=True))


def test_the_benchmark_is_twenty_of_each_level() -> None:
    game, texts = SolitaireChess(), levels.benchmark()
    assert len(texts) == len({*texts, *(levels.mirrored(text, 4) for text in texts)}) // 2 == 80
    found = [levels.measure(game, game.parse(text)).level for text in texts]
    assert found == [name for name in LEVELS for _ in range(20)]


def test_twelve_pieces_on_a_large_board_under_solo() -> None:
    game = SolitaireChess(size=8, rules="solo")
    (puzzle,) = levels.make(game, "advanced", 1, 0, pieces=10)
    census = PuzzleSolver(game).census(game.parse(puzzle.position))
    assert puzzle.pieces == 10
    assert census is not None
    assert census.unique


@pytest.mark.parametrize(
    ("game", "level", "pieces", "why"),
    [
        ({"size": 3}, "expert", None, "a 3 x 3 board has no room for puzzles of level expert."),
        ({}, "expert", 5, "a puzzle of level expert has at least 7 pieces, not 5."),
    ],
)
def test_what_cannot_be_made_is_refused(game: dict, level: str, pieces: int | None, why: str) -> None:
    with pytest.raises(BadInput) as refused:
        levels.make(make_game("solitaire-chess", **game), level, 1, 0, pieces)  # pyright: ignore[reportArgumentType]
    assert str(refused.value) == why


@pytest.mark.parametrize("text", ["2RR/4/4/4", "K2B/4/4/P3"])
def test_what_is_no_puzzle_is_not_measured(text: str) -> None:
    game = SolitaireChess()
    with pytest.raises(BadInput, match="no puzzle with one final piece and square"):
        levels.measure(game, game.parse(text))
