"""What an agent in training is measured by against itself, without any games being played."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ludus.training.snapshots import GAMES, Earlier


@pytest.fixture
def earlier() -> Earlier:
    made = Earlier.__new__(Earlier)
    made._weights, made._elo = {"w": np.zeros(1)}, 100.0
    return made


def report(earlier: Earlier, ends: Any) -> dict[str, float]:
    earlier._play = lambda new, old: ends
    return earlier.beaten_by({"w": np.ones(1)})


def test_gains_are_added_up(earlier: Earlier) -> None:
    three_of_four = np.array([1] * 192 + [-1] * 64)
    assert report(earlier, three_of_four) == {"elo": pytest.approx(100 + 400 * math.log10(3)), "against_earlier": 0.75}
    assert report(earlier, np.zeros(GAMES)) == {"elo": pytest.approx(100 + 400 * math.log10(3)), "against_earlier": 0.5}
    assert earlier._weights["w"].tolist() == [1]


@pytest.mark.parametrize("end", [1, -1])
def test_who_wins_or_loses_every_game_gains_as_if_half_a_game_had_ended_otherwise(earlier: Earlier, end: int) -> None:
    most = 400 * math.log10((GAMES - 0.5) / 0.5)
    found = report(earlier, np.full(GAMES, end))
    assert found == {"elo": pytest.approx(100 + end * most), "against_earlier": (1 + end) / 2}
