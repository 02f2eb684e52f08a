"""Networks with two heads: a policy over the moves, and the position's value to the side to move.

`HexagonTower` is for boards on a lattice of hexagons. Its layers see each cell with its neighbours, and the whole board
by means and maxima, so the same weights play any size of board. `TwoHeadedMLP` is for all other games.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.networks.convolution import AROUND
from ludus.networks.mlp import MLP

POLICY, VALUE = 32, 128  # units of the heads


class PolicyValue(NamedTuple):
    """The network's output for one position, from the mover's side."""

    logits: Float[Array, "A"]  # of all actions, legal or not
    value: Float[Array, ""]  # from -1 to 1


class Lattice(NamedTuple):
    """Where a game's actions are on its board of hexagons, from the mover's side."""

    inside: Bool[np.ndarray, "H W"]  # the cells of the board
    layers: int  # outputs of each cell
    places: Int[np.ndarray, "A"]  # of each action: layers * (W * row + column) + layer; then the actions without a cell
    elsewhere: int = 0  # actions without a cell


def exact() -> jnp.dtype:
    """The type that layers compute in: half precision on a GPU."""
    return jnp.dtype(jnp.bfloat16 if jax.default_backend() == "gpu" else jnp.float32)


class Hexagons(eqx.Module):
    """One layer: filters over a cell and its six neighbours, with zero padding."""

    around: Float[Array, "7 In Out"]
    bias: Float[Array, "Out"]

    def __init__(self, inputs: int, outputs: int, key: Key[Array, ""], gain: float = 2.0) -> None:
        scale = jnp.float32(np.sqrt(gain / (len(AROUND) * inputs)))
        self.around = scale * jax.random.normal(key, (len(AROUND), inputs, outputs))
        self.bias = jnp.zeros(outputs)

    def __call__(self, x: Float[Array, "H W In"]) -> Float[Array, "H W Out"]:
        return self._by_the_library(x) if jax.default_backend() == "gpu" else self._as_a_product(x)

    def _by_the_library(self, x: Float[Array, "H W In"]) -> Float[Array, "H W Out"]:
        """A 3 x 3 convolution with two corners of zero; an accelerator fuses the bias and the ReLU into it."""
        _, inputs, outputs = self.around.shape
        rows, columns = (np.array(side) + 1 for side in zip(*AROUND, strict=True))
        square = jnp.zeros((3, 3, inputs, outputs)).at[rows, columns].set(self.around).astype(x.dtype)
        found = jax.lax.conv_general_dilated(
            x[None], square, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        return found[0] + self.bias.astype(x.dtype)[None, None]

    def _as_a_product(self, x: Float[Array, "H W In"]) -> Float[Array, "H W Out"]:
        """One matrix product over shifted copies of the board: faster on a processor."""
        (height, width, inputs), outputs = x.shape, len(self.bias)
        wide = jnp.pad(x, ((1, 1), (1, 1), (0, 0)))
        shifted = [wide[1 + r : 1 + r + height, 1 + c : 1 + c + width] for r, c in AROUND]
        matrix = self.around.reshape(len(AROUND) * inputs, outputs).astype(x.dtype)
        return jnp.concatenate(shifted, axis=-1) @ matrix + self.bias.astype(x.dtype)[None, None]


class Block(eqx.Module):
    """A residual block of two layers; a block that pools tells every cell about the whole board in between.

    Without a norm, a block is two convolutions, each one kernel on an accelerator.
    """

    scale: Float[Array, "C"]  # of the norm; [0] without one
    first: Hexagons
    pooled: Float[Array, "Two C"]  # [0, C] if it does not pool
    second: Hexagons

    def __init__(self, width: int, depth: int, pools: bool, norms: bool, key: Key[Array, ""]) -> None:
        key_first, key_pooled, key_second = jax.random.split(key, 3)
        self.scale = jnp.ones(width if norms else 0)
        self.first = Hexagons(width, width, key_first)
        self.pooled = jnp.float32(0.05) * jax.random.normal(key_pooled, (2 * width if pools else 0, width))
        # Small at first, so that the sum over blocks does not grow with their number.
        self.second = Hexagons(width, width, key_second, gain=0.1 / depth)

    def __call__(self, x: Float[Array, "H W C"], inside: Bool[np.ndarray, "H W"]) -> Float[Array, "H W C"]:
        y = jax.nn.relu(self.first(normed(x, self.scale) if len(self.scale) else x))
        if len(self.pooled):
            y = y + (pool(y, inside) @ self.pooled.astype(y.dtype))[None, None]
        return on_board(x + self.second(on_board(y, inside)), inside)


def normed(x: Float[Array, "H W C"], scale: Float[Array, "C"]) -> Float[Array, "H W C"]:
    """RMS normalisation of each cell's channels, times their scales."""
    wide = x.astype(jnp.float32)
    size = jax.lax.rsqrt((wide**2).mean(axis=-1, keepdims=True) + jnp.float32(1e-5))
    return (wide * size * scale[None, None]).astype(x.dtype)


