"""Intervals hold what they promise."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
import scipy.stats

from ludus.play import scores


def wilson(wins: int, games: int) -> tuple[float, float]:
    """As in the books."""
    z, p = float(scipy.stats.norm.ppf(0.975)), wins / games
    middle = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    return middle - half, middle + half


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (0, 100), (1, 3), (50, 100), (997, 1000), (1000, 1000)])
def test_without_draws_it_is_wilsons_interval(wins: int, games: int) -> None:
    assert scores.score_interval(wins, 0, games - wins) == pytest.approx(wilson(wins, games), abs=1e-8)


@functools.cache
def intervals(games: int) -> dict[tuple[int, int, int], tuple[float, float]]:
    ends = [(w, d, games - w - d) for w in range(games + 1) for d in range(games + 1 - w)]
    return {end: scores.score_interval(*end) for end in ends}


def test_an_interval_has_a_width_holds_the_score_and_mirrors() -> None:
    for (wins, draws, losses), (low, high) in intervals(20).items():
        assert 0 <= low <= (wins + draws / 2) / 20 <= high <= 1
        assert high - low > 0.08
        assert intervals(20)[losses, draws, wins] == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_draws_make_it_narrower_and_so_do_games() -> None:
    def width(*end: int) -> float:
        low, high = scores.score_interval(*end)
        return high - low

    assert width(10, 80, 10) < 0.6 * width(50, 0, 50)
    assert width(0, 100, 0) < width(1, 98, 1) < width(10, 80, 10)
    assert width(4000, 2000, 4000) == pytest.approx(width(40, 20, 40) / 10, rel=0.05)
    assert width(0, 10**6, 0) > 0


def test_from_many_games_it_is_the_normal_one() -> None:
    low, high = scores.score_interval(50_000, 30_000, 20_000)
    half = 1.959964 * math.sqrt((0.5 + 0.3 / 4 - 0.65**2) / 100_000)
    assert (low, high) == pytest.approx((0.65 - half, 0.65 + half), abs=2e-5)


def test_it_holds_the_truth_19_times_in_20() -> None:
    """Exactly, by the probability of every outcome that 40 games can have.

    Outcomes are whole numbers, so for a single truth the coverage leaps about 95%; over many truths it is that.
    """
    ends = np.array(list(intervals(40)))
    low, high = np.array(list(intervals(40).values())).T
    coverage = []
    for win, draw in itertools.product(np.linspace(0.05, 0.95, 31), (0.0, 0.1, 0.3, 0.5, 0.8)):
        if win + draw <= 0.95:
            chance = scipy.stats.multinomial.pmf(ends, 40, [win, draw, 1 - win - draw])
            held = (low <= win + draw / 2) & (win + draw / 2 <= high)
            coverage.append(chance[held].sum())
    assert np.mean(coverage) == pytest.approx(0.95, abs=0.005)
    assert min(coverage) > 0.92


def test_it_holds_the_truth_in_simulated_matches() -> None:
    rng = np.random.default_rng(0)
    ends = rng.multinomial(300, [0.4, 0.25, 0.35], size=1000)
    found = np.array([scores.score_interval(*map(int, end)) for end in ends])
    held = (found[:, 0] <= 0.525) & (found[:, 1] >= 0.525)
    assert abs(held.mean() - 0.95) < 0.02


def test_of_games_in_pairs_it_holds_the_truth_19_times_in_20() -> None:
    """Openings that favour a side make the games of a pair unlike: games taken for independent would make the interval
    too wide. Openings that one player knows better in both seats make them alike: it would be too narrow.
    """
    rng = np.random.default_rng(3)
    for pairs in ([(1, -1)] * 6 + [(1, 1)] * 3 + [(-1, -1)], [(1, 1)] * 6 + [(-1, -1)] * 4, [(1, 0), (0, 0), (0, -1)]):
        ends = np.array(pairs, float)
        true = (ends.mean() + 1) / 2
        drawn = ends[rng.integers(0, len(ends), (600, 150))].reshape(600, 300)
        found = np.array([scores.paired_interval(end) for end in drawn])
        held = (found[:, 0] <= true) & (true <= found[:, 1])
        assert held.mean() > 0.93
        if 0 not in ends:  # then it is no wider than it need be
            assert held.mean() < 0.97
    alike = np.array([1.0, 1, -1, -1] * 50)
    assert scores.paired_interval(alike) == scores.score_interval(50, 0, 50)
    assert scores.paired_interval(np.array([1.0, -1] * 100)) == scores.score_interval(0, 100, 0)
    # Of a match that was stopped some pairs may be there by half.
    whole = np.array([1.0, -1, 1, 1, -1, 1, -1, -1])
    there = np.array([0, 1, 2, 3, 5, 7])
    assert scores.paired_interval(whole, np.arange(8)) == scores.paired_interval(whole)
    assert scores.paired_interval(whole[there], there) == scores.score_interval(1 + 0.5, 1, 0.5)
    assert scores.paired_interval(np.array([1.0])) == scores.score_interval(0.5, 0, 0)
