"""Dense networks in compiled code, for a search on the host. Few inputs of a position are not zero, so the first layer
is a sum of a few rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int16

from ludus.networks.mlp import MLP
from ludus.search.compiled import jit


class Dense(NamedTuple):
    """An MLP, and buffers for the outputs of its layers."""

    weights: tuple[Float32[np.ndarray, "In Out"], ...]
    biases: tuple[Float32[np.ndarray, "Out"], ...]
    layers: tuple[Float32[np.ndarray, "Out"], ...]
    inputs: Float32[np.ndarray, "In"]
    moves: Int16[np.ndarray, "M"]  # of the position being rated


def dense(network: MLP, most_moves: int) -> Dense:
    weights = tuple(np.ascontiguousarray(weight, np.float32) for weight in network.weights)
    biases = tuple(np.ascontiguousarray(bias, np.float32) for bias in network.biases)
    layers = tuple(np.zeros_like(bias) for bias in biases)
    return Dense(weights, biases, layers, np.zeros(len(weights[0]), np.float32), np.zeros(most_moves, np.int16))


@jit
def ask(network: Dense) -> None:
    """Compute the outputs of all layers from `inputs`."""
    before = network.inputs
    for layer in range(len(network.weights)):
        weights, out = network.weights[layer], network.layers[layer]
        for j in range(len(out)):
            out[j] = network.biases[layer][j]
        for i in range(len(before)):
            said = before[i]
            if said != 0:
                row = weights[i]
                for j in range(len(out)):
                    out[j] += said * row[j]
        if layer < len(network.weights) - 1:
            for j in range(len(out)):
                out[j] = max(out[j], np.float32(0))
        before = out
