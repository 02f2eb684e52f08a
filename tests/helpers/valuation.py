"""What a small network of two layers makes of a position, once more; and a position with pushes in it."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from ludus.learners.valuation import Network

#: Each side can push marbles off at once.
PUSHES = "wwwbb/..b.../b.b.b.b/......../wbb.b.wwb/......../.w.w.w./....w./..... b"


def worth(output: str, network: Network, inputs: Any) -> Any:
    """J, once more."""
    hidden = 1 / (1 + jnp.exp(-(inputs @ network.hidden + network.hidden_bias)))
    share = 1 / (1 + jnp.exp(-(hidden @ network.output + network.output_bias)))
    return share if output == "sigmoid" else 7 * (2 * share - 1)


Leaves = tuple[np.ndarray, ...]  # of a network, in its order


def by_hand(weights: Leaves, inputs: np.ndarray) -> tuple[float, Leaves]:
    """J of one position and its gradient, in NumPy, with the derivatives worked out on paper."""
    into, bias, out, last = weights
    hidden = 1 / (1 + np.exp(-(inputs @ into + bias)))
    value = 1 / (1 + np.exp(-(hidden @ out + last)))
    above = value * (1 - value)
    below = above * out * hidden * (1 - hidden)
    return float(value), (np.outer(inputs, below), below, above * hidden, np.asarray(above))
