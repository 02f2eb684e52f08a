"""That shapes in signatures are checked as the tests run, and that only those are."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from helpers import shapes
from jaxtyping import Array, Float

from ludus.errors import shorten
from ludus.learners import targets
from ludus.networks.two_headed import normed


def test_a_wrong_shape_is_refused() -> None:
    with pytest.raises(Exception, match=r"Float\[[\w.]+, 'H W C'\]"):
        normed(jnp.zeros((2, 3)), jnp.zeros(3))
    with pytest.raises(Exception, match="C"):
        jax.eval_shape(normed, jnp.zeros((2, 2, 3)), jnp.zeros(4))


def test_functions_with_shapes_alone_are_decorated() -> None:
    assert hasattr(normed, "__wrapped__")
    assert hasattr(targets.one_step, "__wrapped__")
    assert not hasattr(shorten, "__wrapped__")


def test_shapes_are_seen_in_annotations_of_either_kind() -> None:
    def written(x: Float[Array, "B"]) -> None: ...
    def without(x: int) -> None: ...

    def evaluated(x: float) -> None: ...

    evaluated.__annotations__ = {"x": Float[Array, "B"]}
    assert [shapes.has_shapes(f) for f in (written, without, evaluated)] == [True, False, True]
