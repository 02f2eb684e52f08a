"""What all requests share: games and lines, agents, workers. Heavy things are loaded when they are first needed."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ludus import games as registry
from ludus.web.asked import Asked
from ludus.web.lanes import Lane
from ludus.web.learning import Demo

if TYPE_CHECKING:
    from ludus.web.players import Players
    from ludus.web.setups import Setups
    from ludus.web.thinking import Refuter


class Server:
    """One for each application."""

    def __init__(self, runs: Path, patience: float = 1.0) -> None:
        self.runs, self.demo, self.streams, self.patience = runs, Demo(runs), 0, patience
        # Python's own work does not run side by side: a few workers do for what is quick, and more would only keep each
        # other waiting. Searches leave a processor to all others.
        self.quick = Lane("quick", 2, 512)
        self.network = Lane("network", 2, 256)
        self.search = Lane("search", max(1, (os.cpu_count() or 2) - 1), 64)
        self.truth = Lane("truth", 2, 64)

    @functools.cached_property
    def setups(self) -> Setups:
        from ludus.web.setups import Setups

        return Setups()

    @functools.cached_property
    def players(self) -> Players:
        from ludus.web.players import Players

        return Players(self.runs)

    @functools.cached_property
    def refuter(self) -> Refuter:
        from ludus.web.thinking import Refuter

        return Refuter()

    def close(self) -> None:
        self.demo.stop()
        for lane in (self.quick, self.network, self.search, self.truth):
            lane.close()

    def warm(self) -> None:
        """Load what takes longest to load, before anybody asks."""
        from ludus.web import players, setups, thinking  # noqa: F401

        setups.position(self.setups.line(Asked({"game": registry.names()[0]})))
