"""Runs that were not interrupted, for every test of training to compare with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
from helpers.training import GAME, RECIPES

from ludus.learners.recipe import Recipe
from ludus.training import train as training


@pytest.fixture(scope="module")
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion does not let pass."""
    with jax.numpy_dtype_promotion("standard"):
        yield


@pytest.fixture(scope="module", params=RECIPES)
def uninterrupted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, optax_promotes: None
) -> tuple[Recipe, Path]:
    recipe = RECIPES[request.param]
    out = tmp_path_factory.mktemp(request.param) / "run"
    training.train(GAME, recipe, 0, out)
    return recipe, out
