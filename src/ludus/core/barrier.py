"""What many values are made of, worked out once.

XLA's compiler for processors puts the making of a value into each of its users: a flag that decides about thirty words
of thousands of boards is worked out thirty times, and most of the work of a ply is such repetition. It does not look
through a branch, though, so a branch that is always taken keeps a value apart. On an accelerator nothing is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

Values = TypeVar("Values")


def barrier(values: Values) -> Values:
    """The same, for one lane of many: it is kept apart where lanes are mapped together."""
    return _one_lane(values)


def barrier_for_lanes(values: Values) -> Values:
    """The same, for flags or whole numbers of all lanes."""
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
    always = first.reshape(-1)[0].astype(jnp.int32) & 1 < 2  # but the compiler does not see that
    return jax.lax.cond(always, lambda: values, lambda: jax.tree.map(jnp.zeros_like, values))


@_many_lanes.def_vmap
def _more_lanes(lanes: int, batched: Sequence[Any], values: Any) -> tuple[Any, Any]:
    """Mapped again they are but more lanes: a branch that each lane took by itself would be taken both ways."""
    return _many_lanes(values), batched[0]
