"""Networks over hexagonal neighbours, and the recurrent head, against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus.networks import HexagonLayer, HexagonNet, Recurrent, Tower, squash


def shaken(make: Callable[[], Any]) -> Any:
    """A network, with biases that are not the zero they begin with."""
    return jax.jit(lambda: jax.tree.map(lambda leaf: leaf + jnp.float32(0.05), make()))()


def applied(network: Any, x: np.ndarray) -> Any:
    return jax.jit(lambda network, x: network(x))(network, jnp.asarray(x))


def board(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def by_loops(layer: HexagonLayer, x: np.ndarray) -> np.ndarray:
    """Cell by cell: the filters of the cell alone, and those of the cell and its neighbours on the board."""
    height, width, _ = x.shape
    point, around, bias = (np.asarray(leaf, np.float64) for leaf in (layer.point, layer.around, layer.bias))
    # Row by row from the top, as one reads: above and above right, left, itself, right, below left and below.
    places = [(-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0)]
    found = np.zeros((height, width, len(bias)))
    for r in range(height):
        for c in range(width):
            wide = sum(
                x[r + down, c + right] @ around[k]
                for k, (down, right) in enumerate(places)
                if 0 <= r + down < height and 0 <= c + right < width
            )
            found[r, c] = np.concatenate([x[r, c] @ point, np.broadcast_to(wide, around.shape[2])]) + bias
    return found


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@pytest.mark.slow
@pytest.mark.parametrize("filters", [(2, 3), (0, 3), (4, 0)])
def test_a_layer_is_a_loop_over_cells_and_their_neighbours(filters: tuple[int, int]) -> None:
    layer = shaken(lambda: HexagonLayer(2, *filters, jax.random.key(1)))
    x = board(4, 5, 2)
    np.testing.assert_allclose(applied(layer, x), by_loops(layer, x), rtol=1e-5, atol=1e-5)


def test_a_layer_is_the_papers_convolution_without_two_corners() -> None:
    """3 x 3 with the last two rows of the first column, the whole second, and the first two rows of the last."""
    mask = np.zeros((3, 3), bool)
    mask[1:, 0] = mask[:, 1] = mask[:2, 2] = True
    layer = HexagonLayer(2, 0, 3, jax.random.key(2))
    kernel = np.zeros((3, 3, 2, 3), np.float32)
    kernel[mask] = layer.around
    x = jnp.asarray(board(4, 5, 2))
    found = jax.lax.conv_general_dilated(
        x[None], jnp.asarray(kernel), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )[0]
    np.testing.assert_allclose(layer(x), found, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_the_papers_network_on_its_board() -> None:
    network = shaken(lambda: HexagonNet((7, 7, 6), 9, jax.random.key(3)))
    assert [(layer.point.shape[1], layer.around.shape[2]) for layer in network.layers] == [(2, 3), (3, 2), (5, 0)]
    assert [layer.point.shape[0] for layer in network.layers] == [6, 5, 5]
    assert network.matrix.shape == (245, 9)
    y = x = board(7, 7, 6)
    for layer in network.layers:
        y = np.maximum(by_loops(layer, y), 0)
    wanted = y.reshape(-1) @ np.asarray(network.matrix) + np.asarray(network.bias)
    np.testing.assert_allclose(applied(network, x), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_a_tower_adds_each_layer_to_what_it_was_given() -> None:
    network = shaken(lambda: Tower((5, 5, 3), width=4, depth=3, outputs=9, key=jax.random.key(4), planes=2))
    assert len(network.blocks) == 2  # and the first
    assert network.matrix.shape == (50, 9)
    x = board(5, 5, 3)
    y = np.maximum(by_loops(network.first, x), 0)
    for block in network.blocks:
        y = y + np.maximum(by_loops(block, y), 0)
    y = by_loops(network.last, y).reshape(-1)
    wanted = y @ np.asarray(network.matrix) + np.asarray(network.bias)
    np.testing.assert_allclose(applied(network, x), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_the_recurrent_head_is_a_loop_over_positions() -> None:
    net = shaken(lambda: HexagonNet((7, 7, 6), 9, jax.random.key(5)))
    network = Recurrent(net, jax.random.key(6))
    u, v, w = (np.asarray(leaf) for leaf in (network.u, network.v, network.w))
    assert u.shape == v.shape == w.shape == (9, 9)
    memory, wanted = network.fresh(), np.zeros(9)
    for x in board(4, 7, 7, 6):
        inputs = 2 * sigmoid(np.asarray(net(jnp.asarray(x)))) - 1
        wanted = sigmoid(u @ inputs + w @ wanted)
        memory, values = network(jnp.asarray(x), memory)
        np.testing.assert_allclose(memory, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(values, 2 * sigmoid(v @ wanted) - 1, rtol=1e-5, atol=1e-6)
        assert (np.abs(values) < 1).all()


def test_values_lie_between_minus_one_and_one() -> None:
    x = jnp.array([-8.0, -1, 0, 1, 8], jnp.float32)
    np.testing.assert_allclose(squash(x), np.tanh(np.asarray(x) / 2), rtol=1e-5, atol=1e-6)
    assert (np.abs(squash(x)) < 1).all()


def test_a_recurrent_networks_matrices_are_scaled_and_nothing_else() -> None:
    network = Recurrent(HexagonNet((7, 7, 6), 9, jax.random.key(5)), jax.random.key(6))
    larger = network.scaled(jnp.float32(8))
    for name in ("u", "v", "w"):
        np.testing.assert_array_equal(getattr(larger, name), 8 * getattr(network, name))
    np.testing.assert_array_equal(larger.net.matrix, 8 * network.net.matrix)
    jax.tree.map(np.testing.assert_array_equal, larger.net.layers, network.net.layers)
    np.testing.assert_array_equal(larger.net.bias, network.net.bias)
