"""Agents by name. Nothing that a request says becomes a path: a name is one that is built in, one that comes with a
game, or `run:NAME` for a run found in the folder that was given at the start, looked up in a list of what is there. And
nothing becomes a command: `htp:COMMAND`, an agent elsewhere, is none here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from ludus import games as registry
from ludus.agents.find import find_player, player_of
from ludus.agents.network import NetworkPlayer, load_network
from ludus.agents.spec import PROGRAM, AgentSpec, bound_of, can_be_searched, learned, untrained
from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.play.player import Player
from ludus.runs.records import WEIGHTS, checkpoints, find_runs, read_config

RUN = "run:"
KEPT = 32  # players that are kept ready


class Players:
    """Agents at their games, kept ready."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._kept: OrderedDict[tuple[str, Game], tuple[Any, Player]] = OrderedDict()
        self._lock = threading.Lock()

    def runs(self) -> dict[str, Path]:
        """The runs there are, by the names that they have here."""
        if not self._runs.is_dir():
            return {}
        return {f"{RUN}{path.relative_to(self._runs).as_posix()}": path for path in find_runs(self._runs)}

    def find(self, name: str, game: Game) -> Player:
        """An agent at a game. A run that has come further plays with other weights, by the same programs."""
        if name.partition(":")[0] == PROGRAM:
            raise BadInput(f"there is no agent '{shorten(name)}' for {game.name}; there are {_known(game.name)}.")
        spec = AgentSpec.parse(name)
        folder = self._folder(spec.inside)
        version = None if folder is None else _version(folder)
        with self._lock:
            kept = self._kept.get((name, game))
            if kept is not None and kept[0] == version:
                self._kept.move_to_end((name, game))
                return kept[1]
        player = self._made(spec, game, folder)
        with self._lock:
            self._kept[name, game] = version, player
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return player

    def _folder(self, name: str | None) -> Path | None:
        """The folder of a run; None for an agent that is no run's."""
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
        """A search; what stands inside is one of the game's evaluations, or an agent with a name here."""
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
    """How far a run has come."""
    newest = [at.name for at in checkpoints(folder)[-1:]]
    return (folder, (folder / WEIGHTS).is_file(), *newest)


def _refuse_other(name: str, game: Game, config: dict[str, Any]) -> None:
    """An agent plays what it has learned."""
    if config["game"] != game.name:
        raise BadInput(f"the agent '{shorten(name)}' plays {config['game']}, not {game.name}.")
    setup = learned(config)
    if not setup.meets(bound_of(game)):
        raise BadInput(
            f"the agent '{shorten(name)}' has learned {setup.bound.describe()}, and this is {game.describe()}."
        )


def _known(game: str) -> str:
    """The agents of a game that are no runs."""
    return ", ".join([*untrained(game), *registry.shipped(game)])
