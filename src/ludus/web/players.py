"""Agents by name: built-in ones, those that come with a game, and runs of the folder given at the start.

No text of a request is opened as a path: `run:NAME` is looked up in a list of the runs. And none becomes a command:
agents `htp:COMMAND` are refused here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from ludus import games as registry
from ludus.agents.find import find_player, player_of
from ludus.agents.network import NetworkPlayer, load_network
from ludus.agents.spec import AgentSpec, bound_of, can_be_searched, learned, untrained
from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.play.player import Player
from ludus.runs.run_info import WEIGHTS, checkpoints, find_runs, read_config

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
        folder = self.runs().get(name)
        if folder is None:
            raise BadInput(f"there is no run '{shorten(name.removeprefix(RUN))}' in the folder of this page.")
        return folder

    def _made(self, spec: AgentSpec, game: Game, folder: Path | None) -> Player:
        name, theirs = shorten(spec.name), registry.shipped(game.name)
        match spec.kind:
            case "random" | "perfect":
                return find_player(spec.name, game)
            case "minimax" | "alphabeta":
                return self._searching(spec, game, folder)
            case _:
                inside = spec.inside or ""
        if folder is None and inside not in theirs:
            if spec.kind == "search":
                raise BadInput(f"'{name}': '{shorten(inside)}' has no network to search by.")
            raise BadInput(f"there is no agent '{name}' for {game.name}; there are {_known(game.name)}.")
        network = self._network(inside, game, folder or registry.shipped_folder(game.name) / inside.partition("/")[2])
        if spec.kind == "network":
            return network
        from ludus.agents.tree_search import TreeSearchPlayer

        return TreeSearchPlayer(spec, network)

    def _network(self, name: str, game: Game, folder: Path) -> NetworkPlayer:
        _refuse_other(name, game, read_config(folder))
        return load_network(folder, game, name)

    def _searching(self, spec: AgentSpec, game: Game, folder: Path | None) -> Player:
        """An alpha-beta search. Its evaluation is one of the game's, a shipped agent's or a run's."""
        if not can_be_searched(game.name):
            raise BadInput(f"there is no search for {game.name}, so '{shorten(spec.name)}' cannot play it.")
        from ludus.search.alphabeta.evaluation import evaluations

        inside, theirs = spec.inside, (*evaluations(game), *registry.shipped(game.name))
        if folder is not None:
            return player_of(spec._replace(inside=str(folder)), game)
        if inside is not None and inside not in theirs:
            raise BadInput(
                f"'{shorten(inside)}' has no evaluation to search {game.name} with; there are {', '.join(theirs)}."
            )
        return player_of(spec, game)


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


def _known(game: str) -> str:
    """The agents of a game, without runs."""
    return ", ".join([*untrained(game), *registry.shipped(game)])
