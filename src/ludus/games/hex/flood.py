"""Batched flood fill, the only loop in the rules of Hex; finished boards do not wait for slow ones.

In random play on 11 x 11 a flood takes 0.4 steps on average, and the longest of 4,096 games side by side takes twelve.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool

from ludus.core.barrier import barrier_for_lanes
from ludus.core.bits import Bits

#: Steps of a kernel, and kernels, between two tests whether the flood still grows. A kernel of many steps is fast on an
#: accelerator, but the compiler computes every step again for each word of the next one, so not too many.
ONE_STEP, MANY_STEPS = (1, 1), (8, 3)
FEW = 8  # at most one lane in so many still grows after a step


def spread(cells: Bits, stride: int) -> Bits:
    """These cells and all their neighbours (and some padding)."""
    right, left = cells | (cells << 1), cells | (cells >> 1)
    return right | left | (right << (stride - 1)) | (left >> (stride - 1))


def grow(filled: Bits, region: Bits, stride: int) -> Bits:
    """These cells, and their neighbours in the region."""
    return filled | (spread(filled, stride) & region)


def flood(start: Bits, region: Bits, stride: int) -> Bits:
    """All cells connected to the start through the region."""
    return _flood(stride)(start, region)


def _some(cells: Bits) -> Bool[Array, "..."]:
    """Whether the set is not empty, lane by lane."""
    return functools.reduce(operator.or_, cells.words) != 0


def _grow_on(start: Bits, region: Bits, stride: int, steps: tuple[int, int]) -> Bits:
    """Grow until no lane grows any more. The test costs as much as a step or more."""

    def several(state: tuple[Bits, Bool[Array, ""]]) -> tuple[Bits, Bool[Array, ""]]:
        filled = more = state[0]
        at_a_time, times = steps
        for _ in range(times):
            for _ in range(at_a_time):
                more = grow(more, region, stride)
            more = jax.lax.optimization_barrier(more) if times > 1 else more
        return more, _some(more - filled).any()

    return jax.lax.while_loop(lambda state: state[1], several, (start, _some(start).any()))[0]


@functools.cache
def _flood(stride: int) -> Callable[[Bits, Bits], Bits]:
    """The flood of one board, with a batching rule of its own for many boards."""

    @custom_vmap
    def flood_one(start: Bits, region: Bits) -> Bits:
        return _grow_on(start, region, stride, ONE_STEP)

    @flood_one.def_vmap
    def flood_many(lanes: int, batched: Any, start: Bits, region: Bits) -> tuple[Bits, Any]:
        def with_lanes(is_batched: bool, leaf: Any) -> Any:
            return leaf if is_batched else jnp.broadcast_to(leaf, (lanes, *jnp.shape(leaf)))

        start, region = jax.tree.map(with_lanes, tuple(batched), (start, region))
        filled = _flood_few_separately(start, region, stride, lanes)
        return filled, jax.tree.map(lambda _: True, filled)

    return flood_one


def _flood_few_separately(start: Bits, region: Bits, stride: int, lanes: int) -> Bits:
    """Flood a batch. On a CPU the work counts: after two steps few lanes still grow, and only these go on. On an
    accelerator the tests count: all lanes take many steps between two of them.
    """
    if jax.default_backend() != "cpu":
        return _grow_on(start, region, stride, MANY_STEPS)
    room = lanes // FEW
    if not room:
        return _grow_on(start, region, stride, ONE_STEP)
    start = barrier_for_lanes(grow(start, region, stride))
    further = grow(start, region, stride)
    grows = _some(further - start)

    def few() -> Bits:
        which = jnp.nonzero(grows, size=room, fill_value=lanes)[0]

        def taken(board: Bits) -> Bits:
            return jax.tree.map(lambda word: jnp.take(word, which, mode="fill", fill_value=0), board)

        done = _grow_on(taken(further), taken(region), stride, ONE_STEP)
        return jax.tree.map(lambda word, new: word.at[which].set(new, mode="drop"), further, done)

    return jax.lax.cond(grows.sum() <= room, few, lambda: _grow_on(further, region, stride, ONE_STEP))
