"""Networks, against NumPy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus.networks import MLP, encode, input_size


@pytest.mark.slow
def test_the_forward_pass_is_numpys() -> None:
    network = MLP((3, 5, 4, 2), jax.random.key(0))
    # Biases that are not the zero they start from, and inputs that make units of both signs.
    network = jax.tree.map(lambda leaf: leaf + jnp.float32(0.1), network)
    for x in np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32):
        y = x
        for weight, bias in zip(network.weights[:-1], network.biases[:-1], strict=True):
            y = np.maximum(y @ np.asarray(weight) + np.asarray(bias), 0)
        y = y @ np.asarray(network.weights[-1]) + np.asarray(network.biases[-1])
        np.testing.assert_allclose(network(jnp.asarray(x)), y, rtol=1e-5, atol=1e-6)


def test_it_begins_as_he_says_with_a_small_last_layer() -> None:
    network = MLP((400, 300, 200), jax.random.key(1))
    assert [w.shape for w in network.weights] == [(400, 300), (300, 200)]
    assert all(not b.any() for b in network.biases)
    assert float(network.weights[0].std()) == pytest.approx(np.sqrt(2 / 400), rel=0.02)
    assert float(network.weights[1].std()) == pytest.approx(0.1 / np.sqrt(300), rel=0.02)
    other = MLP((400, 300, 200), jax.random.key(2))
    assert not np.array_equal(network.weights[0], other.weights[0])


def test_a_position_is_its_planes_or_one_number_a_square() -> None:
    planes = jnp.asarray(np.eye(4, dtype=np.float32)[[[0, 1], [2, 3]]])  # a board of 2 x 2, one plane a square
    np.testing.assert_array_equal(encode(planes, "planes"), planes.reshape(-1))
    np.testing.assert_array_equal(encode(planes, "raw"), np.array([1, -1, 0.5, -0.5], np.float32))
    np.testing.assert_array_equal(encode(jnp.zeros((2, 2, 4)), "raw"), np.zeros(4))
    assert (input_size((2, 2, 4), "planes"), input_size((2, 2, 4), "raw")) == (16, 4)
