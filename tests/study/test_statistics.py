"""Intervals hold the truth as often as they say, and end where no mean can lie."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, difference, estimate, more_of, share, together, verdict

shares = st.lists(st.floats(0, 1), min_size=2, max_size=12)


@given(shares)
def test_a_share_is_one_from_end_to_end(values: list[float]) -> None:
    found, free = share(values), estimate(values)
    assert 0 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= 1
    assert (found.low, found.high) == (max(free.low, 0), min(free.high, 1))
    assert "-" not in str(found)


@given(shares, st.randoms())
def test_shares_differ_by_no_more_than_one(values: list[float], chance) -> None:
    others = [chance.random() for _ in values]
    found, free = more_of(values, others), difference(values, others)
    assert -1 <= found.low <= found.high <= 1
    assert verdict(found) == verdict(free)  # what is cut off decides nothing


def test_two_seeds_that_are_far_apart() -> None:
    assert str(share([0.2, 0.9])) == "55.00% [0.00, 100.00]"  # Student's t would say 499%
    assert estimate([0.2, 0.9]).high > 4
    assert math.isnan(share([0.5]).low)


@pytest.mark.parametrize("seeds", [2, 5, 10])
def test_it_holds_the_truth_19_times_in_20(seeds: int) -> None:
    """Shares of networks that have learned well or not: near 1, with a tail."""
    rng = np.random.default_rng(0)
    drawn = rng.beta(8, 2, (2000, seeds))
    found = [share(values.tolist()) for values in drawn]
    held = np.mean([one.low <= 0.8 <= one.high for one in found])
    assert 0.93 < held < 0.97


def test_what_is_made_of_an_interval() -> None:
    assert share([0.99, 0.98, 0.99]).reaches(0.95) == HOLDS
    assert share([0.5, 0.51, 0.5]).reaches(0.95) == FAILS
    assert share([0.2, 0.99]).reaches(0.95) == UNDECIDED
    assert together([HOLDS, UNDECIDED]) == UNDECIDED
    assert together([HOLDS, UNDECIDED, FAILS]) == FAILS
