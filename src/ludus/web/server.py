"""What all requests share: pools of workers, games and positions, players. Heavy parts are loaded on first use."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ludus import games as registry
from ludus.web.body import Body
from ludus.web.run_list import Demo
from ludus.web.workers import WorkerPool

if TYPE_CHECKING:
    from ludus.web.exact import Refuter
    from ludus.web.players import PlayerCache
    from ludus.web.positions import PositionCache


class Server:
    """One for each application."""

    def __init__(self, runs: Path, patience: float = 1.0) -> None:
        self.runs, self.demo, self.streams, self.patience = runs, Demo(runs), 0, patience
        # Python's lock lets one thread run at a time, so two workers are enough for quick answers. Searches leave one
        # processor to everything else.
        searches = max(1, (os.cpu_count() or 2) - 1)
        sizes = {"quick": (2, 512), "network": (2, 256), "search": (searches, 64), "truth": (2, 64), "review": (1, 16)}
        self.pools = {name: WorkerPool(name, *size) for name, size in sizes.items()}

    @functools.cached_property
    def positions(self) -> PositionCache:
        from ludus.web.positions import PositionCache

        return PositionCache()

    @functools.cached_property
    def players(self) -> PlayerCache:
        from ludus.web.players import PlayerCache

        return PlayerCache(self.runs)

    @functools.cached_property
    def refuter(self) -> Refuter:
        from ludus.web.exact import Refuter

        return Refuter()

    def close(self) -> None:
        self.demo.stop()
        for pool in self.pools.values():
            pool.close()

    def warm(self) -> None:
        """Load the slow parts before the first request."""
        from ludus.web import analysis, players, positions  # noqa: F401

        positions.position_document(self.positions.line(Body({"game": registry.names()[0]})))
