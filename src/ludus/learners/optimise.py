"""One step of the weights, written once: which way, and how far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import jax
import optax
from jaxtyping import Array, Float

Optimizer = Literal["adam", "rmsprop", "adadelta", "nesterov"]


def direction(name: Optimizer, momentum: float = 0.9) -> optax.GradientTransformation:
    """An optimiser but for its learning rate, which is annealed and may be swept."""
    if name == "nesterov":
        return optax.trace(momentum, nesterov=True)
    rules = {"adam": optax.scale_by_adam, "rmsprop": optax.scale_by_rms, "adadelta": optax.scale_by_adadelta}
    return rules[name]()


def descend(
    rule: optax.GradientTransformation,
    loss: Callable[[Any], Float[Array, ""]],
    network: Any,
    memory: Any,
    rate: Float[Array, ""] | float,
) -> tuple[Any, Any, Float[Array, ""]]:
    """One step down the slope of a loss; also what the optimiser remembers, and the loss before the step."""
    error, gradient = jax.value_and_grad(loss)(network)
    step, memory = rule.update(gradient, memory, network)
    return jax.tree.map(lambda weight, change: weight - rate * change, network, step), memory, error
