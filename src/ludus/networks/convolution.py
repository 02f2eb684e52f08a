"""Convolutions over a cell and its six hexagonal neighbours: a small network, and a deeper one.

Filters are matrices over shifted copies of the board, not the library's convolutions: mapped over runs with weights of
their own, they stay matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

# A 3 x 3 filter without its first and last corner:  . x x
#                                                    x x x
#                                                    x x .
AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0))

#: Three small layers: filters of one cell, and of a cell and its neighbours.
FILTERS = ((2, 3), (3, 2), (5, 0))


class HexagonLayer(eqx.Module):
    """Filters over one cell, and filters over a cell and its neighbours; zero padding beyond the border."""

    point: Float[Array, "In P"]
    around: Float[Array, "7 In A"]
    bias: Float[Array, "Out"]

    def __init__(self, inputs: int, points: int, arounds: int, key: Key[Array, ""], gain: float = 2.0) -> None:
        key_point, key_around = jax.random.split(key)
        scale = np.sqrt(gain / inputs), np.sqrt(gain / (len(AROUND) * inputs))
        self.point = jnp.float32(scale[0]) * jax.random.normal(key_point, (inputs, points))
        self.around = jnp.float32(scale[1]) * jax.random.normal(key_around, (len(AROUND), inputs, arounds))
        self.bias = jnp.zeros(points + arounds)

    def __call__(self, x: Float[Array, "H W In"]) -> Float[Array, "H W Out"]:
        height, width, inputs = x.shape
        parts = [x @ self.point] if self.point.shape[1] else []
        if arounds := self.around.shape[2]:
            wide = jnp.pad(x, ((1, 1), (1, 1), (0, 0)))
            shifted = [wide[1 + r : 1 + r + height, 1 + c : 1 + c + width] for r, c in AROUND]
            parts.append(jnp.concatenate(shifted, axis=-1) @ self.around.reshape(len(AROUND) * inputs, arounds))
        return jnp.concatenate(parts, axis=-1) + self.bias[None, None]


class HexagonNet(eqx.Module):
    """A small network without its last sigmoid or softmax: three layers, and a matrix over all their outputs."""

    layers: tuple[HexagonLayer, ...]
    matrix: Float[Array, "Cells Out"]
    bias: Float[Array, "Out"]

    def __init__(
        self,
        shape: tuple[int, ...],
        outputs: int,
        key: Key[Array, ""],
        filters: Sequence[tuple[int, int]] = FILTERS,
    ) -> None:
        *keys, key_matrix = jax.random.split(key, len(filters) + 1)
        height, width, channels = shape
        layers = []
        for (points, arounds), layer_key in zip(filters, keys, strict=True):
            layers.append(HexagonLayer(channels, points, arounds, layer_key))
            channels = points + arounds
        self.layers = tuple(layers)
        size = height * width * channels
        self.matrix = jnp.float32(0.5 / np.sqrt(size)) * jax.random.normal(key_matrix, (size, outputs))
        self.bias = jnp.zeros(outputs)

    def features(self, x: Float[Array, "H W In"]) -> Float[Array, "Cells"]:
        """The outputs of the last layer."""
        for layer in self.layers:
            x = jax.nn.relu(layer(x))
        return x.reshape(-1)

    def __call__(self, x: Float[Array, "H W In"]) -> Float[Array, "Out"]:
        return self.features(x) @ self.matrix + self.bias


class Tower(eqx.Module):
    """A deeper network after Young, Hayward and Vasan (2016): residual hexagonal layers of one width, and a matrix over
    a few planes of the last. These planes have no ReLU: with one, a single bad step could leave them at zero for good.
    """

    first: HexagonLayer
    blocks: tuple[HexagonLayer, ...]
    last: HexagonLayer
    matrix: Float[Array, "Cells Out"]
    bias: Float[Array, "Out"]

    def __init__(
        self, shape: tuple[int, ...], width: int, depth: int, outputs: int, key: Key[Array, ""], planes: int = 8
    ) -> None:
        key_first, key_last, key_matrix, *keys = jax.random.split(key, depth + 2)
        self.first = HexagonLayer(shape[-1], 0, width, key_first)
        # Small steps at first, so that the sum over layers does not grow with their number.
        self.blocks = tuple(HexagonLayer(width, 0, width, k, gain=1 / depth) for k in keys)
        self.last = HexagonLayer(width, planes, 0, key_last)
        size = shape[0] * shape[1] * planes
        self.matrix = jnp.float32(0.1 / np.sqrt(size)) * jax.random.normal(key_matrix, (size, outputs))
        self.bias = jnp.zeros(outputs)

    def __call__(self, x: Float[Array, "H W In"]) -> Float[Array, "Out"]:
        x = jax.nn.relu(self.first(x))
        for block in self.blocks:
            x = x + jax.nn.relu(block(x))
        return self.last(x).reshape(-1) @ self.matrix + self.bias
