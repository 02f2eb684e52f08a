"""What an agent in training is measured by against itself, without any games being played."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ludus.training.snapshots import GAMES, AgainstEarlier


@pytest.fixture
def earlier() -> AgainstEarlier:
    made = AgainstEarlier.__new__(AgainstEarlier)
    made._weights, made._elo = {"w": np.zeros(1)}, 100.0
    return made


def report(earlier: AgainstEarlier, ends: Any) -> dict[str, float]:
    earlier._play = lambda new, old: ends
    return earlier.measure({"w": np.ones(1)})


def test_gains_are_added_up(earlier: AgainstEarlier) -> None:
    three_of_four = np.array([1] * 192 + [-1] * 64)
    assert report(earlier, three_of_four) == {"elo": pytest.approx(100 + 400 * math.log10(3)), "against_earlier": 0.75}
    assert report(earlier, np.zeros(GAMES)) == {"elo": pytest.approx(100 + 400 * math.log10(3)), "against_earlier": 0.5}
    assert earlier._weights["w"].tolist() == [1]


@pytest.mark.parametrize("end", [1, -1])
def test_a_clean_sweep_counts_as_all_but_half_a_game(earlier: AgainstEarlier, end: int) -> None:
    most = 400 * math.log10((GAMES - 0.5) / 0.5)
    found = report(earlier, np.full(GAMES, end))
    assert found == {"elo": pytest.approx(100 + end * most), "against_earlier": (1 + end) / 2}
