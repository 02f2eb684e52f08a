"""Gradient temporal differences: each algorithm held to its published equations on a case worked by hand."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from ludus.learners.gradient_td import ALGORITHMS, Actor, Critic, Transition, learn_actor, learn_critic
from ludus.learners.online import Config, sweep_of

# v(theta) = theta' H theta / 2 + b . theta, so that its gradient is H theta + b and its Hessian H; v' is another such.
H = np.array([[0.5, -0.2, 0.1], [-0.2, 0.3, 0.4], [0.1, 0.4, -0.6]], np.float32)
B = np.array([0.3, -0.7, 0.2], np.float32)
H2 = np.array([[-0.1, 0.3, 0.0], [0.3, 0.2, -0.5], [0.0, -0.5, 0.4]], np.float32)
B2 = np.array([-0.4, 0.1, 0.6], np.float32)
THETA = np.array([0.8, -0.5, 0.3], np.float32)
W = np.array([0.2, 0.6, -0.4], np.float32)
U = np.array([-0.3, 0.1, 0.5], np.float32)
TRACE = np.array([0.7, -0.1, 0.9], np.float32)  # with the sign of the backup before it
ALPHA, RATIO, LAMBDA, RHO, REWARD = 0.1, 0.5, 0.6, 1.25, 0.2


def value(theta: Any) -> Any:
    return theta @ H @ theta / 2 + B @ theta


def following(theta: Any) -> Any:
    return theta @ H2 @ theta / 2 + B2 @ theta


def transition(reward: float, sign: float) -> Transition:
    numbers = {"reward": reward, "sign": sign, "rho": RHO, "value": following(THETA)}
    return Transition(**{k: jnp.float32(x) for k, x in numbers.items()}, gradient=jnp.asarray(H2 @ THETA + B2))


def by_the_book(algorithm: str, sign: float, trace: float) -> dict[str, np.ndarray]:
    """The published updates, written out for each algorithm on its own."""
    v, v_next = THETA @ H @ THETA / 2 + B @ THETA, THETA @ H2 @ THETA / 2 + B2 @ THETA
    g, g_next = H @ THETA + B, H2 @ THETA + B2
    delta = REWARD + sign * v_next - v
    beta = ALPHA * RATIO
    h = (delta - g @ W) * (H @ W)
    e = g + trace * TRACE
    if algorithm == "q":
        return {"theta": THETA + ALPHA * delta * g}
    if algorithm == "sarsa":
        return {"theta": THETA + ALPHA * delta * e, "trace": sign * e}
    if algorithm == "greedy-gq":
        e = g + trace * RHO * TRACE
    new_w = W + beta * (delta * e - (g @ W) * g)
    back = sign * (1 - trace) * (W @ e) * g_next
    if algorithm == "gtd2":
        theta = THETA + ALPHA * (g * (g @ W) - back - h)
    elif algorithm == "tdc-natural":
        theta = THETA + ALPHA * (W - U)
        return {"theta": theta, "w": new_w, "u": U + beta * (back + h - (g @ U) * g), "trace": sign * e}
    else:
        theta = THETA + ALPHA * (delta * e - back - h)
    return {"theta": theta, "w": new_w, "trace": sign * e}


@pytest.mark.parametrize("sign", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("trace", [0.0, LAMBDA])
@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_each_algorithm_is_its_published_update(algorithm: Any, trace: float, sign: float) -> None:
    sweep = sweep_of(Config(algorithm=algorithm, alpha=ALPHA, ratio=RATIO, trace=trace))
    critic = Critic(*map(jnp.asarray, (THETA, W, U, TRACE)))
    found, v, delta = learn_critic(sweep, critic, transition(REWARD, sign), value)
    for name, wanted in by_the_book(algorithm, sign, trace).items():
        np.testing.assert_allclose(getattr(found, name), wanted, rtol=1e-5, atol=1e-6, err_msg=name)
    assert float(v) == pytest.approx(float(value(THETA)), rel=1e-5)
    assert float(delta) == pytest.approx(REWARD + sign * float(following(THETA)) - float(value(THETA)), rel=1e-5)


def test_without_traces_gtd2_and_tdc_are_as_in_maei() -> None:
    """w += beta (delta - g.w) g, and (g - g')(g.w) - h, or delta g - g' (g.w) - h."""
    g, g_next = H @ THETA + B, H2 @ THETA + B2
    delta = float(REWARD + following(THETA) - value(THETA))
    h = (delta - g @ W) * (H @ W)
    for algorithm, wanted in (("gtd2", (g - g_next) * (g @ W) - h), ("tdc", delta * g - g_next * (g @ W) - h)):
        sweep = sweep_of(Config(algorithm=algorithm, alpha=ALPHA, ratio=RATIO, trace=0.0))  # pyright: ignore[reportArgumentType]
        critic = Critic(*map(jnp.asarray, (THETA, W, U, 0 * TRACE)))
        found, *_ = learn_critic(sweep, critic, transition(REWARD, 1), value)
        np.testing.assert_allclose(found.theta, THETA + ALPHA * wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(found.w, W + ALPHA * RATIO * (delta - g @ W) * g, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("natural", ["plain", "natural"])
def test_the_actor_follows_the_error(natural: Any) -> None:
    sweep = sweep_of(Config(actor=natural, alpha=ALPHA, ratio=RATIO, actor_rate=0.3, actor_trace=LAMBDA))
    actor = Actor(*map(jnp.asarray, (THETA, W, TRACE)))
    found = learn_actor(sweep, actor, jnp.float32(-1), value, jnp.float32(0.7))
    g = H @ THETA + B
    e = g + LAMBDA * TRACE
    np.testing.assert_allclose(found.theta, THETA + 0.3 * (W if natural == "natural" else 0.7 * e), rtol=1e-5)
    np.testing.assert_allclose(found.w, W + ALPHA * RATIO * (0.7 * e - (g @ W) * g), rtol=1e-5)
    np.testing.assert_allclose(found.trace, -e, rtol=1e-5)


def test_weights_that_would_not_be_finite_stay() -> None:
    sweep = sweep_of(Config(algorithm="sarsa", alpha=1e38))
    critic = Critic(*map(jnp.asarray, (THETA, W, U, TRACE)))
    found, *_ = learn_critic(sweep, critic, transition(1e30, 1), value)
    np.testing.assert_array_equal(found.theta, THETA)
