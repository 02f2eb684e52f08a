"""The sequential test is Wald's where that is known, finds the likeliest frequencies, and errs as seldom as it says."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np
import pytest
import scipy.optimize

from ludus.errors import BadInput
from ludus.ladder import sprt
from ludus.ladder.sprt import Sprt, Verdict

SEEN = [3, 5, 20, 9, 8]


@pytest.mark.parametrize("mean", [0.2, 0.5, 0.5575, 0.9])
def test_frequencies_of_a_mean_are_the_likeliest(mean: float) -> None:
    """By a search over all of them that knows nothing of Lagrange."""
    seen = np.array(SEEN) / sum(SEEN)
    found = sprt.likeliest(seen, mean)
    assert found.sum() == pytest.approx(1)
    assert found @ sprt.SCORES == pytest.approx(mean)
    slow = scipy.optimize.minimize(
        lambda share: -(seen * np.log(share)).sum(),
        np.full(5, 0.2),
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda share: share.sum() - 1},
            {"type": "eq", "fun": lambda share: share @ sprt.SCORES - mean},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found == pytest.approx(slow.x, abs=1e-4)


def test_of_pairs_won_or_lost_the_ratio_is_that_of_coins() -> None:
    """Wald's own: a pair is won with the chance that is its mean score."""
    won, lost = 37, 22
    p0, p1 = sprt.expected(0), sprt.expected(40)
    wald = won * math.log(p1 / p0) + lost * math.log((1 - p1) / (1 - p0))
    assert sprt.log_ratio([lost, 0, 0, 0, won], 0, 40) == pytest.approx(wald, rel=1e-2)
    assert sprt.log_ratio([0] * 5, 0, 40) == 0


def test_sides_mirror_each_other() -> None:
    test = Sprt()
    for pairs in (SEEN, [0, 0, 50, 0, 0], [90, 0, 10, 0, 0], [0, 0, 0, 0, 40]):
        one, two = test.judge(pairs), test.judge(pairs[::-1])
        assert one.llr == pytest.approx(two.llr[::-1])
        swapped: dict[Verdict, Verdict] = {"stronger": "weaker", "weaker": "stronger"}
        assert two.verdict == swapped.get(one.verdict, one.verdict)


def test_what_is_clear_is_told() -> None:
    test = Sprt()
    low, high = test.bounds
    assert (low, high) == pytest.approx((math.log(0.05 / 0.975), math.log(0.95 / 0.025)))
    assert test.judge([0, 0, 0, 0, 64]).verdict == "stronger"
    assert test.judge([64, 0, 0, 0, 0]).verdict == "weaker"
    assert test.judge([0, 0, 64, 0, 0]).verdict == "no difference"
    assert test.judge([1, 0, 1, 0, 2]).verdict == "undecided"
    assert not test.judge([0] * 5).decided
    assert sprt.expected(400) == pytest.approx(10 / 11)


def verdicts(elo: float, split: float, times: int, test: Sprt, seed: int) -> list[tuple[Verdict, int]]:
    """Of players so far apart, where the opening alone decides a share of pairs; judged every 32 pairs."""
    rng, found = np.random.default_rng(seed), []
    chance = (sprt.expected(elo) - split / 2) / (1 - split)
    for _ in range(times):
        counts = np.zeros(5, int)
        while not (judged := test.judge(counts.tolist())).decided:
            points = np.where(rng.random(32) < split, 2, 2 * rng.binomial(2, chance, 32))
            counts += np.bincount(points, minlength=5)
        found.append((judged.verdict, int(counts.sum())))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("split", [0.0, 0.5])
@pytest.mark.parametrize("times", [60, pytest.param(400, marks=pytest.mark.campaign)])
def test_errors_are_as_rare_as_was_asked(split: float, times: int) -> None:
    """Judged in batches it errs more seldom than that; the seed makes it the same each time."""
    test = Sprt(elo1=80, alpha=0.05, beta=0.05)
    equal = [verdict for verdict, _ in verdicts(0, split, times, test, seed=1)]
    assert sum(verdict != "no difference" for verdict in equal) / times <= 0.05
    better = verdicts(80, split, times, test, seed=2)
    assert sum(verdict != "stronger" for verdict, _ in better) / times <= 0.05
    assert not any(verdict == "weaker" for verdict, _ in better)
    worse = [verdict for verdict, _ in verdicts(-80, split, times, test, seed=3)]
    assert sum(verdict != "weaker" for verdict in worse) / times <= 0.05
    # What is plain is told sooner.
    plain = verdicts(160, split, times, test, seed=4)
    assert np.mean([pairs for _, pairs in plain]) < 0.6 * np.mean([pairs for _, pairs in better])


@pytest.mark.slow
def test_a_larger_tolerance_errs_more_and_takes_fewer_games() -> None:
    strict, loose = (verdicts(0, 0.0, 80, Sprt(elo1=80, alpha=a, beta=a), seed=5) for a in (0.02, 0.3))
    wrong = [sum(verdict != "no difference" for verdict, _ in found) for found in (strict, loose)]
    assert wrong[0] < wrong[1] < 0.4 * 80
    assert np.mean([pairs for _, pairs in strict]) > 1.5 * np.mean([pairs for _, pairs in loose])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"elo0": 50}, "not elo0 = 50 and elo1 = 40"),
        ({"elo0": -1}, "0 <= elo0"),
        ({"elo1": 2000}, "elo1 <= 1000"),
        ({"elo1": math.nan}, "elo1 = nan"),
        ({"alpha": 0}, "alpha, the chance of an error"),
        ({"beta": 0.5}, "beta, the chance of an error"),
        ({"beta": math.nan}, "beta"),
    ],
)
def test_what_is_no_test_is_refused(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Sprt(**asdict(Sprt()) | wrong)
