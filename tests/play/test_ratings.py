"""Ratings find the truth, and their intervals hold it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.optimize

from ludus.play import ratings as ratings_of
from ludus.play.scores import Z95

TRUE = np.array([300.0, 50.0, 0.0, -100.0, -250.0])
NAMES = list("abcde")


def table(games: float, draw: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The wins of players of the true ratings; `draw` makes the number of wins of each pair from its expectation."""
    wins = np.zeros((5, 5))
    upper = np.triu_indices(5, 1)
    chance = 1 / (1 + 10 ** ((TRUE[upper[1]] - TRUE[upper[0]]) / 400))
    wins[upper] = draw(chance)
    wins.T[upper] = games - wins[upper]
    return wins


def test_ratings_are_found_from_what_is_expected_of_them() -> None:
    ratings = ratings_of.bradley_terry(NAMES, table(10_000, lambda chance: 10_000 * chance))
    assert [rating.agent for rating in ratings] == NAMES
    assert [rating.rating for rating in ratings] == pytest.approx(TRUE, abs=0.1)
    for rating in ratings:
        assert rating.ci95[0] < rating.rating < rating.ci95[1]
        assert rating.ci95[1] - rating.ci95[0] < 12


def test_rating_intervals_hold_the_truth_19_times_in_20() -> None:
    rng = np.random.default_rng(1)
    held = []
    for _ in range(200):
        ratings = ratings_of.bradley_terry(NAMES, table(100, lambda chance: rng.binomial(100, chance)))
        assert sum(rating.rating for rating in ratings) == pytest.approx(0, abs=1e-6)
        held += [rating.ci95[0] <= true <= rating.ci95[1] for rating, true in zip(ratings, TRUE, strict=True)]
    assert abs(np.mean(held) - 0.95) < 0.03


def test_draws_count_half() -> None:
    drawn = ratings_of.bradley_terry(["a", "b"], np.array([[0, 30.0], [30, 0]]))
    assert [rating.rating for rating in drawn] == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("wins", "order"),
    [
        ([[0, 100], [0, 0]], ["a", "b"]),
        ([[0, 1e6], [0, 0]], ["a", "b"]),
        ([[0, 100, 100], [0, 0, 100], [0, 0, 0]], ["a", "b", "c"]),
        ([[0, 0, 0], [100, 0, 100], [100, 0, 0]], ["b", "c", "a"]),
        ([[0, 10, 0, 0], [0, 0, 0, 0], [0, 0, 0, 20], [0, 0, 0, 0]], ["c", "a", "b", "d"]),
    ],
)
def test_who_won_everything_has_a_finite_rating(wins: list[list[float]], order: list[str]) -> None:
    ratings = ratings_of.bradley_terry("abcd"[: len(wins)], np.array(wins, float))
    assert [rating.agent for rating in sorted(ratings, key=lambda rating: -rating.rating)] == order
    assert all(np.isfinite([rating.rating, *rating.ci95]).all() for rating in ratings)
    assert all(abs(rating.rating) < 4000 for rating in ratings)


def test_the_rating_of_who_won_everything_is_what_the_extra_draw_makes_it() -> None:
    a, b = ratings_of.bradley_terry(["a", "b"], np.array([[0, 100.0], [0, 0]]))
    lead = (a.rating - b.rating) / ratings_of.ELO
    assert a.rating == pytest.approx(-b.rating)
    # Where the sum of all results is what was to be expected: 100 wins against b and half a win against 0.
    assert 100 / (1 + math.exp(-lead)) + 1 / (1 + math.exp(-lead / 2)) == pytest.approx(100.5, abs=1e-6)


def test_without_games_all_are_alike() -> None:
    ratings = ratings_of.bradley_terry(["a", "b", "c"], np.zeros((3, 3)))
    assert [rating.rating for rating in ratings] == pytest.approx([0, 0, 0])
    assert ratings[0].ci95[1] > 400
    with pytest.raises(ValueError, match="do not fit"):
        ratings_of.bradley_terry(["a"], np.zeros((2, 2)))


# --- fits ---------------------------------------------------------------------------------------------------

WINS = np.array([[0, 30, 12.5, 0], [10, 0, 25, 8], [7.5, 20, 0, 40], [0, 2, 0, 0]])


