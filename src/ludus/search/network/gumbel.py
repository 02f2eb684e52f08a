"""Gumbel AlphaZero's search on the device (Danihelka and others 2022, by mctx), for any game, many positions at once.

At the root some moves are drawn without replacement by what the network likes; sequential halving gives the
simulations to those that do best. What it says of all moves afterwards (`weights`) is better than what the network
said, however few simulations there were, so it is what the network learns. The rules are known, so the tree holds
positions. The ply cap and ties by repetition are no part of a position, and a search does not see them.
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

#: How much values from -1 to 1 count in a search beside the logits of the policy. By default mctx stretches the values
#: of a position's moves from 0 to 1 first: a single visited move then outweighs what the policy is sure of.
SCALE = 0.5

#: What a network says of B positions: logits of all actions, and values, in the mover's eyes.
Judge = Callable[[Any], tuple[Float[Array, "B A"], Float[Array, "B"]]]


class GumbelResult(NamedTuple):
    """What a search of B positions came to."""

    action: Int[Array, "B"]  # to be played
    weights: Float[Array, "B A"]  # how good each move is, as a policy
    value: Float[Array, "B"]  # of that move, to the mover
    visits: Int[Array, "B A"]


class GumbelSettings(NamedTuple):
    """How long it thinks, and how widely."""

    simulations: int
    considered: int = 16  # moves at the root, at most
    noise: float = 1.0  # of the draw at the root; 0 takes the best
    scale: float = SCALE  # how much values count beside what the policy says
    rescaled: bool = False  # whether the values of a position's moves are stretched first, from 0 to 1


def search(game: Rules, judge: Judge, key: Key[Array, ""], states: Any, effort: GumbelSettings) -> GumbelResult:
    import mctx  # here: the search on the host does without

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
    """What is legal; of a game that is over, anything, for whoever must choose something."""
    legal = jax.vmap(game.legal)(states)
    return legal | ~legal.any(axis=1, keepdims=True)


def follow(game: Rules, state: Any, action: Int[Array, ""]) -> tuple[Any, Float[Array, ""], Float[Array, ""]]:
    """Where a move leads, what it gains its mover at once, and the sign of what follows. A game that is over stays so,
    and nothing more is gained.
    """
    over = game.done(state)
    reached = select(over, state, game.step(state, action))
    done = game.done(reached)
    reward = transition.result(game, state, reached, done & ~over)
    return reached, reward, transition.sign(game, state, reached, done)
