"""Dense networks, and positions as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

Inputs = Literal["planes", "raw"]


class MLP(eqx.Module):
    """Layers of ReLU units and a linear last one."""

    weights: tuple[Float[Array, "In Out"], ...]
    biases: tuple[Float[Array, "Out"], ...]

    def __init__(self, sizes: Sequence[int], key: Key[Array, ""]) -> None:
        """He's initialisation; the last layer starts small, so that first estimates are near zero."""
        keys = jax.random.split(key, len(sizes) - 1)
        scales = [np.sqrt(2 / size) for size in sizes[:-2]] + [0.1 / np.sqrt(sizes[-2])]
        self.weights = tuple(
            jnp.float32(scale) * jax.random.normal(k, (before, after))
            for k, scale, before, after in zip(keys, scales, sizes[:-1], sizes[1:], strict=True)
        )
        self.biases = tuple(jnp.zeros(size) for size in sizes[1:])

    def features(self, x: Float[Array, "In"]) -> Float[Array, "Hidden"]:
        """The outputs of the last hidden layer."""
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = jax.nn.relu(x @ weight + bias)
        return x

    def __call__(self, x: Float[Array, "In"]) -> Float[Array, "Out"]:
        return self.features(x) @ self.weights[-1] + self.biases[-1]


def encode(observation: Float[Array, "... C"], inputs: Inputs) -> Float[Array, "In"]:
    """A position as a vector: its planes, or one number for each square as in the L-Game paper. The paper does not give
    the numbers; here they are 1 for the first plane, -1 for the second, 1/2 for the third, -1/2 for the fourth, ...
    """
    if inputs == "raw":
        channels = observation.shape[-1]
        codes = np.array([(-1) ** c / (1 + c // 2) for c in range(channels)], np.float32)
        observation = observation @ codes
    return observation.reshape(-1)


def input_size(shape: tuple[int, ...], inputs: Inputs) -> int:
    return int(np.prod(shape[:-1] if inputs == "raw" else shape))
