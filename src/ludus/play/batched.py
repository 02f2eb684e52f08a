"""A policy for the device, apart from its weights."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludus.play.selfplay import Policy

#: Makes a policy from weights; always the same object for one kind of player, so that it is compiled once.
PolicyOf = Callable[[Any], Policy]


@dataclass(frozen=True, eq=False)
class Batched:
    """A policy for the device and its weights, separately: one compiled program serves all weights."""

    policy_of: PolicyOf
    weights: Any = None

    @staticmethod
    def fixed(policy: Policy) -> Batched:
        """A policy without weights."""
        return Batched(_always(policy))

    @property
    def policy(self) -> Policy:
        return self.policy_of(self.weights)


@functools.lru_cache(maxsize=64)  # always the same function for the same policy
def _always(policy: Policy) -> PolicyOf:
    return lambda _: policy
