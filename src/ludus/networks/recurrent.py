"""A recurrent head: a position's values depend on the positions before it."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from ludus.networks.convolution import HexagonNet


def squash(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """A sigmoid scaled to (-1, 1)."""
    return 2 * jax.nn.sigmoid(x) - 1


class Recurrent(eqx.Module):
    """h' = sigmoid(U x + W h), and the output is squash(V h'). x is the squashed output of a convolutional network;
    U, V and W are square matrices.
    """

    net: HexagonNet
    u: Float[Array, "Out Out"]
    v: Float[Array, "Out Out"]
    w: Float[Array, "Out Out"]

    def __init__(self, net: HexagonNet, key: Key[Array, ""]) -> None:
        size = len(net.bias)
        self.net = net
        self.u, self.v, self.w = jnp.float32(1 / np.sqrt(size)) * jax.random.normal(key, (3, size, size))

    def scaled(self, factor: Float[Array, ""]) -> Recurrent:
        """The same network with its four matrices times this: the one before the first squash, U, V and W."""
        matrices = lambda network: (network.net.matrix, network.u, network.v, network.w)  # noqa: E731
        return eqx.tree_at(matrices, self, tuple(factor * matrix for matrix in matrices(self)))

    def fresh(self) -> Float[Array, "Out"]:
        """The memory before a game's first position."""
        return jnp.zeros(len(self.u))

    def __call__(
        self, x: Float[Array, "H W In"], memory: Float[Array, "Out"]
    ) -> tuple[Float[Array, "Out"], Float[Array, "Out"]]:
        """The memory after a position, and the position's values in (-1, 1)."""
        memory = jax.nn.sigmoid(self.u @ squash(self.net(x)) + self.w @ memory)
        return memory, squash(self.v @ memory)
