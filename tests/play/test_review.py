"""Marks of a game's moves, from what is known of its positions."""

from __future__ import annotations

import pytest

from ludus.games import make_game
from ludus.play.review import Judgement, doubtful, marks
from ludus.play.thoughts import chance_to_win


def signs(*judged: tuple[int, float | None, bool]) -> list[tuple[int, str]]:
    """Marks of positions that are given as the player, the first seat's chance and whether it is proved."""
    return [(mark.ply, mark.sign) for mark in marks([Judgement(*one) for one in judged])]


def test_what_is_proved_is_marked_exactly() -> None:
    assert signs((0, 1.0, True), (1, 0.0, True)) == [(1, "??")]
    assert signs((0, 1.0, True), (1, 0.5, True), (0, 1.0, True), (1, 1.0, True)) == [(1, "?"), (2, "?")]
    assert signs((1, 0.0, True), (0, 0.0, True), (1, 0.0, True)) == []
    assert signs((0, 0.0, True), (1, 0.0, True)) == []  # lost before: nothing to lose


def test_a_search_marks_where_the_winner_changes() -> None:
    assert signs((0, 0.9, False), (1, 0.2, False)) == [(1, "??")]
    assert signs((1, 0.3, False), (0, 0.6, False)) == [(1, "?")]  # the second seat's mistake
    assert signs((0, 0.52, False), (1, 0.47, False)) == []  # noise
    assert signs((0, 0.9, False), (1, 0.65, False)) == [(1, "?!")]  # less, but still ahead
    assert signs((0, 0.3, False), (1, 0.0, True)) == []  # it stood badly, and now that is proved
    assert signs((0, 0.7, False), (1, 0.0, True)) == [(1, "??")]
    assert signs((0, 0.5, True), (1, 0.2, False)) == [(1, "?")]  # a draw that was sure
    assert signs((0, 0.3, False), (1, 0.8, False)) == []  # better than thought


def test_what_is_not_known_is_not_marked() -> None:
    assert signs((0, None, False), (1, 0.1, False)) == []
    assert marks([Judgement(0, 1.0, True), None, Judgement(0, 0.0, True)]) == []


def test_a_longer_look_is_for_what_is_in_doubt() -> None:
    sure, near, far = Judgement(0, 1.0, True), Judgement(1, 0.6, False), Judgement(0, 0.9, False)
    assert doubtful([sure, near, far]) == [1]
    assert doubtful([far, Judgement(1, 0.1, False), Judgement(0, 0.05, False)]) == [0, 1]
    assert doubtful([sure, Judgement(1, 0.0, True)]) == []
    assert doubtful([None, Judgement(0)]) == []


@pytest.mark.parametrize(("value", "chance"), [(1, 1), (-1, 0), (0, 0.5), (0.28, 0.64), (1.2, 1), (None, None)])
def test_an_expected_result_is_a_chance_on_another_scale(value: float | None, chance: float | None) -> None:
    assert chance_to_win(make_game("hex", size=3), value) == (None if chance is None else pytest.approx(chance))


def test_a_lead_is_a_chance_only_where_the_game_says_what_it_is_worth() -> None:
    assert chance_to_win(make_game("hex", size=3), 2.0, "pieces") is None
    abalone = make_game("abalone")
    rising = [chance_to_win(abalone, lead, "marbles") for lead in (-6.0, -2.0, 0.0, 2.0, 6.0)]
    assert rising == sorted(rising)  # pyright: ignore[reportArgumentType]
    assert rising[2] == pytest.approx(0.5)
    assert rising[0] == pytest.approx(1 - rising[4])  # pyright: ignore[reportOperatorIssue, reportOptionalOperand]
    assert chance_to_win(abalone, 0.3, "points") is None
