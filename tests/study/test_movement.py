"""How far networks have come: by their weights, and by the order of their ratings."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from ludus.study.movement import Origin, rank_correlations

RNG = np.random.default_rng(0)


def test_ranks_correlate_as_spearman_says() -> None:
    one, other = RNG.normal(size=(3, 4, 50)), RNG.normal(size=(3, 1, 50)).round(1)  # with ties
    found = rank_correlations(one, other)
    for run in range(3):
        for point in range(4):
            assert found[run, point] == pytest.approx(spearmanr(one[run, point], other[run, 0])[0])
    assert rank_correlations(np.exp(one), one) == pytest.approx(np.ones((3, 4)))
    assert rank_correlations(-one, one) == pytest.approx(-np.ones((3, 4)))


def test_what_is_equal_everywhere_or_no_number_correlates_with_nothing() -> None:
    one = RNG.normal(size=(3, 8))
    one[1], one[2, 3] = 2.0, np.nan
    assert rank_correlations(one, one).tolist() == [pytest.approx(1.0), 0.0, 0.0]


def test_networks_are_compared_with_their_own_start() -> None:
    """Two runs, two points: by the whole of their weights, whatever is no real number left out."""
    first = {"w": np.array([[[3.0, 0.0]], [[0.0, 1.0]]]), "b": np.array([[4.0], [0.0]]), "steps": np.array([[1], [1]])}
    ratings = np.array([[1.0, 2.0, np.nan, 3.0], [1.0, 2.0, np.nan, 3.0]])
    origin = Origin.of(first, {"score": np.zeros(2), "ratings": ratings})
    later = {
        "w": np.array([[[3.0, 0.0], [3.0, 5.0]], [[0.0, 1.0], [0.0, 4.0]]]),
        "b": np.array([[4.0, 4.0], [2.0, 4.0]]),
        "steps": np.array([[7, 8], [7, 8]]),
    }
    looked = np.array([[5, 6, np.nan, 7], [7, 6, np.nan, 5], [1, 3, np.nan, 2], [1, 1, np.nan, 1.0]])
    found = origin.compare(later, {"score": np.arange(4.0), "ratings": looked})
    assert set(found) == {"score", "moved", "rank"}
    assert np.asarray(found["moved"]).tolist() == [[0, 1], [2, 5]]
    assert found["rank"].tolist() == [pytest.approx([1, -1]), pytest.approx([0.5, 0])]
    unrated = Origin.of(first, {}).compare(later, {"score": np.arange(4.0)})
    assert set(unrated) == {"score", "moved"}
