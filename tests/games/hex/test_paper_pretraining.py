"""What fig. 14 teaches before any play is learned: by the values' network, and by an actor's."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from ludus.games.hex.features import bordered
from ludus.games.hex.paper import STUDY, pretraining
from ludus.games.hex.paper.pretraining import Scored
from ludus.games.hex.rules import Hex
from ludus.learners import find_learner, online
from ludus.networks import squash
from ludus.study.measures import won_positions
from ludus.study.programs import own_setup


def missed(game: Hex, scored: Scored, thetas: Any) -> np.ndarray:
    """How far the networks of these weights are from the teacher's scores."""

    @jax.jit
    def said(thetas: Any) -> Any:
        return jax.vmap(lambda theta: squash(jax.vmap(online.unravel(game)(theta))(scored.planes)))(thetas)

    errors = (np.asarray(said(thetas)) - np.asarray(scored.scores)) ** 2
    return errors[:, np.asarray(scored.legal)].mean(axis=1)


@pytest.mark.slow
def test_a_network_learns_what_it_is_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretraining, "STEPS", 100)
    game = Hex(size=3)
    states, winning = (jax.tree.map(lambda leaf: leaf[:64], part) for part in won_positions(game))
    planes = jax.jit(jax.vmap(lambda state: bordered(game, state)))(states)
    legal = jax.jit(jax.vmap(game.legal))(states)
    scored = Scored(planes, 0.5 * winning.astype(jnp.float32), legal)
    network = online.new_network(game, jax.random.key(0))
    taught = jax.jit(lambda scored, key: pretraining.pretrain(scored, network, key))(scored, jax.random.key(1))
    before, after = missed(game, scored, jnp.stack([ravel_pytree(net)[0] for net in (network, taught)]))
    assert after < 0.5 * before


@pytest.mark.slow
def test_both_the_values_network_and_the_actors_are_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from where it was; the positions to start from stay."""
    game, learner = Hex(size=2), find_learner("online")
    scored = pretraining.scored_positions(game, 64)
    monkeypatch.setattr(pretraining, "STEPS", 100)
    monkeypatch.setattr(pretraining, "scored_positions", lambda game: scored)
    config, keys = online.Config(starts=4, actor="natural"), jax.random.split(jax.random.key(0), 2)
    plain, taught = own_setup(learner, config, game, keys), STUDY.setups["pre-trained"](learner, config, game, keys)
    for before, after in ((plain.theta, taught.theta), (plain.actor, taught.actor)):
        assert (missed(game, scored, after) < 0.5 * missed(game, scored, before)).all()
    assert not np.array_equal(taught.theta, taught.actor)
    jax.tree.map(np.testing.assert_array_equal, taught.starts, plain.starts)
