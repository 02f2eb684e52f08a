"""A barrier that stops XLA from computing a shared value again for each of its users.

XLA's compiler for processors fuses a value into every user: a flag that thirty words of a board depend on is computed
thirty times, which was most of the work of a ply. The compiler does not fuse across a branch, so the barrier is a
branch that is always taken. On an accelerator it does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

Values = TypeVar("Values")


def barrier(values: Values) -> Values:
    """The same values, computed once. For code of one lane, under `vmap`; without it nothing happens."""
    return _one_lane(values)


def barrier_for_lanes(values: Values) -> Values:
    """The same values, computed once. For a batch whose first leaf is flags or whole numbers."""
    return _many_lanes(values) if jax.default_backend() == "cpu" else values


@custom_vmap
def _one_lane(values: Any) -> Any:
    return values


@_one_lane.def_vmap
def _one_lane_mapped(lanes: int, batched: Sequence[Any], values: Any) -> tuple[Any, Any]:
    return barrier_for_lanes(values), batched[0]


@custom_vmap
def _many_lanes(values: Any) -> Any:
    first = jax.tree.leaves(values)[0]
    if not first.size:
        return values
    always = first.reshape(-1)[0].astype(jnp.int32) & 1 < 2  # true, which the compiler cannot see
    return jax.lax.cond(always, lambda: values, lambda: jax.tree.map(jnp.zeros_like, values))


@_many_lanes.def_vmap
def _more_lanes(lanes: int, batched: Sequence[Any], values: Any) -> tuple[Any, Any]:
    """Nested vmap: fold the extra axis into the batch. A branch of each lane's own would run both sides."""
    return _many_lanes(values), batched[0]
