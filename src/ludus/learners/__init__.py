"""Learners: one file a family, each a frozen `Config`, pure functions and the record of them (`learner.Learner`).

This list is all that training knows of them; a module is loaded when its learner is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ludus.errors import BadInput, shorten

if TYPE_CHECKING:
    from ludus.learners.learner import Learner

LEARNERS = ("afterstate", "dqn", "negamax", "online", "batch")


def find_learner(name: str) -> Learner:
    if name not in LEARNERS:
        raise BadInput(f"there is no learner '{shorten(name)}'; there are {', '.join(LEARNERS)}.")
    return importlib.import_module(f"ludus.learners.{name}").LEARNER
