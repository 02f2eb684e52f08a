"""The Hex study: its figures have the paper's curves; what is taught beforehand is learned."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus.games.hex.features import bordered
from ludus.games.hex.paper import STUDY, figures, pretraining
from ludus.games.hex.paper.figures import OBJECTIVES, scales
from ludus.games.hex.rules import Hex
from ludus.learners import find_learner, online
from ludus.networks import squash
from ludus.study.grid import own_setup
from ludus.study.measures import won_positions
from ludus.study.study import Scale

GAME, FIGURES = Hex(size=3), STUDY.figures

#: As the paper has them, and the figure of ours and the table.
CURVES = {
    "fig5": 20,
    "fig6": 20,
    "fig7": 20,
    "fig8": 8,
    "fig9": 25,
    "fig10": 20,
    "fig11": 20,
    "fig12": 25,
    "fig13": 20,
    "fig14": 12,
    "fig15": 10,
    "fig16": 10,
    "fig17": 4,
    "fig18": 4,
    "fig19": 2,
    "fig20": 6,
    "backups": 12,
    "table1": 4,
}


def test_every_figure_has_its_curves() -> None:
    assert {name: len(figure.curves) for name, figure in FIGURES.items()} == CURVES
    for figure in FIGURES.values():
        assert len({(curve.panel, curve.label) for curve in figure.curves}) == len(figure.curves)
        assert len({curve.run for curve in figure.curves}) == len(figure.curves)
        assert set(figure.measures) <= set(STUDY.words)
    configs = [curve.recipe.config for name, f in FIGURES.items() if name != "backups" for curve in f.curves]
    assert {config.backup for config in configs} == {"paper"}
    assert {curve.recipe.config.alpha for curve in FIGURES["fig5"].curves} == {1e-4, 1e-3, 1e-2, 1e-1}
    assert {curve.recipe.config.ratio for curve in FIGURES["fig5"].curves} == {0.01, 0.1, 1, 10, 100}
    assert [curve.label for curve in FIGURES["fig19"].curves] == ["CNN-PBE", "RNN-PBE"]
    assert [curve.setup for curve in FIGURES["fig14"].curves] == ["pre-trained", ""] * 6


def test_the_scale() -> None:
    assert scales("", False, None) == Scale(10, 20, 250)
    assert scales("", True, None) == Scale(2, 4, 150)
    assert scales("", False, 3).seeds == scales("", True, 3).seeds == 3
    assert (scales("seasons", False, 5).seeds, scales("seasons", True, 5).seeds) == (10, 5)


def test_the_papers_four_agents() -> None:
    configs = {name: recipe.config for name, recipe in OBJECTIVES.items()}
    assert {name: (c.network, c.objective, c.target) for name, c in configs.items()} == {
        "CNN-MSE": ("cnn", "mse", "q"),
        "CNN-PBE": ("cnn", "pbe", "sarsa"),
        "RNN-MSE": ("rnn", "mse", "q"),
        "RNN-PBE": ("rnn", "pbe", "sarsa"),
    }
    assert {c.backup for c in configs.values()} == {"paper"}


@pytest.mark.slow
def test_a_network_learns_what_it_is_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretraining, "STEPS", 100)
    states, winning = (jax.tree.map(lambda leaf: leaf[:64], part) for part in won_positions(GAME))
    planes = jax.jit(jax.vmap(lambda state: bordered(GAME, state)))(states)
    legal = jax.jit(jax.vmap(GAME.legal))(states)
    scored = pretraining.Scored(planes, 0.5 * winning.astype(jnp.float32), legal)
    network = online.new_network(GAME, jax.random.key(0))
    taught = jax.jit(lambda scored, key: pretraining.pretrain(scored, network, key))(scored, jax.random.key(1))

    def missed(network: Any) -> float:
        found = np.asarray(squash(jax.vmap(network)(scored.planes)))
        return float(((found - np.asarray(scored.scores)) ** 2)[np.asarray(scored.legal)].mean())

    assert missed(taught) < 0.5 * missed(network)


@pytest.mark.slow
def test_what_is_taught_is_the_values_network_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretraining, "STEPS", 2)
    learner = find_learner("online")
    config, keys = online.Config(starts=4), jax.random.split(jax.random.key(0), 2)
    plain, taught = own_setup(learner, config, GAME, keys), pretraining.pretrained(learner, config, GAME, keys)
    assert not np.array_equal(plain.theta, taught.theta)
    np.testing.assert_array_equal(plain.actor, taught.actor)
    assert figures.STUDY.setups["pre-trained"] is not None
