"""Gradient temporal differences, for one move: SARSA, Q-learning, GTD2, TDC, Greedy GQ and an actor, as equations.

With v = v(s, a), v' = v(s', b), g and g' their gradients, and s the sign of the backup (+1 as the paper has it, -1
where the other side moves next and `backup` is "negamax"):

    delta = R + s v' - v                  the error of a move; v' = 0 after the last
    e     = g + s lambda rho e            the trace; rho: the importance ratio, 1 except for Greedy GQ
    z     = H w + s lambda rho z          the same trace of H w, H the Hessian of v
    w    += beta (delta e - (g.w) g)      the slower or faster second set of weights
    h     = delta z - (g.w) H w           the second-order term; with lambda = 0 it is (delta - g.w) H w
    theta += alpha (step - correction)    with
             step       = delta e,  or (g.w) g for GTD2
             correction = s (1 - lambda) (w.e) g' + h,  or 0 for SARSA and Q-learning

In expectation, with w at its least-squares solution, this is the steepest descent of the projected Bellman error for
any lambda; the tests check that. With lambda = 0 these are the equations of Maei et al. for GTD2 and TDC; those of
Greedy GQ(lambda) are Maei's (2011). Maei's proof keeps theta within a bound (`bound`); `second_order` = 0 leaves h out.
An algorithm is a row of switches (`ALGORITHMS`), and switches are arrays: one compiled program trains all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from ludus.learners import targets


class AlgorithmSwitches(NamedTuple):
    """What an algorithm does: each switch is 0 or 1."""

    greedy: float  # v' is the best move's, not the next move's
    traces: float  # lambda counts
    importance: float  # rho is 0 for a move that is not greedy, else 1 / its probability
    project: float  # the step is (g.w) g, not delta e
    correct: float  # there is a correction
    natural: float  # both follow their natural gradient


ALGORITHMS: dict[str, AlgorithmSwitches] = {
    "sarsa": AlgorithmSwitches(greedy=0, traces=1, importance=0, project=0, correct=0, natural=0),
    "q": AlgorithmSwitches(greedy=1, traces=0, importance=0, project=0, correct=0, natural=0),
    "gtd2": AlgorithmSwitches(greedy=0, traces=1, importance=0, project=1, correct=1, natural=0),
    "tdc": AlgorithmSwitches(greedy=0, traces=1, importance=0, project=0, correct=1, natural=0),
    "greedy-gq": AlgorithmSwitches(greedy=1, traces=1, importance=1, project=0, correct=1, natural=0),
    "tdc-natural": AlgorithmSwitches(greedy=0, traces=1, importance=0, project=0, correct=1, natural=1),
}


class OnlineSweep(NamedTuple):
    """What may differ between runs of one program."""

    switches: AlgorithmSwitches
    negate: Float[Array, ""]  # 1 where the backup is negamax
    alpha: Float[Array, ""]
    ratio: Float[Array, ""]
    epsilon: Float[Array, ""]
    trace: Float[Array, ""]
    second_order: Float[Array, ""]  # 1 where h counts
    bound: Float[Array, ""]  # of the weights' norm; 0 is none
    actor_rate: Float[Array, ""]
    actor_trace: Float[Array, ""]
    natural_rate: Float[Array, ""]
    actor_natural: Float[Array, ""]
    baseline: Float[Array, ""]  # 1 where the actor's baseline is the mean value of its policy


class Critic(NamedTuple):
    """The weights of the values, and the vectors that belong to them; all of one length."""

    theta: Float[Array, "W"]
    w: Float[Array, "W"]
    u: Float[Array, "W"]  # the natural gradient of the correction
    trace: Float[Array, "W"]
    bend: Float[Array, "W"]  # z, the trace of H w


class Actor(NamedTuple):
    """The weights of the policy, and the vectors that belong to them; all of one length."""

    theta: Float[Array, "V"]
    w: Float[Array, "V"]  # the natural gradient
    trace: Float[Array, "V"]


class Transition(NamedTuple):
    """The outcome of a move, for the equations."""

    reward: Float[Array, ""]
    sign: Float[Array, ""]  # of the backup; 0 after the last move
    rho: Float[Array, ""]  # of the move itself
    value: Float[Array, ""]  # v'
    gradient: Float[Array, "W"]  # g'


def learn_critic(
    sweep: OnlineSweep,
    critic: Critic,
    met: Transition,
    value: Callable[[Float[Array, "W"]], Float[Array, ""]],  # theta -> v(s, a)
) -> tuple[Critic, Float[Array, ""], Float[Array, ""]]:
    """One update; also v and delta. An update to weights that are not finite is dropped."""
    on = sweep.switches
    theta, w = critic.theta, critic.w
    (v, gradient), (overlap, hessian_w) = jax.jvp(jax.value_and_grad(value), (theta,), (w,))  # overlap is g.w
    decay = sweep.trace * on.traces
    delta = targets.one_step(met.reward, met.sign, met.value) - v
    rho = 1 + on.importance * (met.rho - 1)
    trace = gradient + decay * rho * critic.trace  # critic.trace has the last backup's sign in it
    bend = hessian_w + decay * rho * critic.bend
    step = on.project * overlap * gradient + (1 - on.project) * delta * trace
    h = sweep.second_order * (delta * bend - overlap * hessian_w)
    correction = on.correct * (met.sign * (1 - decay) * (w @ trace) * met.gradient + h)
    beta = sweep.alpha * sweep.ratio
    new_w = w + beta * (delta * trace - overlap * gradient)
    new_u = critic.u + beta * on.natural * (correction - (gradient @ critic.u) * gradient)
    change = (1 - on.natural) * (step - correction) + on.natural * (w - critic.u)
    new_theta = within(theta + sweep.alpha * change, sweep.bound)
    fresh = Critic(new_theta, new_w, new_u, met.sign * trace, met.sign * bend)
    return _if_finite(fresh, critic), v, delta


def within(theta: Float[Array, "W"], bound: Float[Array, ""]) -> Float[Array, "W"]:
    """The nearest weights whose norm is no larger than the bound."""
    norm = jnp.sqrt(theta @ theta)
    return theta * jnp.where((bound > 0) & (norm > bound), bound / norm, jnp.float32(1))


Weights = TypeVar("Weights", Critic, Actor)


def _if_finite(fresh: Weights, before: Weights) -> Weights:
    finite = jnp.isfinite(sum(leaf.sum() for leaf in fresh))
    return jax.tree.map(lambda new, old: jnp.where(finite, new, old), fresh, before)


def learn_actor(
    sweep: OnlineSweep,
    actor: Actor,
    sign: Float[Array, ""],
    log_probability: Callable[[Float[Array, "V"]], Float[Array, ""]],
    advantage: Float[Array, ""],
) -> Actor:
    """One update of the policy, towards moves of a positive advantage. The natural gradient is found by least squares,
    with a step size of its own (`natural_rate`), which should be the larger one.
    """
    gradient = jax.grad(log_probability)(actor.theta)
    trace = gradient + sweep.actor_trace * actor.trace
    new_w = actor.w + sweep.natural_rate * (advantage * trace - (gradient @ actor.w) * gradient)
    change = sweep.actor_natural * actor.w + (1 - sweep.actor_natural) * advantage * trace
    return _if_finite(Actor(actor.theta + sweep.actor_rate * change, new_w, sign * trace), actor)
