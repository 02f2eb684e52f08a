"""The barrier does not change values: of one lane, under vmap, and under nested vmap."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from ludus.core.barrier import barrier, barrier_for_lanes
from ludus.core.bits import Bits

FLAGS = jnp.asarray([True, False, True, True])
NUMBERS = jnp.asarray([-3, 0, 7, 2**30], jnp.int32)


def test_the_same_values_come_back() -> None:
    lowest = jnp.asarray([-(2**31), -(2**31) + 1, -1, 2**31 - 1], jnp.int32)
    words = jnp.asarray([0x80000000, 0x80000001, 0xFFFFFFFF, 0], jnp.uint32)
    for values in (FLAGS, ~FLAGS, NUMBERS, NUMBERS.astype(jnp.uint32), lowest, lowest[1:], words, words[1:], words[2:]):
        np.testing.assert_array_equal(barrier(values), values)
        for wrap in (
            barrier,
            jax.jit(barrier),
            barrier_for_lanes,
            jax.jit(barrier_for_lanes),
            jax.vmap(barrier),
            jax.jit(jax.vmap(barrier)),
        ):
            np.testing.assert_array_equal(wrap(values), values)
        pair = jnp.stack([values, values[::-1]])
        np.testing.assert_array_equal(jax.jit(jax.vmap(jax.vmap(barrier)))(pair), pair)
        np.testing.assert_array_equal(jax.jit(jax.vmap(barrier_for_lanes))(pair), pair)


def test_trees_and_no_lanes_at_all() -> None:
    board = Bits((NUMBERS.astype(jnp.uint32), NUMBERS.astype(jnp.uint32)))
    found, flag = jax.jit(barrier_for_lanes)((board, FLAGS))
    np.testing.assert_array_equal(found.words[1], board.words[1])
    np.testing.assert_array_equal(flag, FLAGS)
    assert barrier_for_lanes(jnp.zeros(0, jnp.int32)).shape == (0,)


def test_what_is_not_mapped_stays_so() -> None:
    """A value that is not mapped is returned unmapped."""
    lanes = jnp.arange(4)
    found = jax.vmap(lambda lane, shared: (barrier((lane, shared)), shared)[0], (0, None))(lanes, jnp.int32(5))
    np.testing.assert_array_equal(found[0], lanes)
    np.testing.assert_array_equal(found[1], [5] * 4)
