"""The pre-training of the paper's fig. 14: supervised learning of H-search scores, before any play."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, Key

from ludus.games.hex.features import bordered
from ludus.games.hex.rules import Hex
from ludus.games.hex.solver.circuit import scores
from ludus.learners import online, optimise
from ludus.learners.learner import Learner
from ludus.networks import HexagonNet, squash
from ludus.play.selfplay import random_positions
from ludus.study.programs import own_setup

STEPS, BATCH, RATE = 500, 50, 3e-3


class Scored(NamedTuple):
    """Positions, and the teacher's score of each legal move."""

    planes: Float[Array, "N H W C"]
    scores: Float[Array, "N A"]
    legal: Bool[Array, "N A"]


@functools.cache
def scored_positions(game: Hex, count: int = 512) -> Scored:
    """Positions of random games, their moves scored by H-search."""
    states = jax.jit(lambda key: jax.vmap(game.canonical)(random_positions(game, key, count)))(jax.random.key(0))
    planes = jax.jit(jax.vmap(lambda state: bordered(game, state)))(states)
    legal = jax.jit(jax.vmap(game.legal))(states)
    each = [jax.tree.map(lambda leaf, i=i: np.asarray(leaf)[i], states) for i in range(count)]
    taught = np.stack([np.nan_to_num(scores(game, state)) for state in each])
    return Scored(planes, jnp.asarray(taught, jnp.float32), legal)


def pretrain(scored: Scored, network: HexagonNet, key: Key[Array, ""]) -> HexagonNet:
    """`STEPS` steps of RMSProp towards the scores."""
    rule = optimise.direction("rmsprop")

    def step(carry: Any, key: Key[Array, ""]) -> Any:
        rows = jax.random.randint(key, (BATCH,), 0, len(scored.scores))

        def loss(network: HexagonNet) -> Float[Array, ""]:
            errors = squash(jax.vmap(network)(scored.planes[rows])) - scored.scores[rows]
            return jnp.where(scored.legal[rows], errors**2, 0.0).sum() / scored.legal[rows].sum(dtype=jnp.float32)

        network, memory, _ = optimise.descend(rule, loss, carry[0], carry[1], RATE)
        return (network, memory), None

    begin = network, rule.init(network)  # pyright: ignore[reportArgumentType]
    return jax.lax.scan(step, begin, jax.random.split(key, STEPS))[0][0]


def pretrained(learner: Learner, config: Any, game: Hex, keys: Key[Array, "S"]) -> online.OnlineSetup:
    """The initial state of the runs, with the value network pre-trained, and the actor too: its best move is the
    teacher's.
    """
    plain, scored = own_setup(learner, config, game, keys), scored_positions(game)

    def teach(theta: Float[Array, "W"], key: Key[Array, ""]) -> Float[Array, "W"]:
        return ravel_pytree(pretrain(scored, online.unravel(game)(theta), key))[0]

    taught = jax.jit(jax.vmap(teach))
    return plain._replace(theta=taught(plain.theta, keys), actor=taught(plain.actor, keys))
