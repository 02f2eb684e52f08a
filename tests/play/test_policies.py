"""How values become moves: the best of them, and how far a policy strays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import Nim, floats
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games.hex.rules import Hex
from ludus.play.policies import MASKED, best_moves, choose, highest, to_actions

numbers = st.floats(width=32, allow_nan=True)


@settings(max_examples=100)
@given(st.lists(st.tuples(numbers, st.booleans()), min_size=4, max_size=4).filter(lambda l: any(b for _, b in l)))
def test_the_best_moves_are_legal_and_there_is_one(rated: list[tuple[float, bool]]) -> None:
    q, legal = np.array([v for v, _ in rated], np.float32), np.array([l for _, l in rated])
    best = np.asarray(best_moves(jnp.asarray(q), jnp.asarray(legal)))
    assert best.any()
    assert not (best & ~legal).any()
    rated_legal = q[legal & ~np.isnan(q)]
    expected = legal & (q == rated_legal.max()) if len(rated_legal) else legal
    np.testing.assert_array_equal(best, expected)


@pytest.mark.parametrize("value", [-np.inf, -1e10, np.inf, 1e30])
def test_a_network_that_diverged_still_moves_legally(value: float) -> None:
    best = best_moves(jnp.full(3, value, jnp.float32), jnp.array([False, True, True]))
    assert best.tolist() == [False, True, True]


def test_the_highest_value_is_that_of_a_legal_move() -> None:
    values = floats(9, -2, -1, 5)
    assert float(highest(values, jnp.array([False, True, True, False]))) == -1
    assert float(highest(values, jnp.zeros(4, bool))) == np.float32(MASKED)  # a finished game


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0])
def test_the_best_are_chosen_alike_and_any_with_probability_epsilon(epsilon: float) -> None:
    """Of four moves three are legal, and two of those best; half of the rows are told never to stray."""
    count = 8000
    best = jnp.broadcast_to(jnp.array([True, False, True, False]), (count, 4))
    legal = jnp.broadcast_to(jnp.array([True, True, True, False]), (count, 4))
    shares = jnp.where(jnp.arange(count) < count // 2, jnp.float32(epsilon), jnp.float32(0))
    found = np.asarray(choose(jax.random.key(1), best, legal, shares))
    for rows, share in ((found[: count // 2], epsilon), (found[count // 2 :], 0.0)):
        wanted = (1 - share) * np.array([0.5, 0, 0.5, 0]) + share * np.array([1, 1, 1, 0]) / 3
        counts = np.bincount(rows, minlength=4)
        assert (counts[wanted == 0] == 0).all()
        assert np.abs(counts - wanted * count / 2).max() < 5 * np.sqrt(count / 8)


def test_outputs_are_put_where_the_movers_board_has_the_action() -> None:
    """White sees the board of Hex transposed, so its output of row r, column c is the move at row c, column r."""
    outputs = jnp.arange(9, dtype=jnp.float32)
    game = Hex(size=3)
    assert to_actions(game, game.parse(".../.../... b"), outputs).tolist() == list(range(9))
    assert to_actions(game, game.parse("B../.../... w"), outputs).tolist() == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    nim = Nim()
    assert to_actions(nim, nim.init(), floats(3, 1, 2)).tolist() == [3, 1, 2]
