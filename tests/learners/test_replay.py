"""The replay buffer, against a deque."""

from __future__ import annotations

from collections import deque

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.learners import replay

ROW = {"a": jax.ShapeDtypeStruct((), jnp.int32), "b": jax.ShapeDtypeStruct((2,), jnp.float32)}


def rows_of(numbers: list[int]) -> dict[str, np.ndarray]:
    a = np.array(numbers, np.int32)
    return {"a": a, "b": np.stack([a, -a], axis=1).astype(np.float32)}


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(1, 5), st.data())
def test_it_keeps_what_a_deque_keeps(size: int, data: st.DataObject) -> None:
    ring, kept, pushed = replay.empty(ROW, size), deque(maxlen=size), 0
    for count in data.draw(st.lists(st.integers(0, size), max_size=6)):
        numbers = list(range(pushed + 1, pushed + 1 + count))
        ring, pushed = replay.push(ring, rows_of(numbers)), pushed + count
        kept.extend(numbers)
        assert int(ring.pushed) == pushed
        there = np.asarray(ring.rows["a"])[: min(pushed, size)]
        assert sorted(there) == sorted(kept)
        np.testing.assert_array_equal(ring.rows["b"], np.stack([ring.rows["a"], -ring.rows["a"]], axis=1))


@pytest.mark.slow
def test_draws_are_whole_rows_all_alike_and_none_that_is_not_there() -> None:
    ring = replay.push(replay.empty(ROW, 8), rows_of([1, 2, 3]))
    drawn = replay.draw(ring, jax.random.key(0), 3000)
    np.testing.assert_array_equal(drawn["b"], np.stack([drawn["a"], -drawn["a"]], axis=1))
    numbers, counts = np.unique(drawn["a"], return_counts=True)
    assert numbers.tolist() == [1, 2, 3]
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(3000 * 1 / 3 * 2 / 3)
    full = replay.push(ring, rows_of(list(range(4, 12))))
    assert set(np.asarray(replay.draw(full, jax.random.key(1), 400)["a"]).tolist()) == set(range(4, 12))
