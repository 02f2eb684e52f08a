"""Small functions on arrays that every layer needs."""

from __future__ import annotations

from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

T = TypeVar("T")


def select(condition: Bool[Array, ""], yes: T, no: T) -> T:
    """One state or the other, decided at run time."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)


def below(random_bits: UInt32[Array, "B"], count: Int[Array, "B"]) -> Int[Array, "B"]:
    """A whole number from 0 to count - 1: the high half of bits x count, in 32-bit arithmetic (count < 65,536)."""
    count = count.astype(jnp.uint32)
    high, low = random_bits >> 16, random_bits & np.uint32(0xFFFF)
    return ((high * count + ((low * count) >> 16)) >> 16).astype(jnp.int32)
