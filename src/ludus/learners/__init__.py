"""Learners: one file for each family, with pure functions of a frozen config, gathered in a `learner.Learner`.

Training finds learners in this list only; a module is loaded when its learner is asked for. The configs are in
`configs`, which needs no JAX.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ludus.errors import BadInput, shorten
from ludus.learners import configs

if TYPE_CHECKING:
    from ludus.learners.learner import Learner

#: Every learner's config.
LEARNERS: dict[str, type[configs.LearnerConfig]] = {
    "afterstate": configs.AfterstateConfig,
    "dqn": configs.DqnConfig,
    "negamax": configs.NegamaxConfig,
    "online": configs.OnlineConfig,
    "batch": configs.BatchConfig,
    "td": configs.TdConfig,
    "returns": configs.ReturnsConfig,
    "trees": configs.TreesConfig,
    "alphazero": configs.AlphaZeroConfig,
}


def find_config(name: str) -> type:
    """A learner's config class."""
    if name not in LEARNERS:
        raise BadInput(f"there is no learner '{shorten(name)}'; there are {', '.join(LEARNERS)}.")
    return LEARNERS[name]


def find_learner(name: str) -> Learner:
    find_config(name)
    return importlib.import_module(f"ludus.learners.{name}").LEARNER
