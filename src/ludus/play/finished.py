"""The finished games of a match, collected as they end, so that a stopped match has a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, Int, UInt32

from ludus.play.host_batch import Ends


class Fault(NamedTuple):
    """A game that a player lost because it failed to move."""

    game: int  # from 0
    player: int  # 0 for the first-named, else 1
    why: str  # a sentence


class FinishedGames(NamedTuple):
    """Finished games: the result for the first-named player, the plies, and a fingerprint."""

    places: Int[np.ndarray, "N"]  # the number of each game in its match, from 0
    end: Float[np.ndarray, "N"]
    plies: Int[np.ndarray, "N"]
    fingerprint: UInt32[np.ndarray, "N 3"]  # the seat, and a hash of the moves
    final: Any  # the last positions, every leaf [N, ...]
    faults: tuple[Fault, ...] = ()

    @property
    def distinct(self) -> int:
        return len(np.unique(self.fingerprint, axis=0))


class GamesSoFar:
    """The games of a match that have ended so far. Another thread may read while games are added."""

    def __init__(self, on_fault: Callable[[Fault], Any] | None = None) -> None:
        self._parts: list[tuple[Int[np.ndarray, "K"], Ends]] = []
        self._faults: list[Fault] = []
        self._count, self._on_fault = 0, on_fault

    def __len__(self) -> int:
        return self._count

    def add(self, places: Int[np.ndarray, "K"], ends: Ends, why: Mapping[int, str]) -> None:
        """Add the games with these numbers; `why` gives the reason of each forfeit, by its index in `places`."""
        faults = [Fault(int(places[n]), int(ends.got[n] > 0), sentence) for n, sentence in why.items()]
        self._faults += faults
        self._parts.append((places, ends))
        self._count += len(places)
        for fault in faults:
            if self._on_fault is not None:
                self._on_fault(fault)

    def played(self) -> FinishedGames:
        """All finished games in the order of their numbers; there must be at least one."""
        parts, faults = self._parts.copy(), self._faults.copy()
        places = np.concatenate([there for there, _ in parts])
        order = np.argsort(places)
        end, plies, prints, final = jax.tree.map(
            lambda *leaves: np.concatenate(leaves)[order], *(ends for _, ends in parts)
        )
        places = places[order]
        known = set(places.tolist())
        return FinishedGames(
            places,
            end,
            plies,
            np.column_stack([places.astype(np.uint32) % 2, prints]),
            final,
            tuple(fault for fault in sorted(faults) if fault.game in known),
        )