def on_board(x: Float[Array, "H W C"], inside: Bool[np.ndarray, "H W"], beyond: float = 0.0) -> Float[Array, "H W C"]:
    return x if inside.all() else jnp.where(jnp.asarray(inside)[..., None], x, jnp.asarray(beyond, x.dtype))


def pool(x: Float[Array, "H W C"], inside: Bool[np.ndarray, "H W"]) -> Float[Array, "Two"]:
    """Means and maxima over the cells of the board."""
    mean = on_board(x, inside).sum((0, 1), dtype=jnp.float32) / np.float32(inside.sum())
    return jnp.concatenate([mean.astype(x.dtype), on_board(x, inside, -np.inf).max((0, 1))])


class HexagonTower(eqx.Module):
    """Residual blocks in pairs, the first of each with a norm, the second with a pool; and two heads."""

    first: Hexagons
    blocks: tuple[Block, ...]
    scale: Float[Array, "C"]
    policy: MLP  # of each cell
    elsewhere: Float[Array, "Two E"]  # from the whole board: actions without a cell
    value: MLP

    def __init__(
        self, planes: int, lattice: Lattice, width: int, blocks: int, key: Key[Array, ""], norms: bool = True
    ) -> None:
        key_first, key_policy, key_elsewhere, key_value, *keys = jax.random.split(key, 4 + blocks)
        self.first = Hexagons(planes, width, key_first)
        self.blocks = tuple(Block(width, blocks, i % 2 == 1, norms and i % 2 == 0, k) for i, k in enumerate(keys))
        self.scale = jnp.ones(width)
        self.policy = MLP((width, POLICY, lattice.layers), key_policy)
        self.elsewhere = jnp.float32(0.05) * jax.random.normal(key_elsewhere, (2 * width, lattice.elsewhere))
        self.value = MLP((2 * width, VALUE, 1), key_value)

    def features(self, planes: Float[Array, "H W In"], inside: Bool[np.ndarray, "H W"]) -> Float[Array, "H W C"]:
        x = on_board(jax.nn.relu(self.first(planes.astype(exact()))), inside)
        for block in self.blocks:
            x = block(x, inside)
        return jax.nn.relu(normed(x, self.scale))

    def __call__(self, planes: Float[Array, "H W In"], lattice: Lattice) -> PolicyValue:
        x = self.features(planes, lattice.inside)
        whole = pool(x, lattice.inside).astype(jnp.float32)
        policy = jax.tree.map(lambda leaf: leaf.astype(x.dtype), self.policy)
        each = jax.vmap(jax.vmap(policy))(x).astype(jnp.float32).reshape(-1)
        outputs = jnp.concatenate([each, whole @ self.elsewhere])
        return PolicyValue(outputs[jnp.asarray(lattice.places)], jnp.tanh(self.value(whole)[0]))

    def last_units(self, planes: Float[Array, "H W In"], lattice: Lattice) -> Float[Array, "Two"]:
        """Means and maxima over the board of the features that both heads share."""
        return pool(self.features(planes, lattice.inside), lattice.inside).astype(jnp.float32)


def deepened(tower: HexagonTower, like: HexagonTower) -> HexagonTower:
    """The same function with as many blocks as another tower: the missing ones are the other's, with second layers of
    zero, so that they add nothing.
    """
    more = like.blocks[len(tower.blocks) :]
    silent = [eqx.tree_at(lambda b: b.second, block, jax.tree.map(jnp.zeros_like, block.second)) for block in more]
    return eqx.tree_at(lambda t: t.blocks, tower, (*tower.blocks, *silent))


class TwoHeadedMLP(eqx.Module):
    """An MLP over a vector, with one output for each action and one for the value."""

    network: MLP

    def __init__(self, inputs: int, hidden: tuple[int, ...], actions: int, key: Key[Array, ""]) -> None:
        self.network = MLP((inputs, *hidden, actions + 1), key)

    def __call__(self, inputs: Float[Array, "In"]) -> PolicyValue:
        outputs = self.network(inputs)
        return PolicyValue(outputs[:-1], jnp.tanh(outputs[-1]))