def surprise(strength: np.ndarray) -> float:
    """By the definition, game by game: odds of exp(lead), and everyone's drawn game with a player of 0."""
    total = 0.0
    for i, row in enumerate(WINS):
        total -= sum(won * math.log(1 / (1 + math.exp(strength[j] - strength[i]))) for j, won in enumerate(row))
        total -= sum(0.5 * math.log(1 / (1 + math.exp(sign * strength[i]))) for sign in (1, -1))
    return total


def test_a_fit_is_where_the_likelihood_is_highest_and_its_covariance_how_sharply() -> None:
    found = ratings_of.fit(WINS)
    slow = scipy.optimize.minimize(surprise, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    assert found.strength == pytest.approx(slow.x, abs=1e-4)
    step, hessian = 1e-3, np.zeros((4, 4))
    for i, j in itertools.product(range(4), repeat=2):
        a, b = step * np.eye(4)[i], step * np.eye(4)[j]
        around = [surprise(found.strength + x * a + y * b) * x * y for x, y in itertools.product((1, -1), repeat=2)]
        hessian[i, j] = sum(around) / (4 * step**2)
    assert found.covariance == pytest.approx(np.linalg.inv(hessian), rel=1e-4)


def test_zero_is_where_it_is_wanted_and_intervals_are_of_the_distance_from_it() -> None:
    found = ratings_of.fit(WINS)
    anchored = found.ratings("abcd", np.eye(4)[1])
    assert (anchored[1].rating, anchored[1].ci95) == (0, (0, 0))
    variance = found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1]
    half = ratings_of.ELO * Z95 * math.sqrt(variance)
    assert anchored[0].ci95[1] - anchored[0].rating == pytest.approx(half)
    plain, weighed = found.ratings("abcd"), found.ratings("abcd", found.told)
    for ratings in (plain, weighed):
        assert ratings[0].rating - ratings[1].rating == pytest.approx(anchored[0].rating)
    assert sum(found.told) == pytest.approx(1)
    assert found.told @ [rating.rating for rating in weighed] == pytest.approx(0, abs=1e-6)
    # Somebody who lost everything makes all intervals wide about the plain mean, and not about the other.
    lost = np.zeros((3, 3))
    lost[0, 1] = lost[1, 0] = 200
    lost[0, 2] = lost[1, 2] = 100
    found = ratings_of.fit(lost)
    plain, weighed = (found.ratings("abc", zero)[0] for zero in (None, found.told))
    assert plain.ci95[1] - plain.rating > 3 * (weighed.ci95[1] - weighed.rating)


@pytest.mark.slow
@pytest.mark.parametrize("decided", [0.0, 0.7])
def test_intervals_go_by_what_pairs_vary(decided: float) -> None:
    """Of pairs, a share is decided by the opening, one win to each; else both games are won with the chance that makes
    the score right. By pairs, intervals hold the truth about 19 times in 20 all the same.
    """
    rng, names = np.random.default_rng(2), "abc"
    lead = np.array([[0.0, 0.2, 0.4], [-0.2, 0, 0.2], [-0.4, -0.2, 0]])
    true = ratings_of.ELO * (lead[:, 0] - lead[:, 0].mean())
    held, widths = [], []
    for _ in range(200):
        wins, pairs = np.zeros((3, 3)), np.zeros((3, 3, 5))
        for i, j in itertools.combinations(range(3), 2):
            score = 1 / (1 + math.exp(-lead[i, j]))
            split = rng.random(100) < decided
            chance = (score - decided / 2) / (1 - decided)
            points = np.where(split, 2, 2 * rng.binomial(2, chance, 100))
            counts = np.bincount(points, minlength=5)
            pairs[i, j], pairs[j, i] = counts, counts[::-1]
            wins[i, j], wins[j, i] = points.sum() / 2, 200 - points.sum() / 2
        found = ratings_of.fit(wins, pairs).ratings(names)
        plain = ratings_of.fit(wins).ratings(names)
        held += [rating.ci95[0] <= truth <= rating.ci95[1] for rating, truth in zip(found, true, strict=True)]
        widths += [(a.ci95[1] - a.rating) / (b.ci95[1] - b.rating) for a, b in zip(found, plain, strict=True)]
    assert abs(np.mean(held) - 0.95) < 0.03
    varied = math.sqrt((ratings_of.ALIKE + 100 * (1 - decided)) / (ratings_of.ALIKE + 100))
    assert np.mean(widths) == pytest.approx(varied, abs=0.03)
