"""Gumbel AlphaZero's search on the device (Danihelka and others 2022, with mctx), for a batch of positions of any game.

At the root, some moves are sampled from the policy without replacement; sequential halving divides the simulations
among them. The improved policy (`weights`) is better than the network's even after few simulations, so it is the
training target. The rules are known, so the tree stores positions. The ply cap and ties by repetition are not part of
a position, so the search does not see them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.arrays import select
from ludus.core.game import Rules
from ludus.play import transition
from ludus.play.policies import MASKED

#: The weight of values (from -1 to 1) against the policy's logits. By default mctx first rescales the values of a
#: position's moves to 0..1; then a single visited move can outweigh a confident policy.
SCALE = 0.5

#: The network, applied to B positions: logits of all actions, and values for the mover.
Judge = Callable[[Any], tuple[Float[Array, "B A"], Float[Array, "B"]]]


class GumbelResult(NamedTuple):
    """The result of a search of B positions."""

    action: Int[Array, "B"]  # to play
    weights: Float[Array, "B A"]  # the improved policy
    value: Float[Array, "B"]  # of that action, for the mover
    visits: Int[Array, "B A"]


class GumbelSettings(NamedTuple):
    """The length and width of the search."""

    simulations: int
    considered: int = 16  # moves at the root, at most
    noise: float = 1.0  # scale of the Gumbel noise at the root; 0 takes the best moves
    scale: float = SCALE  # the weight of values against the policy's logits
    rescaled: bool = False  # whether the values of a position's moves are first rescaled to 0..1


def search(game: Rules, judge: Judge, key: Key[Array, ""], states: Any, effort: GumbelSettings) -> GumbelResult:
    import mctx  # here, because the search on the host does not need it

    legal = _playable(game, states)
    logits, value = judge(states)
    root = mctx.RootFnOutput(prior_logits=jnp.where(legal, logits, MASKED), value=value, embedding=states)  # pyright: ignore[reportCallIssue]

    def simulate(_: Any, key: Key[Array, ""], action: Any, states: Any) -> Any:
        reached, reward, sign = jax.vmap(lambda s, a: follow(game, s, a))(states, action)
        logits, value = judge(reached)
        logits = jnp.where(_playable(game, reached), logits, MASKED)
        value = jnp.where(sign == 0, jnp.float32(0), value)
        found = mctx.RecurrentFnOutput(reward=reward, discount=sign, prior_logits=logits, value=value)  # pyright: ignore[reportCallIssue]
        return found, reached

    with jax.numpy_dtype_promotion("standard"):  # mctx multiplies values with counts
        found: Any = mctx.gumbel_muzero_policy(
            params=(),
            rng_key=key,
            root=root,
            recurrent_fn=simulate,
            num_simulations=effort.simulations,
            invalid_actions=~legal,
            max_num_considered_actions=effort.considered,
            gumbel_scale=effort.noise,
            qtransform=functools.partial(
                mctx.qtransform_completed_by_mix_value, value_scale=effort.scale, rescale_values=effort.rescaled
            ),
        )
        summary = found.search_tree.summary()
    value = jnp.take_along_axis(summary.qvalues, found.action[:, None], axis=1)[:, 0]
    return GumbelResult(found.action, found.action_weights, value, summary.visit_counts.astype(jnp.int32))


def _playable(game: Rules, states: Any) -> Bool[Array, "B A"]:
    """The legal actions; all actions if the game is over, because mctx needs at least one."""
    legal = jax.vmap(game.legal)(states)
    return legal | ~legal.any(axis=1, keepdims=True)


def follow(game: Rules, state: Any, action: Int[Array, ""]) -> tuple[Any, Float[Array, ""], Float[Array, ""]]:
    """The position after a move, the mover's reward, and the sign of the next value. A finished game stays as it is,
    with reward 0.
    """
    over = game.done(state)
    reached = select(over, state, game.step(state, action))
    done = game.done(reached)
    reward = transition.result(game, state, reached, done & ~over)
    return reached, reward, transition.sign(game, state, reached, done)
