"""Learners: one file a family, each pure functions of a frozen config and the record of them (`learner.Learner`).

This list is all that training knows of them; a module is loaded when its learner is asked for. The configs stand in
`configs`, which needs no JAX.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ludus.errors import BadInput, shorten
from ludus.learners import configs

if TYPE_CHECKING:
    from ludus.learners.learner import Learner

#: Each with its config.
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
    """What a learner's settings are."""
    if name not in LEARNERS:
        raise BadInput(f"there is no learner '{shorten(name)}'; there are {', '.join(LEARNERS)}.")
    return LEARNERS[name]


def find_learner(name: str) -> Learner:
    find_config(name)
    return importlib.import_module(f"ludus.learners.{name}").LEARNER
