"""Puzzles at the table: levels, a day's puzzle, what can still be solved, and the score."""

from __future__ import annotations

import datetime

import pytest

from ludus.games import make_game, part

SIMPLE = ["play", "solitaire-chess", "--position", "N3/1B2/P3/4"]


def test_a_hint_keeps_it_solvable(ludus) -> None:
    assert "a2b3 keeps it solvable." in ludus(*SIMPLE, stdin="hint\n").out
    told = ludus(*SIMPLE, stdin="opinion\n").out
    assert "  a2b3  can be solved\n  b3a2  cannot be solved\n  b3a4  cannot be solved\n" in told


def test_it_says_when_it_can_no_longer_be_solved(ludus) -> None:
    lost = ["play", "solitaire-chess", "--position", "2R1/N2K/2RQ/PB2"]
    said = ludus(*lost, stdin="solvable\nd2b2\n").out
    assert "This can be solved." in said
    moves = ludus("solve", "solitaire-chess", lost[-1], "--moves").out.splitlines()
    bad = next(line.split()[0] for line in moves if line.endswith("cannot be solved"))
    assert "This can no longer be solved: take a move back." in ludus(*lost, stdin=f"{bad}\nsolvable\n").out
    assert "take a move back." in ludus(*lost, stdin=f"{bad}\nhint\n").out
    stuck = ludus(*SIMPLE, stdin="b3a4\nsolvable\nundo\nsolvable\n").out
    assert stuck.index("no longer be solved: take a move back") < stuck.index("This can be solved.")


def test_a_puzzle_that_never_could_be_solved_is_told(ludus) -> None:
    said = ludus("play", "solitaire-chess", "--position", "4/1BB1/1PB1/P2N", stdin="solvable\n").out
    assert "This puzzle cannot be solved at all." in said


@pytest.mark.parametrize(
    ("typed", "score"),
    [
        ("a2b3\nb3a4\n", 20),
        ("hint\na2b3\nb3a4\n", 10),
        ("b3a2\nundo\na2b3\nb3a4\n", 18),
        ("hint\nhint\nhint\na2b3\nb3a4\n", 0),
        ("a2b3\n", 0),
    ],
)
def test_a_score_counts_captures_less_what_helped(ludus, typed: str, score: int) -> None:
    assert ludus(*SIMPLE, "--json", stdin=typed).document["score"] == score


@pytest.mark.slow
def test_a_level_and_a_seed_are_one_puzzle(ludus) -> None:
    argv = ["play", "solitaire-chess", "--level", "advanced", "--seed", "4", "--json"]
    start = ludus(*argv).document["start"]
    assert start == ludus(*argv).document["start"]
    game = make_game("solitaire-chess")
    assert part(game, "puzzles").measure(game, game.parse(start)).level == "advanced"


@pytest.mark.slow
def test_a_day_has_one_puzzle(ludus) -> None:
    first, again, next_day = (
        ludus("play", "solitaire-chess", "--daily", day, "--json").document["start"]
        for day in ("2026-01-31", "2026-01-31", "2026-02-01")
    )
    assert first == again != next_day
    today = datetime.date.today().isoformat()
    starts = [ludus("play", "solitaire-chess", "--daily", day, "--json").document for day in ("today", today)]
    assert starts[0]["start"] == starts[1]["start"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("solitaire-chess --level hard", "there is no level 'hard'"),
        ("solitaire-chess --daily yesterday", "'yesterday' is no day; write today, or a date like 2026-01-31."),
        ("solitaire-chess --level expert --position N3/1B2/P3/4", "leave out --level."),
        ("hex --level expert", "hex makes no puzzles, so leave out --level."),
        ("solitaire-chess --level expert --size 3", "no room for puzzles of level expert"),
    ],
)
def test_what_is_refused(ludus, words: str, why: str) -> None:
    assert why in ludus("play", *words.split()).refusal
