"""One step of the weights: the optimiser gives the direction, an annealed rate the length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int

Optimizer = Literal["adam", "rmsprop", "adadelta", "nesterov"]


def direction(name: Optimizer, momentum: float = 0.9) -> optax.GradientTransformation:
    """An optimiser without its learning rate, which is annealed and may be swept."""
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
    """One step of gradient descent; also the optimiser's new state, and the loss before the step."""
    error, gradient = jax.value_and_grad(loss)(network)
    step, memory = rule.update(gradient, memory, network)
    return jax.tree.map(lambda weight, change: weight - rate * change, network, step), memory, error


def annealed(rate: float, games: Int[Array, ""], total: int) -> Float[Array, ""]:
    """A learning rate that falls linearly to 0 over so many games."""
    return rate * jnp.maximum(1 - games / total, 0)
