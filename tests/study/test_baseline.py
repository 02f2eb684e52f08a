"""What players hold that see nothing: against a list of all orders, one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludus.study.baseline import MAX_MOVES, Blind, blind


def positions(count: int, moves: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Legal and winning moves made up; a winning move is legal, and there is always one."""
    rng = np.random.default_rng(seed)
    legal = rng.random((count, moves)) < 0.6
    legal[np.arange(count), rng.integers(moves, size=count)] = True
    winning = legal & (rng.random((count, moves)) < 0.5)
    return legal[winning.any(axis=1)], winning[winning.any(axis=1)]


def one_by_one(legal: np.ndarray, winning: np.ndarray) -> dict[tuple[int, ...], int]:
    """By order, how many positions it holds."""
    return {
        order: sum(win[next(move for move in order if can[move])] for can, win in zip(legal, winning, strict=True))
        for order in itertools.permutations(range(legal.shape[1]))
    }


@pytest.mark.parametrize("seed", range(4))
def test_all_orders_are_counted(seed: int) -> None:
    legal, winning = positions(30, 4, seed)
    known, listed = blind(legal, winning), one_by_one(legal, winning)
    held = np.array(list(listed.values()))
    assert known.orders.tolist() == np.bincount(held, minlength=len(legal) + 1).tolist()
    assert known.mean == pytest.approx(held.mean() / len(legal))
    assert known.highest == held.max() / len(legal)
    assert listed[known.best] == held.max()
    assert known.uniform == pytest.approx(np.mean([w.sum() / c.sum() for c, w in zip(legal, winning, strict=True)]))
    assert known.mean == pytest.approx(known.uniform)  # of all orders, each legal move comes first equally often


def test_a_quantile_is_the_least_that_so_many_orders_do_not_pass() -> None:
    known = Blind(10, 0.5, np.array([0, 90, 8, 2, 0, 0, 0, 0, 0, 0, 0]), (0,))
    assert [known.quantile(share) for share in (0.5, 0.9, 0.91, 0.98, 0.99, 1)] == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]


def test_too_many_moves_are_refused() -> None:
    with pytest.raises(ValueError, match="too many orders"):
        blind(*(np.ones((1, MAX_MOVES + 1), bool),) * 2)
