"""Agents by name: built-in ones, those that come with a game, and runs of the folder given at the start.

No text of a request is opened as a path: `run:NAME` is looked up in a list of the runs, and `run:NAME/selves/NUMBER` in
that of the run's snapshots. And none becomes a command: agents `htp:COMMAND` are refused here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from ludus import games as registry
from ludus.agents.find import find_player, player_of
from ludus.agents.spec import AgentSpec, bound_of, folder_of, learned, refuse_unsearched, untrained
from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.play.player import Player
from ludus.runs.run_info import WEIGHTS, checkpoints, find_runs, read_config
from ludus.search.alphabeta.evaluation import evaluations
from ludus.web import ages

RUN = "run:"
MAX_PLAYERS = 32


class PlayerCache:
    """The players used last, each for one game."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._players: OrderedDict[tuple[str, Game], tuple[Any, Player]] = OrderedDict()
        self._lock = threading.Lock()

    def runs(self) -> dict[str, Path]:
        """The runs of the folder, by their names on the page."""
        if not self._runs.is_dir():
            return {}
        return {f"{RUN}{path.relative_to(self._runs).as_posix()}": path for path in find_runs(self._runs)}

    def find(self, name: str, game: Game) -> Player:
        """The player of this name. A run that has new weights is loaded again; compiled programs are reused."""
        spec = AgentSpec.parse(name)
        folder = self._folder(spec.inside)
        version = None if folder is None else _version(folder)
        with self._lock:
            found = self._players.get((name, game))
            if found is not None and found[0] == version:
                self._players.move_to_end((name, game))
                return found[1]
        player = self._made(spec, game, folder)
        with self._lock:
            self._players[name, game] = version, player
            while len(self._players) > MAX_PLAYERS:
                self._players.popitem(last=False)
        return player

    def _folder(self, name: str | None) -> Path | None:
        """The folder of a run; None if the name is not a run's."""
        if name is None or not name.startswith(RUN):
            return None
        folder = ages.folder(self.runs(), name)
        if folder is None:
            raise BadInput(f"there is no run '{shorten(name.removeprefix(RUN))}' in the folder of this page.")
        return folder

    def _made(self, spec: AgentSpec, game: Game, folder: Path | None) -> Player:
        if spec.kind in ("random", "perfect"):
            return find_player(spec.name, game)
        _refuse_unknown(spec, game, folder)
        if spec.kind in ("network", "search"):
            _refuse_other(spec.inside or "", game, read_config(folder or folder_of(spec.inside or "")))
        return player_of(spec, game, folder)


def _refuse_unknown(spec: AgentSpec, game: Game, folder: Path | None) -> None:
    """Refuse a name that is neither a run's, nor a shipped agent's, nor an evaluation's: none is opened as a path."""
    name, inside, theirs = shorten(spec.name), spec.inside, registry.shipped(game.name)
    if spec.kind in ("minimax", "alphabeta"):
        refuse_unsearched(game.name, f"'{name}' cannot play it")
        theirs = (*evaluations(game), *theirs)
        if folder is None and inside is not None and inside not in theirs:
            there_are = f"there are {', '.join(theirs)}"
            raise BadInput(f"'{shorten(inside)}' has no evaluation to search {game.name} with; {there_are}.")
    elif folder is None and inside not in theirs:
        if spec.kind == "search":
            raise BadInput(f"'{name}': '{shorten(inside or '')}' has no network to search by.")
        known = ", ".join([*untrained(game.name), *theirs])
        raise BadInput(f"there is no agent '{name}' for {game.name}; there are {known}.")


def _version(folder: Path) -> Any:
    """Changes when a run has new weights."""
    newest = [at.name for at in checkpoints(folder)[-1:]]
    return (folder, (folder / WEIGHTS).is_file(), *newest)


def _refuse_other(name: str, game: Game, config: dict[str, Any]) -> None:
    """Refuse a game that the agent was not trained for."""
    if config["game"] != game.name:
        raise BadInput(f"the agent '{shorten(name)}' plays {config['game']}, not {game.name}.")
    setup = learned(config)
    if not setup.meets(bound_of(game)):
        raise BadInput(
            f"the agent '{shorten(name)}' has learned {setup.bound.describe()}, and this is {game.describe()}."
        )
